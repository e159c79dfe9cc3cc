package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHeldDependencies compares the dependencies that CONTRIBUTING.md lists as held with the go.mod files. A reason
// is removed when its dependency is raised, and every comment in go.mod that refers to the list has an entry in it.
func TestHeldDependencies(t *testing.T) {
	t.Chdir("../..")
	text, err := os.ReadFile("CONTRIBUTING.md")
	require.NoError(t, err)
	row := regexp.MustCompile(`(?m)^\| (\S+\.\S+/\S+) \| (\S*go\.mod) \| (v\S+) \| \S.* \|$`)
	rows := row.FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, rows)
	listed := map[string]bool{}
	for _, row := range rows {
		version, err := component{mod: row[2], module: row[1]}.version()
		require.NoError(t, err)
		require.Equal(t, version, row[3], "CONTRIBUTING.md, Dependencies: %s in %s", row[1], row[2])
		listed[row[2]+" "+row[1]] = true
	}
	mod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	for line := range strings.Lines(string(mod)) {
		if strings.Contains(line, "// held: ") {
			require.Contains(t, listed, "go.mod "+strings.Fields(line)[0])
		}
	}
}
