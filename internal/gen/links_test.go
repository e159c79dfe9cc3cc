package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	codeBlock    = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```[ \t]*$")
	codeSpan     = regexp.MustCompile("`[^`\n]*`")
	linkText     = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	linkTarget   = regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]+))?\)`)
	otherScheme  = regexp.MustCompile(`^[a-z]+:`)
	markdownOnly = regexp.MustCompile(`^[^.].*\.md$`)
)

// Every link between the Markdown files of the repository leads to a file, and to an existing heading if it names one.
func TestDocumentsLinkToHeadings(t *testing.T) {
	pages := map[string]string{}
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git") {
			return fs.SkipDir
		}
		if err != nil || entry.IsDir() || !markdownOnly.MatchString(entry.Name()) {
			return err
		}
		text, err := os.ReadFile(path)
		pages[path] = codeBlock.ReplaceAllString(string(text), "")
		return err
	}))
	anchors := map[string]map[string]bool{}
	for path, text := range pages {
		anchors[path] = headings(text)
	}
	for path, text := range pages {
		for _, l := range linkTarget.FindAllStringSubmatch(codeSpan.ReplaceAllString(text, "code"), -1) {
			if otherScheme.MatchString(l[1]) {
				continue
			}
			target := path
			if l[1] != "" {
				target = filepath.Join(filepath.Dir(path), filepath.FromSlash(l[1]))
			}
			_, err := os.Stat(target)
			require.NoError(t, err, "%s links to %s", path, l[1])
			if l[2] != "" && anchors[target] != nil {
				require.True(t, anchors[target][l[2]], "%s links to %s#%s", path, l[1], l[2])
			}
		}
	}
}

// headings returns the anchors of a page's headings. A repeated heading has a number.
func headings(text string) map[string]bool {
	anchors, times := map[string]bool{}, map[string]int{}
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		a := anchor(linkText.ReplaceAllString(h[1], "$1"))
		n := times[a]
		times[a]++
		if n > 0 {
			a += "-" + strconv.Itoa(n)
		}
		anchors[strings.TrimSpace(a)] = true
	}
	return anchors
}

func TestHeadings(t *testing.T) {
	text := "# One\n## `two`, and [three](x.md)\n## One\n"
	require.Equal(t, map[string]bool{"one": true, "two-and-three": true, "one-1": true}, headings(text))
}

// Readers can find every page from the index.
func TestIndexListsEveryPage(t *testing.T) {
	index, err := os.ReadFile("../../docs/README.md")
	require.NoError(t, err)
	pages, err := filepath.Glob("../../docs/*/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, page := range pages {
		link, err := filepath.Rel("../../docs", page)
		require.NoError(t, err)
		require.Contains(t, string(index), "]("+filepath.ToSlash(link)+")")
	}
}
