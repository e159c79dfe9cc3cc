package manifest_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// FuzzDecode compares the decoder with that of encoding/json, and what [manifest.Read] writes with what
// [manifest.Encode] writes.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`{}`, ` {"a" : [1, -0.5e+3, true, false, null, "x\u00e9\n\"", {}] } `, `{"a":1}x`, `{"a":01}`, `{"a":-}`,
		`{"a":1.}`,
		`{"a":1e}`, `{"a":"` + "\x01" + `"}`, `{"a":"` + "\xff" + `"}`, `{"a":"\ud800"}`, `{"a":"\x"}`,
		`{"a":1,"a":2}`, `{,}`,
		`{"a"}`, `{"a":}`, `[1]`, `{"a":[1,]}`, `{"a":tru}`, `{"metadata":{"name":"x"}}`, `{"a":1E9,"b":-0}`,
		`{"a":"`, `{"a":"\`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var want manifest.Tree
		if d.Decode(&want) != nil || d.More() || !json.Valid(text) {
			want = nil
		}
		require.Equal(t, want, manifest.Decode(text))
		if want == nil {
			return
		}
		want["apiVersion"], want["kind"], want["metadata"] = "v1", "X", manifest.Tree{"name": "x"}
		delete(want, "items") // which makes it a list
		encoded, err := manifest.Encode(nil, want)
		object, errTree := manifest.Object{JSON: mustJSON(t, want)}.Canonical()
		require.Equal(t, err == nil, errTree == nil)
		require.Equal(t, string(encoded), string(object.JSON))
	})
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return text
}
