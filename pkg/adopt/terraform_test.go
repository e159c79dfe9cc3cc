package adopt_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/exports"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// resources returns objects as resources of a type, in the two JSON formats of Terraform.
func resources(t *testing.T, objects []manifest.Object, kind string, attributes func(manifest.Object) any) [][]byte {
	t.Helper()
	var shown, instances []any
	for i, o := range objects {
		values := attributes(o)
		shown = append(shown, map[string]any{
			"address": kind + ".vm", "index": i, "mode": "managed", "type": kind, "values": values,
		})
		instances = append(instances, map[string]any{"index_key": i, "attributes": values})
	}
	root := map[string]any{"root_module": map[string]any{"resources": shown}}
	var out [][]byte
	for _, file := range []map[string]any{
		{"format_version": "1.0", "values": root},
		{"format_version": "1.2", "planned_values": root},
		{"version": 4, "resources": []any{
			map[string]any{"mode": "managed", "type": kind, "name": "vm", "instances": instances},
		}},
	} {
		text, err := json.Marshal(file)
		require.NoError(t, err)
		out = append(out, text)
	}
	return out
}

// TestTerraformIsItsYAML checks that import reads of a state or a plan the same objects as of their manifests, so that
// it writes the same values: those of the corpus, except Secrets, which are not read.
func TestTerraformIsItsYAML(t *testing.T) {
	forms := map[string]func(manifest.Object) any{
		"kubernetes_manifest": func(o manifest.Object) any {
			of := map[string]any{"value": o.Tree(), "type": "dynamic"}
			return map[string]any{"object": of, "manifest": map[string]any{"kind": "not read"}}
		},
		"kubectl_manifest": func(o manifest.Object) any {
			return map[string]any{"yaml_body": string(manifest.AppendYAML(nil, o.JSON))}
		},
	}
	for _, file := range files(t) {
		objects := slices.DeleteFunc(read(t, file), func(o manifest.Object) bool { return o.Kind == "Secret" })
		for kind, attributes := range forms {
			for _, text := range resources(t, objects, kind, attributes) {
				s := exports.ReadTerraform(bytes.NewReader(text))
				require.Empty(t, s.Problems, file)
				var managed []manifest.Object
				for _, o := range s.Objects {
					managed = append(managed, o.Object)
				}
				require.Equal(t, objects, managed, file)
			}
		}
	}
}

func TestNoteOrigins(t *testing.T) {
	vms := []*adopt.Machine{
		{
			ID: manifest.ID{Namespace: "a", Name: "web"}, Differences: []string{`spec.x: "hunter2", becomes nothing`},
			Notes: []adopt.Note{{Text: "spec.y: set; it is hunter2, and was not there"}},
		},
		{ID: manifest.ID{Namespace: "a", Name: "db"}, Refused: "memory: hunter2 is no size"},
		{ID: manifest.ID{Namespace: "a", Name: "other"}, Differences: []string{"spec.x: 1, becomes 2"}},
		{ID: manifest.ID{Namespace: "a", Name: "app"}},
	}
	adopt.NoteOrigins(vms, map[string]adopt.Origin{
		"a/web": {
			File: "s.json", Address: `module.m["it's]"].kubernetes_manifest.vm[0]`, Sensitive: true,
			Disks: []string{"kubectl_manifest.shared", "kubectl_manifest.root"},
		},
		"a/db": {
			File: "s.json", Address: "kubernetes_manifest.db", Sensitive: true,
			Disks: []string{"kubernetes_manifest.db-root"},
		},
		"a/app": {
			File: "s.json", Address: `module.m["b"].kubernetes_manifest.vm["x"]`,
			Disks: []string{"kubectl_manifest.shared"},
		},
	})
	require.Equal(t, []string{"spec.x: differs; values are not shown"}, vms[0].Differences)
	require.Equal(t, []string{"spec.x: 1, becomes 2"}, vms[2].Differences)
	require.Empty(t, vms[2].Notes)
	require.Equal(t, "Terraform manages the VM: s.json: kubernetes_manifest.db", vms[1].Notes[1].Text)
	require.Empty(t, vms[1].Notes[1].Steps)
	require.Contains(t, vms[1].Refused, "is not shown")
	require.Equal(t, "spec.y: changed in the cluster; values are not shown", vms[0].Notes[0].Text)
	steps := vms[0].Notes[2].Steps
	require.Equal(t, steps, vms[3].Notes[0].Steps, "once for all VMs")
	require.Contains(t, steps, "\n  terraform state rm 'kubectl_manifest.root' 'kubectl_manifest.shared' "+
		`'module.m["b"].kubernetes_manifest.vm["x"]' 'module.m["it'\''s]"].kubernetes_manifest.vm[0]'`+"\n")
	require.Equal(t, 1, strings.Count(steps, "removed {\n    from = module.m.kubernetes_manifest.vm\n    lifecycle {\n"+
		"      destroy = false\n"), "the block has no keys of instances")
	require.NotContains(t, steps, "kubernetes_manifest.db")
}
