package kubevirt_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/admission/kubevirt"
	"github.com/vmrender/vmrender/test/admission/object"
	"github.com/vmrender/vmrender/test/admission/product"
)

// `plan --live` finds no difference between a VM that KubeVirt has stored and its
// rendering. The sync adopts the VM, whatever the webhook has set.
func TestAdopted(t *testing.T) {
	cli := product.Build(t)
	webhooks, err := kubevirt.NewWebhooks()
	require.NoError(t, err)
	fleets := cli.Fleets(t)
	fleets["matrix"] = t.TempDir()
	product.WriteMatrix(t, fleets["matrix"], cli.OperatingSystems(t))
	for name, dir := range fleets {
		t.Run(name, func(t *testing.T) {
			objects := cli.Render(t, dir)
			changed := changedByASync(objects)
			for i, o := range objects {
				if o.Kind == "VirtualMachine" {
					stored, problems := webhooks.Stored(o)
					require.Empty(t, problems)
					o = stored
				}
				objects[i] = unmarked(t, o)
			}
			said := cli.NotAdopted(t, dir, writeObjects(t, objects))
			require.ElementsMatch(t, changed, slices.Collect(maps.Keys(said)), "%v", said)
		})
	}
}

// changedByASync returns the VMs that are never adopted. Argo CD recreates those marked
// for it, the webhook replaces inferred settings with a name, and a CronJob stops and starts
// those with times for that.
func changedByASync(objects []object.Object) []string {
	var names []string
	for _, o := range object.OfKind(objects, "VirtualMachine") {
		text := string(o.JSON)
		if strings.Contains(text, "Replace=true") || strings.Contains(text, "inferFromVolume") ||
			strings.Contains(text, `"vmrender.io/power":`) {
			names = append(names, o.Namespace+"/"+o.Name)
		}
	}
	return names
}

// unmarked returns an object as it was before vmrender and Argo CD marked it.
func unmarked(t *testing.T, o object.Object) object.Object {
	t.Helper()
	content, err := o.Content()
	require.NoError(t, err)
	metadata, _ := content["metadata"].(map[string]any)
	for _, field := range []string{"labels", "annotations"} {
		marked, _ := metadata[field].(map[string]any)
		for key := range marked {
			isMark := key == "app" || key == "app.kubernetes.io/managed-by" ||
				strings.HasPrefix(key, "vmrender.io/") || strings.HasPrefix(key, "argocd.argoproj.io/")
			if isMark {
				delete(marked, key)
			}
		}
	}
	raw, err := json.Marshal(content)
	require.NoError(t, err)
	unmarked, err := object.New(raw)
	require.NoError(t, err)
	return unmarked
}

// writeObjects writes objects into a file, one per line, and returns its name.
func writeObjects(t *testing.T, objects []object.Object) string {
	t.Helper()
	var text strings.Builder
	for _, o := range objects {
		text.WriteString("---\n" + string(o.JSON) + "\n")
	}
	name := filepath.Join(t.TempDir(), "objects.yaml")
	require.NoError(t, os.WriteFile(name, []byte(text.String()), 0o600))
	return name
}
