package render

import (
	"bytes"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// Objects returns the objects of VMs and Jobs in the order given. They are not
// encoded again: the keys of their JSON are in the order in which the types declare
// them, and not in that of [manifest.Read].
func Objects(rendered ...Rendered) []manifest.Object {
	objects := make([]manifest.Object, 0, 2*len(rendered))
	for i := range rendered {
		for line := range bytes.Lines(rendered[i].final()) {
			json := line[: len(line)-1 : len(line)-1]
			objects = append(objects, manifest.Object{ID: manifest.Identify(json), JSON: json})
		}
	}
	return objects
}
