package lifecycle

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
)

// MergeOptions returns the options of both texts. Those of the second replace those
// of the first with the same name.
func MergeOptions(base, over string) string {
	all := slices.Collect(argocd.SyncOptions(base))
	for o := range argocd.SyncOptions(over) {
		if i := slices.IndexFunc(all, func(b argocd.SyncOption) bool { return b.Name == o.Name }); i >= 0 {
			all[i] = o
		} else {
			all = append(all, o)
		}
	}
	texts := make([]string, len(all))
	for i, o := range all {
		texts[i] = o.String()
	}
	return strings.Join(texts, ",")
}
