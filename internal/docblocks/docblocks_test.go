package docblocks_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/docblocks"
)

const page = "# Title\n\n```yaml\na: 1\n```\n\n## Step\n\n" +
	"1. In a list:\n\n   ```console\n   $ one \\\n     --more\n   out\n\n   more\n   $ two\n   ```\n\n" +
	"<!-- not run: needs a cluster -->\n\n```console\n$ three\n```\n"

// A page is unchanged if no block changes, and each block comes with the text about it.
func TestRewrite(t *testing.T) {
	var found []docblocks.Block
	require.Equal(t, page, docblocks.Rewrite(page, func(b docblocks.Block) string {
		found = append(found, b)
		return b.Text
	}))
	require.Equal(t, []docblocks.Block{
		{Section: "Title", Lang: "yaml", Text: "a: 1\n"},
		{Section: "Step", Lang: "console", Text: "$ one \\\n  --more\nout\n\nmore\n$ two\n"},
		{Section: "Step", Lang: "console", Text: "$ three\n", NotRun: "needs a cluster"},
	}, found)

	changed := docblocks.Rewrite(page, func(docblocks.Block) string { return "x\n\ny\n" })
	require.Contains(t, changed, "\n   ```console\n   x\n\n   y\n   ```\n")
	require.Equal(t, 1, strings.Count(changed, "not run"))
}

// A command includes the lines that continue it. The other lines are its output.
func TestCommands(t *testing.T) {
	b := docblocks.Block{Text: "$ one \\\n  --more\nout\n$ two\n"}
	commands := b.Commands()
	require.Equal(t, []docblocks.Command{{Prompt: "$ one \\\n  --more\n", Output: "out\n"}, {Prompt: "$ two\n"}}, commands)
	require.Equal(t, "one \\\n  --more\n", commands[0].Line())
	require.Equal(t, b.Text, docblocks.Console(commands))
}

// An output agrees only with the text that shows it.
func TestAgrees(t *testing.T) {
	for _, c := range []struct {
		shown, output string
		agrees        bool
	}{
		{"", "", true},
		{"", "a\n", false},
		{"a\n", "", false},
		{"a b\n", "a  b\n", true},
		{"a\n", "b\n", false},
		{"a\n", "a\nb\n", false},
		{"…\n", "", true},
		{"a\n…\nd\n", "a\nb\nc\nd\n", true},
		{"a\n…\n", "a\n", true},
		{"a\n…\nd\n", "a\nb\n", false},
		{"a …\n", "a b c\n", true},
		{"a …\n", "b c\n", false},
		{"a …\n", "\n", false},
		{"web 3m True\n", "web 1m12s True\n", true},
		{"web 3m True\n", "web 1m12s False\n", false},
		{"web 3m\n", "web three\n", false},
		{"at 2026-11-22T22:50:13Z\n", "at 2027-01-02T03:04:05Z\n", true},
		{"at (0123456789ab)\n", "at (ba9876543210)\n", true},
	} {
		require.Equal(t, c.agrees, docblocks.Agrees(c.shown, c.output), "%q, %q", c.shown, c.output)
	}
}

// A file is shown unchanged, and is written if the page edits it.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	require.NoError(t, os.WriteFile(path, []byte("a: 1\nb: 2\n"), 0o600))
	for text, want := range map[string]string{
		"a: 7\n":                    "a: 7\n",
		"# a.yaml\nb: 7\n":          "# a.yaml\na: 1\nb: 2\n",
		"# a.yaml, excerpt\nb: 2\n": "# a.yaml, excerpt\nb: 2\n",
	} {
		require.Equal(t, want, docblocks.File(t, dir, docblocks.Block{Text: text}))
	}
	for _, label := range []string{"a.yaml, edited", "b/c.yaml, new"} {
		written := docblocks.Block{Text: "# " + label + "\na: 3\n"}
		require.Equal(t, written.Text, docblocks.File(t, dir, written))
		name, _, _ := strings.Cut(label, ",")
		content, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, "a: 3\n", string(content))
	}
}
