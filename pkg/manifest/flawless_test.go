package manifest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// TestReadFlawless checks that objects that are read in one pass are those of the precise way, in files of YAML and
// as Lists of JSON.
func TestReadFlawless(t *testing.T) {
	var files []string
	for _, pattern := range []string{
		"testdata/*/*.in.*", "../plan/testdata/*/*.yaml", "../status/testdata/*.yaml", "../adopt/testdata/*/*.yaml",
		"../../examples/*/*/*.yaml",
	} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	require.Greater(t, len(files), 100)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		objects := requireReadPrecisely(t, text)
		if len(objects) == 0 {
			continue
		}
		var list strings.Builder
		for _, o := range objects {
			fmt.Fprintf(&list, ",\n    %s", o.JSON)
		}
		inList := `{"items": [` + list.String()[1:] + `], "kind": "List", "apiVersion": "v1"}`
		require.Equal(t, objects, requireReadPrecisely(t, []byte(inList)), file)
	}
}

// requireReadPrecisely reads a text in all ways, which must return the same, and returns its objects.
func requireReadPrecisely(t *testing.T, text []byte) []manifest.Object {
	t.Helper()
	want, wantErr := manifest.ReadPrecisely(bytes.Clone(text))
	got, err := manifest.Read(bytes.NewReader(text))
	trees, treesErr := manifest.Reader{Trees: true}.Read(bytes.NewReader(text))
	require.Equal(t, wantErr, err)
	require.Equal(t, wantErr, treesErr)
	require.Equal(t, want, got)
	require.Len(t, trees, len(want))
	for i, o := range trees {
		require.Nil(t, o.JSON)
		require.Equal(t, want[i].ID, o.ID)
		require.Equal(t, manifest.Decode(want[i].JSON), o.Tree())
		canonical, err := o.Canonical()
		require.NoError(t, err)
		require.Equal(t, string(want[i].JSON), string(canonical.JSON))
	}
	return want
}

// FuzzReadFlawless does the same for any text.
func FuzzReadFlawless(f *testing.F) {
	const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}`
	for _, text := range []string{
		pod + `}`, pod + `,"x":null,"l":[null,{"y":null}],"n":1e2,"m":-0.0}` + pod + `}`, pod + `,"kind":"Pod"}`,
		pod + `,"x":null,"x":1}`, pod + `,"n":1e999}`, pod + `,"\u006bind":"x"}`, pod + `,"items":[` + pod + `}]}`,
		`{"kind":"PodList","items":null}`, pod + `,"items":null}`, pod + `} null`, pod + `} 1`, pod + `},`, pod,
		`{"items":[null]}`, `{"items":[{"items":[` + pod + `}]},` + pod + `}]}`, `{"items":{},"kind":"List"}`,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"a-","namespace":"b"}}`, `{"kind":1}`,
		pod + `,"s":"\ud800 \u2028 \n"}`, "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nn: 0x10\n", `{kind: Pod}`,
		`{"items":[` + pod + `}],"items":[]}`, pod + `,"n":-0}`, pod + "}\n---\n" + pod + `,"n":1.50}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if utf8.Valid(text) { // what is not is no document in any way
			requireReadPrecisely(t, text)
		}
	})
}
