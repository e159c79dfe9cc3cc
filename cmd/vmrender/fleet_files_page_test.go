package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
)

var consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")

var pageFile = regexp.MustCompile("(?ms)^```yaml\n# ([^\n]+)\n(.*?)^```$")

// The terminal sessions in docs/reference/fleet-files.md are true for the files on the page. With -update, the page is
// corrected.
func TestFleetFilesPage(t *testing.T) {
	path, err := filepath.Abs("../../docs/reference/fleet-files.md")
	require.NoError(t, err)
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	for _, file := range pageFile.FindAllStringSubmatch(string(page), -1) {
		require.NoError(t, os.MkdirAll(filepath.Dir(file[1]), 0o755))
		require.NoError(t, os.WriteFile(file[1], []byte(file[2]), 0o600))
	}
	golden.Equal(t, path, consoleBlock.ReplaceAllStringFunc(string(page), func(block string) string {
		var shown strings.Builder
		for line := range strings.Lines(block) {
			if args, isCommand := strings.CutPrefix(line, "$ vmrender "); isCommand {
				_, stdout, stderr := run(strings.Fields(args)...)
				shown.WriteString(line + stdout + stderr)
			}
		}
		return "```console\n" + shown.String() + "```"
	}))
}
