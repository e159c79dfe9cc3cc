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

// Every vmrender command that a page shows exists, with the flags and values shown.
func TestPagesShowCommandsThatExist(t *testing.T) {
	checked := 0
	eachBlock(t, func(path string, b docblocks.Block) {
		if b.Lang != "console" {
			return
		}
		for _, args := range shownCommands(b) {
			command, _, err := newRootCommand().Find(args)
			require.NoError(t, err, path)
			require.True(t, command.HasParent(), "%s: vmrender %q: no such command", path, args)
			status, _, stderr := run(append(args, "--help")...)
			require.Equal(t, statusOK, status, "%s: vmrender %q: %s", path, args, stderr)
			checked++
		}
	})
	require.Greater(t, checked, 40)
}

// triedPages maps each page whose commands a test runs to that test.
var triedPages = map[string]string{
	"README.md":                     "TestReadme",
	"docs/how-to/adopt.md":          "TestAdoptPage",
	"docs/how-to/drain.md":          "TestDrainPage",
	"docs/how-to/drill.md":          "TestDrillPage",
	"docs/how-to/environments.md":   "TestEnvironmentsPage",
	"docs/how-to/hold.md":           "TestHoldPage",
	"docs/how-to/kustomize.md":      "test/krm, TestPage",
	"docs/how-to/update-images.md":  "TestImagesPage",
	"docs/reference/fleet-files.md": "TestFleetFilesPage",
	"docs/tutorials/first-vm.md":    "test/e2e, TestTutorialFirstVM",
	"docs/tutorials/platform.md":    "test/e2e/openshift, TestTutorialPlatform",
}

// If a page shows the output of a command, either a test runs its commands or there is a
// reason not to.
func TestPagesShowOutputThatIsTried(t *testing.T) {
	shown := map[string]bool{}
	eachBlock(t, func(path string, b docblocks.Block) {
		for _, c := range b.Commands() {
			if b.Lang == "console" && b.NotRun == "" && c.Output != "" {
				require.Contains(t, triedPages, path, "no test runs %q", c.Line())
				shown[path] = true
			}
		}
	})
	require.Len(t, shown, len(triedPages))
}

// eachBlock calls f with each block of each page and the path of the page in the repository.
func eachBlock(t *testing.T, f func(path string, b docblocks.Block)) {
	t.Helper()
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git") {
			return fs.SkipDir
		}
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		page, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		docblocks.Rewrite(string(page), func(b docblocks.Block) string {
			f(filepath.ToSlash(name), b)
			return b.Text
		})
		return err
	}))
}

var (
	shellComment = regexp.MustCompile(`(?m)\s# .*$`)
	shellWords   = regexp.MustCompile(`(?:[^\s"']|"[^"]*"|'[^']*')+`)
	shellBetween = regexp.MustCompile(`\n|\||&&|;| > \S+`)
)

// shownCommands returns the arguments of the vmrender commands in a console block. In a block
// without prompts, all lines are commands.
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

// Output, comments, pipes and line continuations are not arguments.
func TestShownCommands(t *testing.T) {
	text := "vmrender app x | kubectl apply -f -\n" +
		"vmrender plan --from main \\\n  -o html > plan.html  # a page\n" +
		"cd x && vmrender init \"a b\"\n"
	want := [][]string{{"app", "x"}, {"plan", "--from", "main", "-o", "html"}, {"init", `"a b"`}}
	require.Equal(t, want, shownCommands(docblocks.Block{Text: text}))
	prompted := docblocks.Block{Text: "$ vmrender version\nvmrender 1.0.0\n"}
	require.Equal(t, [][]string{{"version"}}, shownCommands(prompted))
}
