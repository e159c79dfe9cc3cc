package lua

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/argoproj/argo-cd/v3/util/lua"
	jsonpatch "github.com/evanphx/json-patch"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// menu is an entry of an actions.yaml: an object, its actions, and their effects.
type menu struct {
	State   string            `json:"state"`
	Enabled []string          `json:"enabled"`
	Object  map[string]any    `json:"object"`
	Does    map[string]effect `json:"does"`
}

// effect is the merge patch that Argo CD sends, or the objects that it creates.
type effect struct {
	Patch  map[string]any   `json:"patch"`
	Create []map[string]any `json:"create"`
}

func (m menu) object() *unstructured.Unstructured {
	return (&unstructured.Unstructured{Object: m.Object}).DeepCopy()
}

func readMenus(t *testing.T, actions string) []menu {
	t.Helper()
	var menus []menu
	readYAML(t, filepath.Join(plugin, "customizations", actions, "actions.yaml"), &menus)
	require.NotEmpty(t, menus)
	return menus
}

func TestActions(t *testing.T) {
	vm := lua.VM{ResourceOverrides: overrides(t)}
	for _, k := range readKinds(t) {
		if k.Actions == "" {
			continue
		}
		for _, m := range readMenus(t, k.Actions) {
			t.Run(k.Kind+"/"+m.State, func(t *testing.T) {
				require.ElementsMatch(t, m.Enabled, enabled(t, vm, m.object()))
				for action, want := range m.Does {
					require.Contains(t, m.Enabled, action)
					require.Equal(t, want, do(t, vm, m.object(), action), action)
				}
			})
		}
	}
}

// enabled lists the actions that Argo CD's menu offers for an object.
func enabled(t *testing.T, vm lua.VM, obj *unstructured.Unstructured) []string {
	t.Helper()
	scripts, err := vm.GetResourceActionDiscovery(obj)
	require.NoError(t, err)
	actions, err := vm.ExecuteResourceActionDiscovery(obj, scripts)
	require.NoError(t, err)
	var names []string
	for _, a := range actions {
		if !a.Disabled {
			names = append(names, a.Name)
		}
	}
	return names
}

// do runs an action as Argo CD's server does: server/application/application.go,
// RunResourceActionV2 and patchResource.
func do(t *testing.T, vm lua.VM, obj *unstructured.Unstructured, name string) effect {
	t.Helper()
	action, err := vm.GetResourceAction(obj, name)
	require.NoError(t, err)
	impacted, err := vm.ExecuteResourceAction(obj, action.ActionLua, nil)
	require.NoError(t, err)
	var got effect
	for _, r := range impacted {
		if r.K8SOperation == lua.CreateOperation {
			got.Create = append(got.Create, r.UnstructuredObj.Object)
			continue
		}
		require.NoError(t, json.Unmarshal(mergePatch(t, obj, r.UnstructuredObj), &got.Patch))
	}
	return got
}

func mergePatch(t *testing.T, before, after *unstructured.Unstructured) []byte {
	t.Helper()
	live, err := json.Marshal(before)
	require.NoError(t, err)
	changed, err := json.Marshal(after)
	require.NoError(t, err)
	patch, err := jsonpatch.CreateMergePatch(live, changed)
	require.NoError(t, err)
	return patch
}

func TestEveryActionIsShown(t *testing.T) {
	all := overrides(t)
	for _, k := range readKinds(t) {
		if k.Actions == "" {
			continue
		}
		override := all[k.key()]
		actions, err := override.GetActions()
		require.NoError(t, err)
		var defined, shown []string
		for _, d := range actions.Definitions {
			defined = append(defined, d.Name)
		}
		for _, m := range readMenus(t, k.Actions) {
			for name := range m.Does {
				shown = append(shown, name)
			}
		}
		slices.Sort(shown)
		require.ElementsMatch(t, defined, slices.Compact(shown), k.key())
	}
}
