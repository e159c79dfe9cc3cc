package depcheck

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryPackageHasAPlace compares the table in CONTRIBUTING.md of where things belong with the packages below cmd,
// internal and pkg. A package can be named with its own directory, or with one of its files.
func TestEveryPackageHasAPlace(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "| For | Look in |")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`((?:cmd|internal|pkg)/[^`]+)`").FindAllStringSubmatch(table, -1) {
		_, err := os.Stat(filepath.Join(root, m[1]))
		require.NoError(t, err, "CONTRIBUTING.md, Where things belong")
		named[m[1]] = true
	}
	require.Greater(t, len(named), 30)
	for path := range load(t) {
		dir, ours := strings.CutPrefix(path, module)
		if !ours || !within(dir, []string{"cmd", "internal", "pkg"}) || roomOf(dir, rooms).dir != dir {
			continue
		}
		has := named[dir]
		for name := range named {
			has = has || within(name, []string{dir})
		}
		require.True(t, has, "%s is not in CONTRIBUTING.md, Where things belong", dir)
	}
}
