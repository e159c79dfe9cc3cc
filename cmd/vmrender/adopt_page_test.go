package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
)

// What docs/how-to/adopt.md shows of a terminal and of files is true: its commands are run from top to
// bottom, where testdata/adopt is. With -update, the page is made true.
func TestAdoptPage(t *testing.T) {
	path, err := filepath.Abs("../../docs/how-to/adopt.md")
	require.NoError(t, err)
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/adopt")))
	t.Chdir(dir)
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_DATE", "2026-11-20T08:00:00Z")
		t.Setenv("GIT_"+who+"_NAME", "a")
		t.Setenv("GIT_"+who+"_EMAIL", "a@example.com")
	}
	tool(t, "git init --quiet --initial-branch=main")
	tool(t, "git remote add origin https://git.example.com/shop/fleet.git")
	golden.Equal(t, path, pageBlock.ReplaceAllStringFunc(string(page), func(block string) string {
		parts := pageBlock.FindStringSubmatch(block)
		switch {
		case parts[1] == "":
			tool(t, "! git rev-parse --quiet --verify HEAD || git checkout --quiet .")
		case parts[1] == "console":
			return "```console\n" + terminal(t, parts[2]) + "```"
		case strings.HasPrefix(parts[2], "# "):
			return "```yaml\n" + shownFile(t, parts[2]) + "```"
		}
		return block
	}))
}

// pageBlock is a block, or a heading: each section begins with what was committed.
var pageBlock = regexp.MustCompile("(?ms)```(console|yaml)\n(.*?)```|^## ")

// terminal runs the commands of a block, but for those of a cluster, and returns them with what
// they print. What a command writes to a file is written.
func terminal(t *testing.T, block string) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.SplitSeq(block, "\n") {
		command, isCommand := strings.CutPrefix(line, "$ ")
		if !isCommand {
			continue
		}
		out.WriteString(line + "\n")
		program, _, _ := strings.Cut(command, " ")
		switch program {
		case "vmrender":
			out.WriteString(runShown(t, command))
		case "git", "sed":
			tool(t, command)
		case "kubectl":
		default:
			require.Fail(t, "a command that the test does not know", command)
		}
	}
	return out.String()
}

// runShown runs vmrender, and returns what a terminal shows of it.
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

// shownFile returns a block with a file whose name is in its first line. An excerpt must be in
// the file, and one that was edited is written.
func shownFile(t *testing.T, block string) string {
	t.Helper()
	first, body, _ := strings.Cut(block, "\n")
	name, how, _ := strings.Cut(strings.TrimPrefix(first, "# "), ", ")
	text, err := os.ReadFile(name)
	require.NoError(t, err, "%s is to be there", name)
	switch how {
	case "":
		body = string(text)
	case "excerpt":
		require.Contains(t, string(text), body, name)
	case "edited":
		require.NoError(t, os.WriteFile(name, []byte(body), 0o600))
	default:
		require.Fail(t, "a file is shown in a way that the test does not know", first)
	}
	return first + "\n" + body
}
