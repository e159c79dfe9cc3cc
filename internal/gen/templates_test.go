package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The page about the files of a fleet lists every key whose strings are templates: the keys that pkg/resolve expands.
func TestTemplatesAreListed(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/fleet-files.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## Templates\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n|")
	files, err := filepath.Glob("../../pkg/resolve/*.go")
	require.NoError(t, err)
	keys := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, call := range regexp.MustCompile(`d\.expand\w*\([^"\n]*"(\w+)"`).FindAllStringSubmatch(string(text), -1) {
			keys[call[1]] = true
		}
	}
	require.Greater(t, len(keys), 8)
	for key := range keys {
		require.Regexp(t, "`"+key+"[`.\\[]", section)
	}
}
