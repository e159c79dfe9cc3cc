package manifest_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// TestReadGolden lists what was read from each file: objects, or problems.
func TestReadGolden(t *testing.T) {
	inputs(t, "read/*.in.yaml", func(t *testing.T, name string, text []byte) {
		objects, err := manifest.Read(bytes.NewReader(text))
		var out bytes.Buffer
		for _, o := range objects {
			fmt.Fprintf(&out, "%s %v\n%s\n", o.APIVersion, o.ID, o.JSON)
		}
		if err != nil {
			require.Empty(t, objects)
			fmt.Fprintln(&out, err)
		}
		golden(t, name, "txt", out.Bytes())
	})
}

func TestReadError(t *testing.T) {
	_, err := manifest.Read(strings.NewReader("---\n\n---\nkind: Pod\napiVersion: v1\n"))
	var problem *manifest.ReadError
	require.ErrorAs(t, err, &problem)
	require.Equal(t, 1, problem.Document)
	require.Equal(t, 4, problem.Line)

	broken := errors.New("broken pipe")
	_, err = manifest.Read(iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
}

func TestReadNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "---\n", "# only a comment\n---\n...\n", "null\n", "\ufeff", "{\"items\":[]}"} {
		objects, err := manifest.Read(strings.NewReader(text))
		require.NoError(t, err, "%q", text)
		require.Empty(t, objects, "%q", text)
	}
}

// TestReadOrderOfKeys: the same object in different words has the same bytes.
func TestReadOrderOfKeys(t *testing.T) {
	objects, err := manifest.Read(strings.NewReader(`
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"x":"1","z":"é"}},"size":10}
{"size": 1e1, "metadata":{"labels":{"z":"\u00e9","x":"1"},"name":"a","creationTimestamp":null}, "kind":"ConfigMap","apiVersion":"v1"}
---
metadata: {labels: {z: é, x: '1'}, name: a}
apiVersion: v1
kind: ConfigMap
size: 10.0
`))
	require.NoError(t, err)
	require.Len(t, objects, 3)
	require.Equal(t, objects[0], objects[1])
	require.Equal(t, objects[0], objects[2])
}

// TestReadWhatWasWritten takes typed objects through both formats.
func TestReadWhatWasWritten(t *testing.T) {
	inputs(t, "objects/*.in.yaml", func(t *testing.T, _ string, text []byte) {
		v := typed(t, text)
		original, err := manifest.New(v)
		require.NoError(t, err)
		direct, err := manifest.Read(bytes.NewReader(original.JSON))
		require.NoError(t, err)
		for _, format := range []manifest.Format{manifest.YAML, manifest.JSON} {
			var out bytes.Buffer
			w := manifest.NewWriter(&out, format)
			require.NoError(t, w.Encode(v))
			require.NoError(t, w.Write(original.JSON))
			require.NoError(t, w.Close())
			objects, err := manifest.Read(&out)
			require.NoError(t, err)
			require.Len(t, objects, 2)
			require.Equal(t, original.ID, objects[0].ID)
			require.Equal(t, direct[0], objects[0])
			require.Equal(t, direct[0], objects[1])
		}
	})
}

// FuzzRead: whatever is read can be written and read again, and stays the same.
func FuzzRead(f *testing.F) {
	f.Add([]byte("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n{\"items\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"}}]}\n"))
	f.Add([]byte("%YAML 1.1\n---\n- {\n...\n{\"a\":1,\"a\":2}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		objects, err := manifest.Read(bytes.NewReader(bytes.Clone(text)))
		if err != nil {
			var problem *manifest.ReadError
			require.ErrorAs(t, err, &problem)
			require.Positive(t, problem.Document)
			require.LessOrEqual(t, problem.Line, bytes.Count(text, []byte("\n"))+2)
			return
		}
		for _, format := range []manifest.Format{manifest.YAML, manifest.JSON} {
			var out bytes.Buffer
			w := manifest.NewWriter(&out, format)
			for _, o := range objects {
				require.NoError(t, w.Write(o.JSON))
			}
			require.NoError(t, w.Close())
			written := out.String()
			again, err := manifest.Read(&out)
			require.NoError(t, err, written)
			require.Equal(t, objects, again, written)
		}
	})
}
