package render_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
)

// Argo CD reads, compares and stores every byte of a manifest. Few bytes of a VM are not caused by a value of
// the user: our labels and annotations, and defaults that are written anyway. Of them, 35 are the wave, also where it
// is 0, and 35 say what a change does to the VM, which users and other tools read on every VM.
func TestBytesThatNobodyAskedFor(t *testing.T) {
	header, err := os.ReadFile(filepath.Join("..", "..", "test", "bench", "fleet.yaml"))
	require.NoError(t, err)
	bench := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bench, "fleet.yaml"), header, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(bench, "vms.yaml"), []byte(`vms:
  vm-000001: {os: rhel9, cpu: 4, memory: 16Gi, nics: [pod, vlan2001], vars: {team: search},
    disks: {root: {size: 40Gi, storageClass: ceph}, data0: {size: 20Gi, storageClass: ceph}}}
`), 0o600))
	for name, test := range map[string]struct {
		dir  string
		most int
	}{
		"pets":                         {filepath.Join("..", "..", "examples", "first"), 210},
		"cattle that Argo CD replaces": {bench, 200},
	} {
		t.Run(name, func(t *testing.T) {
			vms := 0
			for _, o := range objectsIn(t, test.dir) {
				if o["kind"] != "VirtualMachine" {
					continue
				}
				vms++
				whole := size(t, o)
				dropOurs(o)
				ours := whole - size(t, o)
				require.Positive(t, ours)
				require.LessOrEqual(t, ours, test.most, "of %d bytes", whole)
			}
			require.Equal(t, 1, vms)
		})
	}
}

// defaults are the redundant values: the defaults of KubeVirt (kubevirt.io/api v1.9, core/v1/schema.go, CPU and
// Features) and of Argo CD.
var defaults = map[string]any{
	"cores": 1.0, "threads": 1.0, "sockets": 1.0, "acpi": map[string]any{}, argocd.SyncWaveAnnotation: "0",
}

// dropOurs removes the parts of a manifest that no value of the user has caused.
func dropOurs(o map[string]any) {
	for key, value := range o {
		switch inner := value.(type) {
		case map[string]any:
			dropOurs(inner)
			if key == "labels" || key == "annotations" {
				dropKeys(inner)
				if len(inner) == 0 {
					delete(o, key)
				}
			}
		case []any:
			for _, item := range inner {
				if fields, ok := item.(map[string]any); ok {
					dropOurs(fields)
				}
			}
		}
		if nothing, ok := defaults[key]; ok && reflect.DeepEqual(value, nothing) {
			delete(o, key)
		}
	}
}

func dropKeys(metadata map[string]any) {
	for key := range metadata {
		if key == "app" || key == labels.ManagedBy || labels.IsReserved(key) {
			delete(metadata, key)
		}
	}
}

func size(t *testing.T, o any) int {
	t.Helper()
	text, err := json.Marshal(o)
	require.NoError(t, err)
	return len(text)
}

// objectsIn returns the objects of a fleet.
func objectsIn(t *testing.T, dir string) []map[string]any {
	t.Helper()
	c := render.NewCollector()
	_, diags := inventory.Visit(dir, fleet.Options{}, c.Visit)
	all := c.Rendered(diags)
	require.False(t, diags.HasErrors(), diags.Sorted())
	var out bytes.Buffer
	w := manifest.NewWriter(&out, manifest.JSON)
	require.NoError(t, render.Write(w, all...))
	require.NoError(t, w.Close())
	var list struct{ Items []map[string]any }
	require.NoError(t, json.Unmarshal(out.Bytes(), &list))
	return list.Items
}
