package problems

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// Across returns the problems of the same files with each of some overlays. One that not all overlays have names those
// that have it.
func Across(overlays []string, all [][]source.Diagnostic) *source.Diagnostics {
	where := map[source.Diagnostic][]string{}
	for i, list := range all {
		for _, d := range list {
			where[d] = append(where[d], overlays[i])
		}
	}
	out := new(source.Diagnostics)
	for d, in := range where {
		if len(in) < len(overlays) && !(len(in) == 1 && d.File == in[0]) {
			d.Message += " (with " + strings.Join(in, ", ") + ")"
		}
		out.Add(d)
	}
	return out
}
