package impact_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// newest is the version of KubeVirt that the tests are built with.
const newest = "1.8.4"

// The minimum number of cases to compare; of 100 predictions, how many may be approximate; and of 1,000 others, how many
// must have KubeVirt's level.
const (
	enough      = 2000
	approximate = 5
	exact       = 970
)

// compared is what a comparison of plans with a version of KubeVirt finds.
type compared struct {
	version string
	hits    reached
	lines   []string // differences

	cases, all, approximate, same int
	// beyond is the number of predictions of a level that the judge does not have: it compares no contents of disks.
	beyond int
}

// add compares plans for a case, from the manifests alone and with the content of the cluster before it, with a verdict.
func (f *compared) add(t *testing.T, config int, c trial, live []manifest.Object, verdict string) {
	t.Helper()
	if f.hits == nil {
		f.hits = reached{}
	}
	says := planned(t, settings(configs[config].Config, f.version), c, live)
	f.hits.add(says)
	if strings.Contains(verdict, "; as a new VM, too") {
		return // vmrender refuses to render it (test/admission)
	}
	f.cases++
	for _, v := range says {
		f.all++
		switch {
		case v.Approximate:
			f.approximate++
		case v.Level >= impact.Recreate && level(t, verdict) < impact.Recreate:
			f.beyond++
		case noticed(v.Level) == level(t, verdict):
			f.same++
		}
	}
	f.lines = append(f.lines, differences(t, configs[config].Name+": "+c.String(), says, verdict)...)
}

// text returns the differences that are not known, sorted.
func (f *compared) text(known []string) string {
	lines := slices.DeleteFunc(slices.Clone(f.lines), func(line string) bool { return slices.Contains(known, line) })
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// check fails if there are too few cases, or too many predictions that are approximate or differ.
func (f *compared) check(t *testing.T) {
	t.Helper()
	t.Logf("KubeVirt %s: %d cases, %d predictions, %d approximate, %d of disks, %d the same",
		f.version, f.cases, f.all, f.approximate, f.beyond, f.same)
	require.GreaterOrEqual(t, f.cases, enough)
	require.LessOrEqual(t, f.approximate*100, f.all*approximate)
	require.GreaterOrEqual(t, f.same*1000, (f.all-f.approximate-f.beyond)*exact)
}
