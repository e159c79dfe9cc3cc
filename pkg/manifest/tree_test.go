package manifest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/manifest"
)

func TestTree(t *testing.T) {
	tree := manifest.Object{JSON: []byte(`{
		"spec": {"cores": 18446744073709551615, "os": "rhel9"},
		"disks": [{"name": "root", "bus": "virtio"}, {"metadata": {"name": "data"}, "bus": "scsi"}],
		"args": ["a", "b"],
		"twins": [{"name": "x"}, {"name": "x"}]
	}`)}.Tree()
	require.Equal(t, json.Number("18446744073709551615"), manifest.At(tree, "spec", "cores"), "numbers stay as written")
	require.Equal(t, "rhel9", manifest.Text(tree, "spec", "os"))
	require.Empty(t, manifest.Text(tree, "spec", "cores"), "not a string")
	require.Nil(t, manifest.At(tree, "spec", "os", "name"), "within a string")
	require.Equal(t, "virtio", manifest.Text(tree, "disks", "[root]", "bus"))
	require.Equal(t, "scsi", manifest.Text(tree, "disks", "[data]", "bus"), "named in its metadata")
	require.Equal(t, []any{"a", "b"}, manifest.List(tree, "args"))
	require.Nil(t, manifest.At(tree, "args", "[a]"), "entries without names")
	require.Equal(t, manifest.Tree{"name": "root", "bus": "virtio"}, manifest.Map(tree, "disks", "[root]"))
	_, distinct := manifest.Keyed(manifest.List(tree, "twins"))
	require.False(t, distinct)
	require.Nil(t, manifest.Decode([]byte(`[]`)))
	require.Nil(t, manifest.Decode([]byte(`{`)))
}
