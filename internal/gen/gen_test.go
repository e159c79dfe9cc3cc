package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/source"
)

// generated returns all files and changes to the repository's root.
func generated(t *testing.T) map[string][]byte {
	t.Helper()
	t.Chdir("../..")
	files, err := generate()
	require.NoError(t, err)
	return files
}

func TestGeneratedFilesAreCurrent(t *testing.T) {
	for name, want := range generated(t) {
		got, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "%s is stale; run \"make generate\"", name)
	}
}

func TestRootIsFoundFromBelow(t *testing.T) {
	want, err := filepath.Abs("../..")
	require.NoError(t, err)
	t.Chdir("../../pkg/fleet")
	require.NoError(t, enterRoot())
	got, err := os.Getwd()
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// Types decode themselves only if they have a short form, except patches, which validate
// themselves.
func TestShortFormsAreKnown(t *testing.T) {
	decoder := reflect.TypeFor[source.NodeDecoder]()
	patches := []reflect.Type{reflect.TypeFor[patch.Operation](), reflect.TypeFor[layers.Patch]()}
	for _, kind := range fileKinds {
		for _, typ := range typesBelow(kind.of) {
			if reflect.PointerTo(typ).Implements(decoder) && ownForm(typ) == nil && !slices.Contains(patches, typ) {
				require.Contains(t, shortForms, typ)
			}
		}
	}
}

// typesBelow returns the types of all keys below t, at any depth.
func typesBelow(t reflect.Type) []reflect.Type {
	var all []reflect.Type
	collect := func(t reflect.Type) {
		for _, k := range keysOf(t) {
			inner, _ := target(k.field.Type, "")
			all = append(all, inner)
		}
	}
	collect(t)
	walk(t, "", func(t reflect.Type, _ string) bool {
		collect(t)
		return true
	})
	return all
}

func TestEveryKeyHasAComment(t *testing.T) {
	t.Chdir("../..")
	comments, err := readComments()
	require.NoError(t, err)
	check := func(typ reflect.Type, path string) bool {
		for _, k := range keysOf(typ) {
			require.NotEmpty(t, comments.of(k.of, k.field.Name), "%s has no comment", join(path, k.name))
		}
		return true
	}
	for _, kind := range fileKinds {
		check(kind.of, "")
		walk(kind.of, "", check)
	}
}

var heading = regexp.MustCompile(`(?m)^#+ (.*)$`)

// Headings of the reference are unique, so that every link leads to the right one.
func TestHeadingsAreUnique(t *testing.T) {
	files := generated(t)
	for _, name := range []string{"docs/reference/values.md", "docs/reference/catalog.md"} {
		anchors := map[string]bool{}
		for _, h := range heading.FindAllStringSubmatch(withoutBlocks(string(files[name])), -1) {
			a := anchor(h[1])
			require.False(t, anchors[a], "%s has two headings %q", name, a)
			anchors[a] = true
		}
	}
}

var block = regexp.MustCompile("(?ms)^```yaml\n# ([^\n]+)\n(.*?)^```$")

func withoutBlocks(text string) string { return block.ReplaceAllString(text, "") }

// The examples on the page about files belong to one fleet.
func TestDocumentedFleetLoads(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/fleet-files.md")
	require.NoError(t, err)
	text := string(page)
	blocks := block.FindAllStringSubmatch(text, -1)
	require.Len(t, blocks, strings.Count(text, "```yaml"), "every example starts with a comment that names its file")
	dir := t.TempDir()
	for _, b := range blocks {
		path := filepath.Join(dir, b[1])
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(b[2]), 0o644))
	}
	f, diags := inventory.Load(dir, fleet.Options{})
	require.Empty(t, diags.Sorted())
	var names []string
	for _, m := range f.Machines {
		names = append(names, m.Namespace+"/"+m.Name)
	}
	require.Equal(t, []string{"lists/proxy", "lists/store", "prod/db", "prod/web-0", "prod/web-1"}, names)
}
