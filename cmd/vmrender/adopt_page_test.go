package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/docblocks"
	"github.com/vmrender/vmrender/internal/golden"
)

// The terminal sessions and files in docs/how-to/adopt.md are true. Its commands are run in
// testdata/adopt, from top to bottom. With -update, the page is corrected.
func TestAdoptPage(t *testing.T) {
	path, err := filepath.Abs("../../docs/how-to/adopt.md")
	require.NoError(t, err)
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/adopt")))
	t.Chdir(dir)
	asAuthor(t)
	tool(t, "git init --quiet --initial-branch=main")
	tool(t, "git remote add origin https://git.example.com/shop/fleet.git")
	section := ""
	golden.Equal(t, path, docblocks.Rewrite(string(page), func(b docblocks.Block) string {
		if b.Section != section { // each section starts with the files that were committed
			section = b.Section
			tool(t, "! git rev-parse --quiet --verify HEAD || git checkout --quiet .")
		}
		switch b.Lang {
		case "console":
			return terminal(t, b)
		case "yaml":
			return docblocks.File(t, ".", b)
		}
		return b.Text
	}))
}

// asAuthor sets who commits, and when, so that commits have the same names in each run.
func asAuthor(t *testing.T) {
	t.Helper()
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_DATE", "2026-11-20T08:00:00Z")
		t.Setenv("GIT_"+who+"_NAME", "a")
		t.Setenv("GIT_"+who+"_EMAIL", "a@example.com")
	}
}

// terminal runs the commands of a block, except those that need a cluster, and returns them with their
// output. If a command writes to a file, the file is written.
func terminal(t *testing.T, b docblocks.Block) string {
	t.Helper()
	commands := b.Commands()
	for i := range commands {
		line := strings.TrimSuffix(commands[i].Line(), "\n")
		commands[i].Output = ""
		program, _, _ := strings.Cut(line, " ")
		switch program {
		case "vmrender":
			commands[i].Output = runShown(t, line)
		case "git", "sed":
			tool(t, line)
		case "kubectl":
		default:
			require.Fail(t, "a command that the test does not know", line)
		}
	}
	return docblocks.Console(commands)
}

// runShown runs vmrender and returns its output as a terminal shows it.
func runShown(t *testing.T, command string) string {
	t.Helper()
	command, _, isPiped := strings.Cut(command, " | ")
	command, file, isWritten := strings.Cut(command, " > ")
	status, stdout, stderr := run(strings.Fields(command)[1:]...)
	require.Equal(t, statusOK, status, "%s: %s", command, stderr)
	switch {
	case isPiped:
		return stderr
	case isWritten:
		require.NoError(t, os.WriteFile(file, []byte(stdout), 0o600))
		return stderr
	}
	return stderr + stdout
}

// tool runs a program other than vmrender.
func tool(t *testing.T, command string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput()
	require.NoError(t, err, "%s: %s", command, out)
}
