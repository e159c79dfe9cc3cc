package edit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/edit"
	"github.com/vmrender/vmrender/pkg/source"
)

const name = "f.yaml"

func parse(t testing.TB, text string) []*source.Node {
	t.Helper()
	var diags source.Diagnostics
	docs := source.Parse(&source.File{Name: name, Data: []byte(text)}, &diags)
	require.Empty(t, diags.Sorted(), text)
	return docs
}

// changesOf reads changes, one per line: a path as a list in brackets, followed by "=" and the
// value, or by nothing to remove it. A comment follows "##".
func changesOf(t testing.TB, text string) []edit.Change {
	t.Helper()
	var changes []edit.Change
	for line := range strings.Lines(text) {
		line, comment, _ := strings.Cut(strings.TrimSpace(line), " ## ")
		path, value, set := strings.Cut(line, "] = ")
		c := edit.Change{Comment: strings.ReplaceAll(comment, `\n`, "\n")}
		for _, n := range parse(t, strings.TrimSuffix(path, "]")+"]")[0].Items {
			c.Path = append(c.Path, n.Text)
		}
		if set {
			c.Value = parse(t, value)[0]
		}
		changes = append(changes, c)
	}
	return changes
}

// TestApply edits the texts of archives. Each test has the changes, the text before and the text
// after.
func TestApply(t *testing.T) {
	archives, err := filepath.Glob("testdata/apply/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, file := range archives {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		var out []txtar.File
		for i, test := range archive.Files {
			title, isTest := strings.CutSuffix(test.Name, "/changes")
			if !isTest {
				continue
			}
			before := archive.Files[i+1]
			t.Run(title, func(t *testing.T) {
				got, err := edit.Apply(name, before.Data, changesOf(t, string(test.Data))...)
				if err != nil {
					got = []byte(err.Error() + "\n")
				}
				out = append(out, test, before, txtar.File{Name: title + "/after", Data: got})
			})
		}
		archive.Files = out
		golden.Equal(t, file, string(txtar.Format(archive)))
	}
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return text
}

// These texts cannot be in an archive: line breaks, the end of the file, marks, tabs.
func TestApplyKeepsBytes(t *testing.T) {
	const changes = "[a, c] = {d: 1}\n[b] = \"x\\ny\\n\"\n[a, d]"
	for before, want := range map[string]string{
		"a:\r\n  d: 0 # 0\r\n  b: 1\r\n":     "a:\r\n  b: 1\r\n  c: {d: 1}\r\nb: |\r\n  x\r\n  y\r\n",
		"\ufeffa:\n  d: 0\n  b: 1\n":         "\ufeffa:\n  b: 1\n  c: {d: 1}\nb: |\n  x\n  y\n",
		"\ufeffa: {d: 0, b: 1}\r\n":          "\ufeffa: {b: 1, c: {d: 1}}\r\nb: |\r\n  x\r\n  y\r\n",
		"a:\n  d: 0\n  b: é # é\t#\té\n":     "a:\n  b: é # é\t#\té\n  c: {d: 1}\nb: |\n  x\n  y\n",
		"a:\n  d: \t0\t# 0\n  b:\t1 \n  \n":  "a:\n  b:\t1 \n  c: {d: 1}\nb: |\n  x\n  y\n  \n",
		"b: 1\na:\n  \"é\": 2\n  d: 0":       "b: |\n  x\n  y\na:\n  \"é\": 2\n  c: {d: 1}",
		"b: old\r\na: {\r\n d: 0,\r\n e: 1}": "b: |\r\n  x\r\n  y\r\na: {\r\n e: 1,\r\n c: {d: 1}}",
	} {
		got, err := edit.Apply(name, []byte(before), changesOf(t, changes)...)
		require.NoError(t, err, "%q", before)
		require.Equal(t, want, string(got), "%q", before)
	}
}

// A text that ends with a block scalar cannot grow without changing that scalar.
func TestApplyAtTheEndOfALiteral(t *testing.T) {
	for before, want := range map[string]string{
		"a: |\n  x\n":   "a: |\n  x\nb: 1\n",
		"a: |-\n  x":    "a: |-\n  x\nb: 1",
		"a: |\n  x":     "",
		"a: >\n  x":     "",
		"a: |\n  x\n  ": "a: |\n  x\nb: 1\n  ",
	} {
		got, err := edit.Apply(name, []byte(before), changesOf(t, "[b] = 1")...)
		require.Equal(t, want == "", err != nil, before)
		require.Equal(t, want, string(got), before)
	}
}
