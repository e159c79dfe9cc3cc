package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/docblocks"
	"github.com/vmrender/vmrender/internal/golden"
)

// The terminal sessions in docs/how-to/drill.md are true for examples/drill, and the export that its README makes.
func TestDrillPage(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(root, "docs/how-to/drill.md"))
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.CopyFS("examples/drill", os.DirFS(filepath.Join(root, "examples/drill"))))
	status, rendered, stderr := run("template", "examples/drill/fleet")
	require.Equal(t, statusOK, status, stderr)
	cluster, err := os.ReadFile("examples/drill/cluster.yaml")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("export.yaml", []byte(rendered+string(cluster)), 0o600))
	checked := 0
	got := docblocks.Rewrite(string(page), func(b docblocks.Block) string {
		commands := b.Commands()
		if b.Lang != "console" || len(commands) == 0 {
			return b.Text
		}
		for i, c := range commands {
			args := strings.Fields(strings.ReplaceAll(c.Line(), "\\\n", " "))
			status, stdout, stderr := run(args[1:]...)
			require.Equal(t, statusOK, status, stderr)
			commands[i].Output = stdout
			checked++
		}
		return docblocks.Console(commands)
	})
	require.Equal(t, 2, checked)
	golden.Equal(t, filepath.Join(root, "docs/how-to/drill.md"), got)
}
