package compare_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/argoproj/gitops-engine/pkg/sync/syncwaves"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/argocd/compare"
)

// vm returns a VirtualMachine with these annotations, and with these labels on its disk's template.
func vm(t *testing.T, annotations, labels map[string]string) *unstructured.Unstructured {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
		"metadata": map[string]any{"name": "web", "namespace": "prod", "annotations": annotations},
		"spec": map[string]any{"dataVolumeTemplates": []any{
			map[string]any{"metadata": map[string]any{"name": "web", "labels": labels}},
		}},
	})
	require.NoError(t, err)
	out := new(unstructured.Unstructured)
	require.NoError(t, json.Unmarshal(text, out))
	return out
}

// Argo CD does not see removed annotations on an object that was replaced rather than applied.
// `vmrender plan` relies on this for VMs that every difference recreates.
func TestAnnotationsThatAreGone(t *testing.T) {
	const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
	noted := map[string]string{"a": "b", "c": "d"}
	label := map[string]string{"app": "web"}
	applied := maps.Clone(noted)
	text, err := json.Marshal(vm(t, noted, label))
	require.NoError(t, err)
	applied[lastApplied] = string(text)
	for name, test := range map[string]struct {
		live, wanted *unstructured.Unstructured
		differs      bool
	}{
		"nothing":                          {vm(t, noted, label), vm(t, noted, label), false},
		"an annotation is gone":            {vm(t, noted, label), vm(t, map[string]string{"a": "b"}, label), false},
		"all are gone":                     {vm(t, noted, label), vm(t, nil, label), false},
		"one that was applied is gone":     {vm(t, applied, label), vm(t, map[string]string{"a": "b"}, label), true},
		"an annotation changes":            {vm(t, noted, label), vm(t, map[string]string{"a": "x"}, label), true},
		"a label of a template is gone":    {vm(t, noted, label), vm(t, noted, nil), true},
		"an annotation comes":              {vm(t, nil, label), vm(t, noted, label), true},
		"what was applied does not change": {vm(t, applied, label), vm(t, noted, label), false},
	} {
		t.Run(name, func(t *testing.T) {
			results, err := compare.Diffs([]*unstructured.Unstructured{test.live}, []*unstructured.Unstructured{test.wanted})
			require.NoError(t, err)
			require.Equal(t, test.differs, results.Modified)
		})
	}
}

// The test shows which annotation values pkg/argocd reads as an object's wave.
func TestWaves(t *testing.T) {
	const wave, weight = "argocd.argoproj.io/sync-wave", "helm.sh/hook-weight"
	for want, annotations := range map[int]map[string]string{
		0: nil, 3: {wave: "3"}, 5: {weight: "5"}, 7: {wave: "7", weight: "5"}, 8: {wave: "x", weight: "8"},
	} {
		require.Equal(t, want, syncwaves.Wave(vm(t, annotations, nil)))
	}
	require.Zero(t, syncwaves.Wave(vm(t, map[string]string{wave: "0", weight: "5"}, nil)))
}

func TestCost(t *testing.T) {
	text, err := json.Marshal(vm(t, map[string]string{"a": "b"}, nil))
	require.NoError(t, err)
	_, err = compare.Cost([]string{string(text), string(text)})
	require.NoError(t, err)
	_, err = compare.Cost([]string{"{"})
	require.Error(t, err)
}
