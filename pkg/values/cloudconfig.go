package values

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/vmrender/vmrender/pkg/source"
)

//go:embed data/cloudconfig.txt
var cloudConfigTable string

// CloudConfig returns the top-level keys of cloud-config, each with the kinds of its values: "map", "list" and
// "scalar". A newer cloud-init may have more of both. Callers must not change it.
var CloudConfig = sync.OnceValue(func() map[string][]string {
	keys := map[string][]string{}
	for line := range strings.Lines(cloudConfigTable) {
		if words := strings.Fields(line); words[0] != "#" {
			keys[words[0]] = words[1:]
		}
	}
	return keys
})

// KindOf returns the kind of a value, as in [CloudConfig].
func KindOf(n *source.Node) string {
	switch n.Kind {
	case source.Map:
		return "map"
	case source.List:
		return "list"
	}
	return "scalar"
}
