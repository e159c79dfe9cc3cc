package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/docblocks"
)

// Every command of vmrender that a page shows exists, with the flags and the values that the
// page gives it.
func TestPagesShowCommandsThatExist(t *testing.T) {
	checked := 0
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git") {
			return fs.SkipDir
		}
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		page, err := os.ReadFile(path)
		docblocks.Rewrite(string(page), func(b docblocks.Block) string {
			if b.Lang == "console" {
				for _, args := range shownCommands(b) {
					command, _, err := newRootCommand().Find(args)
					require.NoError(t, err, path)
					require.True(t, command.HasParent(), "%s: vmrender %q: no such command", path, args)
					status, _, stderr := run(append(args, "--help")...)
					require.Equal(t, statusOK, status, "%s: vmrender %q: %s", path, args, stderr)
					checked++
				}
			}
			return b.Text
		})
		return err
	}))
	require.Greater(t, checked, 40)
}

var (
	shellComment = regexp.MustCompile(`(?m)\s# .*$`)
	shellWords   = regexp.MustCompile(`(?:[^\s"']|"[^"]*"|'[^']*')+`)
	shellBetween = regexp.MustCompile(`\n|\||&&|;| > \S+`)
)

// shownCommands returns the arguments of the commands of vmrender in a console block. Without
// prompts, all of its lines are commands.
func shownCommands(b docblocks.Block) [][]string {
	text := b.Text
	if prompted := b.Commands(); len(prompted) > 0 {
		var lines strings.Builder
		for _, c := range prompted {
			lines.WriteString(c.Line())
		}
		text = lines.String()
	}
	text = strings.ReplaceAll(shellComment.ReplaceAllString(text, ""), "\\\n", " ")
	var commands [][]string
	for _, command := range shellBetween.Split(text, -1) {
		words := shellWords.FindAllString(command, -1)
		if len(words) > 1 && words[0] == "vmrender" {
			commands = append(commands, words[1:])
		}
	}
	return commands
}

// Outputs, comments, pipes and continued lines are no arguments.
func TestShownCommands(t *testing.T) {
	text := "vmrender app x | kubectl apply -f -\n" +
		"vmrender plan --from main \\\n  -o html > plan.html  # a page\n" +
		"cd x && vmrender init \"a b\"\n"
	want := [][]string{{"app", "x"}, {"plan", "--from", "main", "-o", "html"}, {"init", `"a b"`}}
	require.Equal(t, want, shownCommands(docblocks.Block{Text: text}))
	prompted := docblocks.Block{Text: "$ vmrender version\nvmrender 1.0.0\n"}
	require.Equal(t, [][]string{{"version"}}, shownCommands(prompted))
}
