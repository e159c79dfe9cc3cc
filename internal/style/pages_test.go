package style

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// notProse is the text that others wrote, or that names a word without using it: code, quotes, the targets of links,
// and comments.
var notProse = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```[ \t]*$|`[^`\n]*`|" +
	`"[^"\n]*"|\]\([^)]*\)|<!--.*?-->`)

// isGenerated matches the first lines of generated pages. Their words are those of their sources.
var isGenerated = regexp.MustCompile(`(?i)<!-- [^\n]*do not edit`)

func TestPages(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "*.md"))
	require.NoError(t, err)
	for _, top := range []string{"apps", "charts", "docs", "examples", "plugin", "test"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, top), func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Name() == "testdata" {
				return fs.SkipDir
			}
			if filepath.Ext(path) == ".md" {
				pages = append(pages, path)
			}
			return err
		}))
	}
	checked := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		if isGenerated.Match(text) {
			continue
		}
		checked++
		report(t, problems(plain, notProse.ReplaceAllString(string(text), "")), strings.TrimPrefix(page, root+"/"))
	}
	require.Greater(t, checked, 40)
}

// TestWordsOfPages checks that the patterns match prose only.
func TestWordsOfPages(t *testing.T) {
	prose := func(text string) []string { return problems(plain, notProse.ReplaceAllString(text, "")) }
	require.Len(t, prose("Whoever restarts it by hand\nlooks beneath."), 3)
	require.Empty(t, prose("```console\n$ x\nby hand\n```\nWrite `by hand`, \"by hand\" or [x](y.md#by-hand)."))
	require.Empty(t, prose("<!-- beneath -->"))
}
