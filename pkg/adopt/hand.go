package adopt

import (
	"fmt"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
)

// ByHand describes what users and programs have done to a VM in the cluster since it was
// applied, a sentence for each field: it is part of the VM that is imported, and was
// in no file before. Wanted is the VM as Git has it; without JSON, what kubectl or
// Argo CD has applied last counts.
func ByHand(live, wanted manifest.Object) []string {
	deeds := pairs.ByHand(live, wanted)
	out := make([]string, len(deeds))
	for i, d := range deeds {
		out[i] = fmt.Sprintf("%s: %s; it is %s, and was %s%s", d.Path, d.What, orNone(d.Is), orNone(d.Wanted), by(&d))
	}
	return out
}

// by describes who has done it, and when, if that is known.
func by(d *pairs.Deed) string {
	if d.By == "" {
		return ""
	}
	return fmt.Sprintf(" (%s, %s)", d.Who, d.At)
}

func orNone(value string) string {
	if value == "" {
		return "not there"
	}
	return value
}
