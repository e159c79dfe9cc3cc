package impact_test

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/impact/judge/trials"
)

// A plan predicts the effect of every edit in other versions of KubeVirt, too, except for the differences in
// testdata/VERSION/differences.txt that 1.8.4 does not have. The judge, built with that version, has written
// testdata/VERSION/verdicts.txt. Every rule for older versions has a case, if one of them is between its bounds.
func TestVersions(t *testing.T) {
	if *only != "" {
		t.Skip("only some cases are asked for")
	}
	cases, all := verdicts(t)
	newer, err := trials.Read("testdata/verdicts.txt")
	require.NoError(t, err)
	known, err := os.ReadFile("testdata/differences.txt")
	require.NoError(t, err)
	hits := map[string]reached{}
	for _, version := range otherVersions(t) {
		t.Run(version, func(t *testing.T) {
			other, err := trials.Read(filepath.Join("testdata", version, "verdicts.txt"))
			require.NoError(t, err)
			found := compared{version: version}
			for k, c := range cases {
				for i := range configs {
					if all[i][k] != nil {
						found.add(t, i, c, all[i][k].live, cmp.Or(other.Of(c, i), newer.Of(c, i)))
					}
				}
			}
			same(t, filepath.Join(version, "differences.txt"), found.text(slices.Collect(strings.Lines(string(known)))))
			found.check(t)
			hits[version] = found.hits
		})
	}
	checkOlderReached(t, hits)
}

// otherVersions returns the versions that testdata has verdicts of.
func otherVersions(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*/verdicts.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var out []string
	for _, file := range files {
		out = append(out, filepath.Base(filepath.Dir(file)))
	}
	return out
}
