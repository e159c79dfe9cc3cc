package source

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
)

// requireGolden compares got with the golden file next to an input file.
func requireGolden(t *testing.T, input, got string) {
	t.Helper()
	golden.Equal(t, strings.TrimSuffix(input, ".yaml")+".golden", got)
}

// eachInput runs a test for every YAML file of a directory.
func eachInput(t *testing.T, dir string, test func(t *testing.T, path string, file *File)) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			test(t, path, &File{Name: "f.yaml", Data: data})
		})
	}
}

// dump writes one line per value: position, kind, text, and the style of scalars that are
// not plain.
func dump(b *strings.Builder, n *Node, indent, label string) {
	kind := [...]string{"null", "bool", "int", "float", "string", "map", "list"}[n.Kind]
	if n.Style != Plain {
		kind += [...]string{"", " '", ` "`, " |", " >"}[n.Style]
	}
	fmt.Fprintf(b, "%s%s %d:%d %s", indent, label, n.Line, n.Col, kind)
	if n.Kind < Map {
		fmt.Fprintf(b, " %q", n.Text)
	}
	if note := n.Ambiguous(); note != "" {
		b.WriteString(" — " + note)
	}
	b.WriteByte('\n')
	for _, f := range n.Fields {
		dump(b, f.Value, indent+"  ", fmt.Sprintf("%s@%d:%d", f.Key, f.Line, f.Col))
	}
	for _, item := range n.Items {
		dump(b, item, indent+"  ", "-")
	}
}

func TestParseTrees(t *testing.T) {
	eachInput(t, "testdata/trees", func(t *testing.T, path string, file *File) {
		var diags Diagnostics
		var b strings.Builder
		for _, doc := range Parse(file, &diags) {
			dump(&b, doc, "", "document")
		}
		require.Empty(t, diags.Sorted())
		requireGolden(t, path, b.String())
	})
}

func TestParseErrors(t *testing.T) {
	eachInput(t, "testdata/errors", func(t *testing.T, path string, file *File) {
		var diags Diagnostics
		docs := Parse(file, &diags)
		require.True(t, diags.HasErrors())
		requireGolden(t, path, lines(&diags)+fmt.Sprintf("%d documents\n", len(docs)))
	})
}

func lines(diags *Diagnostics) string {
	var b strings.Builder
	for _, d := range diags.Sorted() {
		fmt.Fprintf(&b, "%s [%s]\n", d, d.Rule)
	}
	return b.String()
}

func TestParseLimits(t *testing.T) {
	var diags Diagnostics
	docs := Parse(&File{Name: "f.yaml", Data: make([]byte, MaxFileSize+1)}, &diags)
	require.Empty(t, docs)
	require.Equal(t, "f.yaml: the file has 33554433 bytes; at most 33554432 are accepted [file-size]\n", lines(&diags))

	diags = Diagnostics{}
	largest := append([]byte("a: 1 #"), bytes.Repeat([]byte("x"), MaxFileSize-6)...)
	require.Len(t, Parse(&File{Name: "f.yaml", Data: largest}, &diags), 1)
	require.Empty(t, diags.Sorted())

	for depth, problem := range map[int]string{
		MaxDepth:     "",
		MaxDepth + 1: "f.yaml:1:103: a[0][0][0]: maps and lists are nested deeper than 100 levels [depth]\n",
	} {
		diags = Diagnostics{}
		Parse(&File{Name: "f.yaml", Data: []byte("a: " + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1))},
			&diags)
		require.Equal(t, problem, lines(&diags))
	}
}

func TestParseSharesAliases(t *testing.T) {
	doc := parse(t, "a: &x {b: 1}\nc: *x\n")
	require.Same(t, doc.Get("a"), doc.Get("c"))
}

// Many VMs may refer to one anchor. Only excessive growth is rejected.
func TestParseManyAliases(t *testing.T) {
	text := "base: &base {a: 1, b: 2, c: [1, 2, 3, 4]}\n"
	var b strings.Builder
	b.WriteString(text)
	for i := range 2000 {
		fmt.Fprintf(&b, "vm%d: {<<: *base, id: %d}\n", i, i)
	}
	require.Len(t, parse(t, b.String()).Fields, 2001)
}

func TestParseCRLF(t *testing.T) {
	for _, text := range []string{flatFile, fleetFile} {
		var lf, crlf strings.Builder
		dump(&lf, parse(t, text), "", "")
		dump(&crlf, parse(t, strings.ReplaceAll(text, "\n", "\r\n")), "", "")
		require.Equal(t, lf.String(), crlf.String())
	}
}

// parse returns the first document of a text without problems.
func parse(t testing.TB, text string) *Node {
	t.Helper()
	var diags Diagnostics
	docs := Parse(&File{Name: "f.yaml", Data: []byte(text)}, &diags)
	require.Empty(t, lines(&diags))
	return docs[0]
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var diags Diagnostics
		docs := Parse(&File{Name: "f", Data: []byte(text)}, &diags)
		require.True(t, len(docs) > 0 || diags.HasErrors(), "neither a document nor an error")
		lines := strings.Count(text, "\n") + 1
		for _, d := range diags.Sorted() {
			require.LessOrEqual(t, d.Line, lines, d.String())
			require.NotEmpty(t, d.Message)
		}
		for _, doc := range docs {
			AppendJSON(nil, doc)
		}
	})
}
