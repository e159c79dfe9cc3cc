package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	readmeBlock = regexp.MustCompile("(?ms)^```(?:yaml|console)\n(.*?)^```$")
	lineNote    = regexp.MustCompile(`\s+# .*$`)
)

// The README shows examples/first unchanged, lines of its output in order, and the messages of validate about two
// typos in it.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	blocks := readmeBlock.FindAllStringSubmatch(string(text), 4)
	require.Len(t, blocks, 4)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../examples/first")))
	t.Chdir(dir)
	for i, name := range []string{"fleet.yaml", "vms.yaml"} {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, "# "+name+"\n"+string(content), blocks[i][1])
	}

	status, rendered, stderr := run("template")
	require.Equal(t, statusOK, status, stderr)
	for line := range strings.Lines(blocks[2][1]) {
		if strings.HasPrefix(line, "# … ") || line == "# …\n" {
			continue
		}
		_, rest, isThere := strings.Cut(rendered, lineNote.ReplaceAllString(strings.TrimSuffix(line, "\n"), "")+"\n")
		require.True(t, isThere, "after what is shown above it: %s", line)
		rendered = rest
	}

	vms, err := os.ReadFile("vms.yaml")
	require.NoError(t, err)
	typos := strings.NewReplacer("medium", "mediun", "disks", "dsks").Replace(string(vms))
	require.NoError(t, os.WriteFile("vms.yaml", []byte(typos), 0o600))
	_, report, _ := run("validate")
	require.Equal(t, blocks[3][1], "$ vmrender validate\n"+report)
}
