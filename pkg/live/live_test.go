package live

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/compare"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rollout"
	"github.com/vmrender/vmrender/pkg/world"
)

const vm = `{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "db", "namespace": "prod",
"creationTimestamp": "2026-01-02T03:04:05Z"}}`

// TestReadExport checks what is said of an export, and that one without objects is a problem, not an empty cluster.
func TestReadExport(t *testing.T) {
	stdin := Source{From: "-"}
	size := 0
	s, err := stdin.Read(t.Context(), Input{Stdin: strings.NewReader(vm), Room: func(n int) { size += n }}, nil)
	require.NoError(t, err)
	require.Empty(t, s.Diags.Sorted())
	require.Len(t, s.Objects, 1)
	require.Positive(t, size)
	require.Empty(t, s.Unknown())
	require.Equal(t, []string{"compared with the export on standard input, whose newest time is 2026-01-02T03:04:05Z; " +
		"its settings count: kubevirt 1.6"}, s.Notes([]string{"kubevirt 1.6"}))
	s.Unread = []string{"nodes", "pods"}
	require.Equal(t, []string{"what may not be read in the cluster: nodes, pods"}, s.Unknown())

	s, err = stdin.Read(t.Context(), Input{Stdin: strings.NewReader("items: []\nkind: List\napiVersion: v1\n")}, nil)
	require.NoError(t, err)
	require.Len(t, s.Diags.Sorted(), 1)
	require.Contains(t, s.Diags.Sorted()[0].Message, "no objects; expected an export")

	none := Source{}
	s, err = none.Read(t.Context(), Input{}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"the state in the cluster"}, s.Unknown())
	require.Empty(t, s.Notes(nil))
}

// TestOf checks that the namespaces of VMs are read, and of the layers exactly what they render.
func TestOf(t *testing.T) {
	id := func(kind, namespace, name string) manifest.Object {
		return manifest.Object{ID: manifest.ID{APIVersion: "v1", Kind: kind, Namespace: namespace, Name: name}}
	}
	git := []compare.Loaded{
		{Objects: []manifest.Object{
			id("VirtualMachine", "b", "x"), id("DataVolume", "a", "x"), id("Service", "other", "x"),
			id("VirtualMachine", "", "x"), id("VirtualMachine", "b", "y"),
		}},
		{Layers: &world.Layers{}, Objects: []manifest.Object{id("ConfigMap", "c", "z"), id("ConfigMap", "c", "z")}},
	}
	require.Equal(t, []string{"a", "b"}, namespacesOf(git))
	require.Equal(t, []rollout.Wanted{{ID: git[1].Objects[0].ID}}, layersOf(git))
}
