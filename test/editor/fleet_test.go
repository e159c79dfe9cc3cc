package editor

import (
	"context"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// kinds maps file names to the kinds of files that have schemas.
var kinds = map[string]string{
	"fleet.yaml": "fleet", "_defaults.yaml": "defaults", "platform.yaml": "platform",
}

// overlays are the directories with overlays in the examples.
var overlays = []string{"env", ".overlays"}

// fleet is a directory that an editor has open, with schemas that the product wrote.
type fleet struct {
	t    *testing.T
	root string
}

// open copies a directory of the examples and writes the schemas to it.
func open(t *testing.T, example string) fleet {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.CopyFS(root, os.DirFS(filepath.Join("../../examples", example))))
	require.NoError(t, command(root, product, "schema", "--write", "."))
	return fleet{t, root}
}

// kindOf returns the kind of a file of a fleet.
func kindOf(name string) string {
	if kind := kinds[path.Base(name)]; kind != "" {
		return kind
	}
	if slices.Contains(overlays, path.Base(path.Dir(name))) {
		return "overlay"
	}
	return "vms"
}

// modeline returns the first line of a file of a fleet. It names the schema, as in the files that
// `vmrender init` writes.
func modeline(name string) string {
	up := strings.Repeat("../", strings.Count(name, "/"))
	return "# yaml-language-server: $schema=" + up + ".vmrender/schema/" + kindOf(name) + ".schema.json\n"
}

// show opens a text in place of a file of the fleet. It returns a URI and the problems that the
// language server finds in the text. The URI is named after the test, so that tests can show texts
// in place of one file at the same time.
func (f fleet) show(name, text string) (string, []diagnostic) {
	f.t.Helper()
	base := strings.ReplaceAll(f.t.Name(), "/", "-") + ".yaml"
	file := url.URL{Scheme: "file", Path: filepath.Join(f.root, filepath.Dir(name), base)}
	found, err := language.open(f.patiently(), file.String(), modeline(name)+text)
	require.NoError(f.t, err)
	return file.String(), found
}

// patiently returns a context that ends with the test, or sooner.
func (f fleet) patiently() context.Context {
	ctx, cancel := context.WithTimeout(f.t.Context(), patience)
	f.t.Cleanup(cancel)
	return ctx
}

// caret marks a place in a text.
const caret = "‸"

// place opens a text with a caret in place of a file of the fleet, and returns the position of the caret.
func (f fleet) place(name, text string) (string, position) {
	f.t.Helper()
	before, after, ok := strings.Cut(text, caret)
	require.True(f.t, ok, "no caret")
	uri, _ := f.show(name, before+after)
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return uri, position{Line: strings.Count(before, "\n") + 1, Character: len(line)}
}

// proposed returns the language server's proposals at the caret, by label.
func (f fleet) proposed(name, text string) map[string]item {
	f.t.Helper()
	uri, p := f.place(name, text)
	items, err := language.complete(f.patiently(), uri, p)
	require.NoError(f.t, err)
	byLabel := map[string]item{}
	for _, i := range items {
		byLabel[i.Label] = i
	}
	return byLabel
}

// told returns the language server's text about the element at the caret.
func (f fleet) told(name, text string) string {
	f.t.Helper()
	uri, p := f.place(name, text)
	text, err := language.hover(f.patiently(), uri, p)
	require.NoError(f.t, err)
	return text
}

// roots returns the directories of the examples with a fleet or a platform.
func roots(t *testing.T) []string {
	t.Helper()
	var found []string
	require.NoError(t, fs.WalkDir(os.DirFS("../../examples"), ".", func(name string, _ fs.DirEntry, err error) error {
		if base := path.Base(name); base == "fleet.yaml" || base == "platform.yaml" {
			found = append(found, path.Dir(name))
		}
		return err
	}))
	return slices.Compact(found)
}

// files returns the files of a directory that have schemas: all YAML files of a fleet, and the
// platform.yaml of a platform, whose other files belong to its charts.
func (f fleet) files() []string {
	f.t.Helper()
	_, err := os.Stat(filepath.Join(f.root, "fleet.yaml"))
	isFleet := err == nil
	var found []string
	require.NoError(f.t, fs.WalkDir(os.DirFS(f.root), ".", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".yaml" && (isFleet || name == "platform.yaml") {
			found = append(found, name)
		}
		return err
	}))
	return found
}
