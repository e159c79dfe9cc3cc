package patch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/source"
)

func TestFromJSON(t *testing.T) {
	at := source.At(source.Pos{File: "f.yaml", Line: 4, Col: 7})
	for _, text := range []string{
		`{"a":{"b":[1,-2.50,1e9,"x\n\u0001é😀",true,false,null]}}`,
		`[{},[],"",123456789012345678901234567890]`,
		`{"z":1,"a":{"y":2,"b":3,"x":[{"q":4,"c":5}]},"m":{}}`,
		`"yes"`,
		`null`,
	} {
		n, err := patch.FromJSON([]byte(text), at)
		require.NoError(t, err)
		require.Equal(t, text, string(source.AppendJSON(nil, n)))
	}
	n, err := patch.FromJSON([]byte(`{"a":{"b":[1,2.5,"0123"]}}`), at)
	require.NoError(t, err)
	b := n.Get("a", "b")
	for _, p := range []source.Pos{n.Pos(), n.Field("a").Pos(), b.Pos(), b.Items[2].Pos()} {
		require.Equal(t, "f.yaml:4:7", p.String())
	}
	require.Equal(t, []source.Kind{source.Int, source.Float, source.String},
		[]source.Kind{b.Items[0].Kind, b.Items[1].Kind, b.Items[2].Kind})
	require.Empty(t, b.Items[2].Ambiguous(), "JSON has no scalars without quotes")

	_, err = patch.FromJSON([]byte(`{"a":`), at)
	require.Error(t, err)
}
