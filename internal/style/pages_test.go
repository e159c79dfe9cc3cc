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

// inPages is the words to avoid in Markdown.
var inPages = []word{
	{regexp.MustCompile(`(?i)\bbeneath\b`), "below, under, in"},
	{regexp.MustCompile(`(?i)\bbeside\b`), "next to, in addition to"},
	{regexp.MustCompile(`(?i)\banew\b`), "recreate, again"},
	{regexp.MustCompile(`(?i)\bfor ever\b`), "indefinitely"},
	{regexp.MustCompile(`(?i)\bat once\b`), "immediately, at the same time"},
	{regexp.MustCompile(`(?i)\bby hand\b`), "manually"},
	{regexp.MustCompile(`(?i)\bbut for\b`), "except"},
	{regexp.MustCompile(`(?i)\b(whoever|somebody|nobody)\b`), "you, the user, another team"},
	{regexp.MustCompile(`(?i)\b(catalogue|behaviour|licence)\b`), "American spelling"},
}

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
		report(t, inPages, notProse.ReplaceAllString(string(text), ""), strings.TrimPrefix(page, root+"/"))
	}
	require.Greater(t, checked, 40)
}

// TestWordsOfPages checks that the patterns match prose only.
func TestWordsOfPages(t *testing.T) {
	prose := func(text string) []string { return problems(inPages, notProse.ReplaceAllString(text, "")) }
	require.Len(t, prose("Whoever restarts it by hand\nlooks beneath."), 3)
	require.Empty(t, prose("```console\n$ x\nby hand\n```\nWrite `by hand`, \"by hand\" or [x](y.md#by-hand)."))
	require.Empty(t, prose("<!-- beneath -->"))
}
