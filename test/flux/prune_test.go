package flux

import (
	"slices"
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/ssa"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

const group = "kustomize.toolkit.fluxcd.io"

// controller applies and deletes as kustomize-controller does.
type controller struct {
	*ssa.ResourceManager
	client client.Client
}

func newController() controller {
	c := fake.NewClientBuilder().Build()
	return controller{ssa.NewResourceManager(c, nil, ssa.Owner{Field: "kustomize-controller", Group: group}), c}
}

// apply applies objects for a Kustomization (kustomize-controller v1.9.5,
// internal/controller/kustomization_controller.go, reconcile and apply).
func (c controller) apply(t *testing.T, name string, objects []*unstructured.Unstructured) {
	t.Helper()
	c.SetOwnerLabels(objects, name, "flux-system")
	options := ssa.DefaultApplyOptions()
	options.ExclusionSelector = map[string]string{
		group + "/reconcile": kustomizev1.DisabledValue, group + "/ssa": kustomizev1.IgnoreValue,
	}
	options.IfNotPresentSelector = map[string]string{group + "/ssa": kustomizev1.IfNotPresentValue}
	options.ForceSelector = map[string]string{group + "/force": kustomizev1.EnabledValue}
	_, err := c.ApplyAllStaged(t.Context(), objects, options)
	require.NoError(t, err)
}

// prune deletes objects that are gone from a Kustomization, or that are of one that is deleted (the same file,
// deleteObjects).
func (c controller) prune(t *testing.T, name string, objects []*unstructured.Unstructured) {
	t.Helper()
	options := ssa.DefaultDeleteOptions()
	options.Inclusions = c.GetOwnerLabels(name, "flux-system")
	options.Exclusions = map[string]string{
		group + "/prune": kustomizev1.DisabledValue, group + "/reconcile": kustomizev1.DisabledValue,
		group + "/ssa": kustomizev1.IgnoreValue,
	}
	_, err := c.DeleteAll(t.Context(), objects, options)
	require.NoError(t, err)
}

// left returns those of the objects that exist, as KIND/NAME, sorted.
func (c controller) left(t *testing.T, objects []*unstructured.Unstructured) []string {
	t.Helper()
	var out []string
	for _, o := range objects {
		live := new(unstructured.Unstructured)
		live.SetGroupVersionKind(o.GroupVersionKind())
		err := c.client.Get(t.Context(), client.ObjectKeyFromObject(o), live)
		require.NoError(t, client.IgnoreNotFound(err))
		if err == nil {
			out = append(out, o.GetKind()+"/"+o.GetName())
		}
	}
	slices.Sort(out)
	return out
}

// A pet, its disks and its Secret stay when they are gone from Git or the Kustomization is deleted. All else is
// deleted: cattle, and a pet whose removal is approved.
func TestPetsSurvive(t *testing.T) {
	c := newController()
	var all []*unstructured.Unstructured
	for dir, objects := range render(t, fleet) {
		c.apply(t, "shop-"+dir, objects)
		all = append(all, objects...)
	}
	require.Len(t, c.left(t, all), len(all))
	for dir, objects := range render(t, fleet) {
		c.prune(t, "shop-"+dir, objects)
	}
	require.Equal(t, []string{
		"DataVolume/db", "DataVolume/db-data", "DataVolume/old", "PersistentVolumeClaim/db-data", "Secret/db-cloudinit",
		"VirtualMachine/db",
	}, c.left(t, all))
}

// The Kustomization of the old wave deletes what moves to a later one, unless it is kept, as `vmrender plan` reports.
// It leaves what that of another wave has applied before.
func TestMovesBetweenWaves(t *testing.T) {
	is := func(name string) func(*unstructured.Unstructured) bool {
		return func(o *unstructured.Unstructured) bool { return o.GetKind() == "VirtualMachine" && o.GetName() == name }
	}
	rendered := render(t, fleet)
	pet := rendered["wave-0"][slices.IndexFunc(rendered["wave-0"], is("db"))]
	cattle := rendered["wave-1"][slices.IndexFunc(rendered["wave-1"], is("web-0"))]
	both := []*unstructured.Unstructured{pet, cattle}

	later := newController()
	later.apply(t, "shop-wave-1", both)
	later.prune(t, "shop-wave-1", both)
	require.Equal(t, []string{"VirtualMachine/db"}, later.left(t, both))

	earlier := newController()
	earlier.apply(t, "shop-wave-1", both)
	earlier.apply(t, "shop-wave-0", both)
	earlier.prune(t, "shop-wave-1", both)
	require.Equal(t, []string{"VirtualMachine/db", "VirtualMachine/web-0"}, earlier.left(t, both))
}
