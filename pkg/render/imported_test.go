package render_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/source"
)

// importable are markers in the place of those that no VM of this test can have.
var importable = map[string]marker{
	"accessCredentials": {[]any{keys{"sshPublicKey": keys{
		"source":            keys{"secret": keys{"secretName": "s"}},
		"propagationMethod": keys{"qemuGuestAgent": keys{"users": []any{"a"}}},
	}}}, nil},
	"cpu.realtime": {true, keys{
		"cpu": keys{"cores": 2, "dedicated": true, "numa": true}, "memory": keys{"guest": "4Gi", "hugepages": "2Mi"},
	}},
	"flavor":             {"small", nil},
	"readinessProbe":     {keys{"guestAgentPing": keys{}, "periodSeconds": 7}, nil},
	"livenessProbe":      {keys{"guestAgentPing": keys{}, "periodSeconds": 7}, nil},
	"resources.limits.*": {value: nil}, "resources.requests.*": {value: nil}, // see the rows below
	"resources.limits.memory": {"8Gi", nil}, "resources.requests.memory": {"5Gi", nil},
	"sysprep.secret":    {"s", keys{"os": "windows2022"}},
	"sysprep.configMap": {"s", keys{"os": "windows2022"}},
	"disks.*.source.sysprep": {
		true, keys{"os": "windows2022", "sysprep": keys{"secret": "s"}, "disks": keys{"data": keys{}}},
	},
	"disks.*.source.blank": {value: nil}, "disks.*.source": {"blank", disk(keys{"size": "5Gi"})},
	"lifecycle.protect": {value: nil}, // which an import sets for all
	"topologySpreadConstraints": {[]any{keys{
		"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
	}}, nil},
	"patches[].op": {value: nil}, "running": {true, keys{"adopted": true}}, "adopted": {true, keys{"running": true}},
	"consoleLabels": {false, nil},
}

// TestImportFindsEveryKey sets each key of a VM, renders it, and imports the VM as if a user had created it. The key
// comes back with its value, but for those that [adopt.Unsaid] lists.
func TestImportFindsEveryKey(t *testing.T) {
	unsaid := map[string]bool{}
	for _, u := range adopt.Unsaid {
		unsaid[u.Key] = true
	}
	for path, m := range merged(markers, importable) {
		if m.value == nil {
			continue
		}
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			vm := merge(keys{"cpu": 2, "memory": "4Gi", "disks": keys{"root": keys{"source": keys{"claim": "c"}}}}, m.needs)
			if strings.HasPrefix(path, "disks.") { // that the VM owns: others are claims for it
				vm["lifecycle"] = keys{"keepDisks": false}
			}
			if path == "flavor" { // has both
				maps.DeleteFunc(vm, func(key string, _ any) bool { return key == "cpu" || key == "memory" })
			}
			value := m.value
			if e, ok := value.(either); ok {
				value = e[0]
			}
			require.Equal(t, !isUnsaid(unsaid, path), comesBack(t, set(vm, path, value), path))
		})
	}
}

func merged(a, b map[string]marker) map[string]marker {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// isUnsaid reports whether a key, or a map above it, is one that an import does not write.
func isUnsaid(unsaid map[string]bool, path string) bool {
	for ; path != ""; path = path[:max(strings.LastIndexAny(path, "."), 0)] {
		if unsaid[strings.TrimSuffix(path, "[]")] || unsaid[path] {
			return true
		}
	}
	return false
}

// comesBack reports whether the value at a path is the same in the imported VM.
func comesBack(t *testing.T, vm keys, path string) bool {
	t.Helper()
	dir := t.TempDir()
	text, err := json.Marshal(keys{"vms": keys{"it": vm}})
	require.NoError(t, err)
	header := `{apiVersion: vmrender.io/v1alpha1, kind: Fleet, metadata: {name: f}, target: {kubevirt: "1.8"},
catalog: {images: {golden: {http: "http://g"}}}, defaults: {namespace: ns, os: rhel9}}`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fleet.yaml"), []byte(header), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "vms.yaml"), text, 0o600))
	before, objects := valueIn(t, dir, path)
	if before == nil || len(objects) == 0 {
		return false
	}
	again := t.TempDir()
	r, err := adopt.Import(objects, adopt.Options{Name: "again"})
	require.NoError(t, err)
	for _, f := range r.Files {
		at := filepath.Join(again, filepath.FromSlash(f.Path))
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o700))
		require.NoError(t, os.WriteFile(at, f.Text, 0o600))
	}
	after, _ := valueIn(t, again, path)
	return slices.ContainsFunc(after, func(n *source.Node) bool {
		return slices.ContainsFunc(before, func(b *source.Node) bool { return n.Equal(b) })
	})
}

// valueIn returns the values at a path of the VM in a fleet, and the objects that the fleet renders to, without the
// marks by which an import recognizes them.
func valueIn(t *testing.T, dir, path string) ([]*source.Node, []manifest.Object) {
	t.Helper()
	c := render.NewCollector()
	opts := fleet.Options{Jobs: 1, Limit: dir}
	_, diags := inventory.Visit(dir, opts, c.Visit)
	var out []manifest.Object
	for _, o := range render.Objects(c.Rendered(diags)...) {
		tree := o.Tree()
		delete(manifest.Map(tree, "metadata", "labels"), labels.ManagedBy)
		made, err := manifest.New(tree)
		require.NoError(t, err)
		out = append(out, made)
	}
	found := fleet.Open(dir, opts, new(source.Diagnostics)).Named("it")
	if len(found) != 1 {
		return nil, out
	}
	return below(found[0].Keys, strings.Split(strings.ReplaceAll(path, "[]", ".[]"), ".")), out
}

// below returns the values at a path, in which "*" is any key, and "[]" any item. A scalar in the place of a map is
// short for the map.
func below(n *source.Node, path []string) []*source.Node {
	switch {
	case n == nil:
		return nil
	case len(path) == 0 || n.IsScalar():
		return []*source.Node{n}
	}
	var out []*source.Node
	switch path[0] {
	case "*":
		for _, f := range n.Entries() {
			out = append(out, below(f.Value, path[1:])...)
		}
	case "[]":
		for _, item := range n.Items {
			out = append(out, below(item, path[1:])...)
		}
	default:
		out = below(n.Get(path[0]), path[1:])
	}
	return out
}
