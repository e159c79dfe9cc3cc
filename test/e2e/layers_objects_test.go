package e2e_test

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/test/e2e/layers"
)

// define installs the definitions of the kinds in layers, once for all tests.
var define = sync.OnceValue(func() error {
	definitions, err := layers.Definitions(lab.Layers, os.Getenv("VMRENDER_EXTRA_CRDS"))
	if err != nil {
		return err
	}
	return lab.cluster.Install(context.Background(), definitions)
})

// The API server accepts every object of every chart's scenarios, field by field. It
// would refuse the same object with a field that its kind does not have. Other tests do
// not run at the same time, because some of the objects bind all namespaces.
func TestLayerObjects(t *testing.T) {
	require.NoError(t, define())
	scenarios, err := filepath.Glob(filepath.Join(lab.Root, "charts", "*", "ci", "*-values.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, scenarios)
	for _, file := range scenarios {
		chart := filepath.Base(filepath.Dir(filepath.Dir(file)))
		t.Run(chart+"/"+strings.TrimSuffix(filepath.Base(file), "-values.yaml"), func(t *testing.T) {
			l := newLayer(t, chart, file)
			for _, o := range l.vmrender("template", l.platform, "--layer", chart) {
				l.judge(o)
			}
		})
	}
}

// layer is the layer that a chart renders for a scenario.
type layer struct {
	scenario
	platform  string // the file
	namespace string // of objects that name none
}

func newLayer(t *testing.T, chart, valuesFile string) *layer {
	t.Helper()
	l := &layer{scenario: scenario{T: t}, platform: filepath.Join(t.TempDir(), "platform.yaml")}
	text, err := os.ReadFile(valuesFile)
	require.NoError(t, err)
	var values map[string]any
	require.NoError(t, yaml.Unmarshal(text, &values))
	text, err = yaml.Marshal(map[string]any{
		"apiVersion": "vmrender.io/v1alpha1", "kind": "Platform", "metadata": map[string]any{"name": "e2e"},
		"source": map[string]any{"repoURL": "https://git.example.com/e2e.git"},
		"layers": map[string]any{chart: map[string]any{"values": values}},
	})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(l.platform, text, 0o600))
	for _, o := range l.vmrender("template", l.platform) {
		if o.GetKind() == "Application" {
			l.namespace, _, err = unstructured.NestedString(o.Object, "spec", "destination", "namespace")
			require.NoError(t, err)
		}
	}
	require.NotEmpty(t, l.namespace)
	return l
}

// judge applies the object, and checks that a faulty copy of it is refused.
func (l *layer) judge(o *unstructured.Unstructured) {
	l.Helper()
	mistaken := o.DeepCopy()
	fields, _ := mistaken.Object["spec"].(map[string]any)
	if len(fields) == 0 {
		fields = mistaken.Object
	}
	fields["mistake"] = "x"
	switch o.GetKind() {
	case "StorageClass":
		l.storageClass(o)
	case "MachineConfigPool":
		l.pool(o)
	}
	require.ErrorContains(l, l.applyStrictly(mistaken, metav1.DryRunAll), "mistake")
	require.NoError(l, l.applyStrictly(o), "%s %s", o.GetKind(), o.GetName())
	l.Cleanup(func() { l.remove(o) })
}

// storageClass checks that a chart's additions to a class are refused as long as there
// is no class. Then it plays the storage's operator, which creates the class. Classes with
// a provisioner are those of the chart itself.
func (l *layer) storageClass(o *unstructured.Unstructured) {
	l.Helper()
	if o.Object["provisioner"] != nil {
		return
	}
	require.ErrorContains(l, l.applyStrictly(o), "provisioner: Required value")
	made := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "e2e.example.com",
		"parameters": map[string]any{"pool": "vms"},
	}}
	made.SetName(o.GetName())
	_, err := l.of(o).Create(l.Context(), made, metav1.CreateOptions{FieldManager: "storage"})
	require.NoError(l, err)
}

// pool checks that a chart's additions to a pool are refused as long as there is no
// pool. Then it plays the cluster, which owns the pool.
func (l *layer) pool(o *unstructured.Unstructured) {
	l.Helper()
	require.ErrorContains(l, l.applyStrictly(o), "spec: Required value")
	made := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(), "spec": map[string]any{"paused": false},
	}}
	made.SetName(o.GetName())
	_, err := l.of(o).Create(l.Context(), made, metav1.CreateOptions{FieldManager: "cluster"})
	require.NoError(l, err)
}

// of returns access to the objects of o's kind in its namespace, which it creates.
func (l *layer) of(o *unstructured.Unstructured) dynamic.ResourceInterface {
	l.Helper()
	name := cmp.Or(o.GetNamespace(), l.namespace)
	namespace := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
	namespace.SetName(name)
	require.NoError(l, lab.cluster.Apply(context.Background(), namespace))
	resource, err := lab.cluster.Of(o.GroupVersionKind(), name)
	require.NoError(l, err)
	return resource
}

// applyStrictly applies the object by server-side apply, which refuses fields that its
// kind does not have.
func (l *layer) applyStrictly(o *unstructured.Unstructured, dryRun ...string) error {
	l.Helper()
	text, err := o.MarshalJSON()
	require.NoError(l, err)
	force := true
	_, err = l.of(o).Patch(l.Context(), o.GetName(), types.ApplyPatchType, text, metav1.PatchOptions{
		FieldManager: "e2e", FieldValidation: metav1.FieldValidationStrict, Force: &force, DryRun: dryRun,
	})
	return err
}

// remove deletes the object. Namespaces stay, because their names are used again before
// a deletion would be complete.
func (l *layer) remove(o *unstructured.Unstructured) {
	if o.GetKind() == "Namespace" {
		return
	}
	policy := metav1.DeletePropagationBackground
	err := l.of(o).Delete(context.Background(), o.GetName(), metav1.DeleteOptions{PropagationPolicy: &policy})
	if !apierrors.IsNotFound(err) {
		require.NoError(l, err)
	}
}
