package depcheck

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestModulesAreUsedWhereListed compares the table of modules in CONTRIBUTING.md with the rooms whose packages import
// them, without tests.
func TestModulesAreUsedWhereListed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "| module | used in |")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n\n")
	rows := regexp.MustCompile(`(?m)^\| (\S+) \| ([^|]+) \| [^|]+ \|$`).FindAllStringSubmatch(section, -1)
	require.Greater(t, len(rows), 5)
	g, dirs := load(t), regexp.MustCompile("`((?:cmd|internal|pkg)/[^`]+)`")
	for _, row := range rows {
		var listed []string
		for _, dir := range dirs.FindAllStringSubmatch(row[2], -1) {
			listed = append(listed, dir[1])
		}
		require.ElementsMatch(t, listed, g.roomsThatImport(row[1]), row[1])
	}
}

// roomsThatImport returns the rooms, or packages without a room, that import a module or a package below it.
func (g graph) roomsThatImport(path string) []string {
	var found []string
	for name, p := range g {
		dir, ours := strings.CutPrefix(name, module)
		if ours && slices.ContainsFunc(p.Imports, func(i string) bool { return within(i, []string{path}) }) {
			found = append(found, cmp.Or(roomOf(dir, rooms).dir, dir))
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
