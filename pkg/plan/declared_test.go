package plan_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/plan"
)

// The fields that the platform has set are removed from an exported object, and all fields
// that its author could have written stay. The object itself is not changed.
func TestDeclared(t *testing.T) {
	for name, tc := range map[string]struct{ object, want string }{
		"metadata": {
			`{"metadata": {"name": "a", "uid": "1", "resourceVersion": "2", "generation": 3, "labels": {"app": "a"},
			  "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "note": "x"}}, "status": {}}`,
			`{"metadata": {"name": "a", "labels": {"app": "a"}, "annotations": {"note": "x"}}}`,
		},
		"maps that are empty then": {
			`{"metadata": {"name": "a", "annotations": {"kubevirt.io/latest-observed-api-version": "v1"}},
			  "spec": {"template": {"metadata": {"creationTimestamp": null}, "spec": {}}}}`,
			`{"metadata": {"name": "a"}, "spec": {"template": {"spec": {}}}}`,
		},
		"maps that were empty": {
			`{"metadata": {"name": "a", "annotations": {}}, "spec": {"template": {"metadata": {}}}}`,
			`{"metadata": {"name": "a", "annotations": {}}, "spec": {"template": {"metadata": {}}}}`,
		},
		"annotations of the pods": {
			`{"spec": {"template": {"metadata": {"annotations": {"kubevirt.io/pci-topology-version": "v3", "note": "x"}}}}}`,
			`{"spec": {"template": {"metadata": {"annotations": {"note": "x"}}}}}`,
		},
		"only what is empty": {
			`{"spec": {"template": {"spec": {"domain": {"resources": {}, "machine": {"type": "q35"}}}}}}`,
			`{"spec": {"template": {"spec": {"domain": {"machine": {"type": "q35"}}}}}}`,
		},
		"templates of disks": {
			`{"spec": {"dataVolumeTemplates": [{"metadata": {"creationTimestamp": null, "name": "a"}, "status": {}}]}}`,
			`{"spec": {"dataVolumeTemplates": [{"metadata": {"name": "a"}}]}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var o object
			require.NoError(t, json.Unmarshal([]byte(tc.object), &o))
			got, err := json.Marshal(plan.Declared(o))
			require.NoError(t, err)
			require.JSONEq(t, tc.want, string(got))
			same, err := json.Marshal(o)
			require.NoError(t, err)
			require.JSONEq(t, tc.object, string(same))
		})
	}
}

// Every field that the platform sets has a source.
func TestServerSet(t *testing.T) {
	for _, f := range plan.ServerSet() {
		require.NotEmpty(t, f.Path)
		require.NotEmpty(t, f.By, f.Path)
	}
}
