// Package examples proves that the shipped examples do what their descriptions promise.
package examples

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/source"
)

// objects renders a fleet and returns generic objects by "Kind/name".
func objects(t *testing.T, dir string) map[string]map[string]any {
	t.Helper()
	c := render.NewCollector()
	_, diags := inventory.Visit(dir, fleet.Options{}, c.Visit)
	rendered := read(t, c.Rendered(diags))
	require.Empty(t, diags.Sorted())
	out := map[string]map[string]any{}
	for _, o := range rendered {
		var generic map[string]any
		require.NoError(t, json.Unmarshal(o.JSON, &generic))
		out[o.Kind+"/"+o.Name] = generic
	}
	return out
}

// read writes VMs as one List and reads its objects back.
func read(t *testing.T, rendered []render.Rendered) []manifest.Object {
	t.Helper()
	var out bytes.Buffer
	w := manifest.NewWriter(&out, manifest.JSON)
	require.NoError(t, render.Write(w, rendered...))
	require.NoError(t, w.Close())
	objects, err := manifest.Read(&out)
	require.NoError(t, err)
	return objects
}

// TestACP proves that examples/acp renders the pattern's three hand-written manifests,
// apart from the differences that normalize lists.
func TestACP(t *testing.T) {
	got := objects(t, "acp")
	require.Len(t, got, 3)
	for _, file := range []string{"rhel9", "windows10", "server2019"} {
		t.Run(file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", "acp", file+".yaml"))
			require.NoError(t, err)
			var want map[string]any
			require.NoError(t, yaml.UnmarshalStrict(text, &want))
			name := want["metadata"].(map[string]any)["name"].(string)
			require.Equal(t, normalize(want), normalize(got["VirtualMachine/"+name]))
		})
	}
}

// normalize removes intended differences. `running: true` is `runStrategy: Always`. The
// cluster sets finalizers and creation timestamps. An empty `resources`, and the kind of
// a DataVolume template, have no meaning. User data is compared by meaning. Metadata for
// vmrender and Argo CD is an addition to the pattern.
func normalize(vm map[string]any) map[string]any {
	metadata, spec := vm["metadata"].(map[string]any), vm["spec"].(map[string]any)
	if spec["running"] == true {
		delete(spec, "running")
		spec["runStrategy"] = "Always"
	}
	delete(metadata, "finalizers")
	for key := range asMap(metadata["annotations"]) {
		if strings.HasPrefix(key, "vmrender.io/") || strings.HasPrefix(key, "argocd.argoproj.io/") {
			delete(asMap(metadata["annotations"]), key)
		}
	}
	dropOwn(metadata)
	for _, dv := range spec["dataVolumeTemplates"].([]any) {
		delete(asMap(dv), "apiVersion")
		delete(asMap(dv), "kind")
		delete(asMap(asMap(asMap(dv)["metadata"])["labels"]), "app")
		dropOwn(asMap(asMap(dv)["metadata"]))
	}
	template := asMap(spec["template"])
	dropOwn(asMap(template["metadata"]))
	vmi := asMap(template["spec"])
	if len(asMap(asMap(vmi["domain"])["resources"])) == 0 {
		delete(asMap(vmi["domain"]), "resources")
	}
	for _, v := range vmi["volumes"].([]any) {
		if c := asMap(asMap(v)["cloudInitNoCloud"]); c != nil {
			var data any
			if yaml.Unmarshal([]byte(c["userData"].(string)), &data) == nil {
				c["userData"] = data
			}
		}
	}
	return vm
}

// dropOwn removes vmrender's label, null creation timestamps, and the maps that are then
// empty.
func dropOwn(metadata map[string]any) {
	delete(metadata, "creationTimestamp")
	delete(asMap(metadata["labels"]), "app.kubernetes.io/managed-by")
	for _, key := range []string{"labels", "annotations"} {
		if len(asMap(metadata[key])) == 0 {
			delete(metadata, key)
		}
	}
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// TestACPIsShort checks the promised size of the example, counting lines that are neither
// blank nor comments.
func TestACPIsShort(t *testing.T) {
	vms, site := count(t, "acp/vms.yaml"), count(t, "acp/fleet.yaml")
	require.LessOrEqual(t, vms, 20)
	require.LessOrEqual(t, vms+site, 60)
}

func count(t *testing.T, file string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	n := 0
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			n++
		}
	}
	return n
}

// TestFleet proves that the large example has no problems, not even warnings.
func TestFleet(t *testing.T) {
	c := render.NewCollector()
	_, diags := inventory.Visit("fleet", fleet.Options{}, c.Visit)
	machines := slices.DeleteFunc(c.Rendered(diags), func(r render.Rendered) bool { return r.Jobs })
	require.Empty(t, lines(diags))
	require.Len(t, machines, 11)
}

func lines(diags *source.Diagnostics) []string {
	var out []string
	for _, d := range diags.Sorted() {
		out = append(out, d.String())
	}
	return out
}
