package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/status"
)

// platformObjects returns the same objects of a platform twice: for Git, and for the cluster.
func platformObjects() (git, state []object) {
	objects := func() []object {
		return []object{
			{
				"apiVersion": "hco.kubevirt.io/v1beta1", "kind": "HyperConverged",
				"metadata": object{"name": "kubevirt-hyperconverged", "namespace": "cnv"},
				"spec": object{
					"higherWorkloadDensity": object{"memoryOvercommitPercentage": 150}, "token": "t0ps3cret",
				},
			},
			{
				"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": "settings", "namespace": "cnv"},
				"data": object{"password": "hunter2"},
			},
			{
				"apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition",
				"metadata": object{"name": "vlan-7", "namespace": "prod"}, "spec": object{"config": "{}"},
			},
		}
	}
	return objects(), objects()
}

const overcommit = "spec.higherWorkloadDensity.memoryOvercommitPercentage"

// Drift of objects that are no VMs is reported by object and field, with both values but for secrets, and plan says
// the same.
func TestStatusOfObjects(t *testing.T) {
	git, state := platformObjects()
	for _, o := range state {
		(&world{vm: o}).record(t)
	}
	setIn(state[0], splitPath(overcommit), 120)
	setIn(state[0], splitPath("spec.token"), "0ther")
	setIn(state[0], splitPath("metadata.managedFields"), []any{object{
		"manager": "kubectl-edit", "operation": "Update", "time": "2026-11-22T03:00:00Z",
		"fieldsV1": object{"f:spec": object{"f:higherWorkloadDensity": object{"f:memoryOvercommitPercentage": object{}}}},
	}})
	setIn(state[1], splitPath("data.password"), "hunter3")
	setIn(git[2], splitPath("spec.config"), `{"vlan": 7}`)

	s := status.New(encode(t, git), openshift, encode(t, state))
	require.Len(t, s.Objects, 3)
	says := map[string]string{}
	for _, o := range s.Objects {
		says[o.ID.Kind+" "+o.State.String()] = o.Facts[0].Says
	}
	const hidden = `"***"`
	require.Equal(t, map[string]string{
		"HyperConverged drift": "was changed in the cluster: " +
			overcommit + " is 120, and 150 in Git (kubectl-edit, 2026-11-22T03:00:00Z); " +
			"spec.token is " + hidden + ", and " + hidden + " in Git",
		"ConfigMap drift": "was changed in the cluster: " +
			"data.password is " + hidden + ", and " + hidden + " in Git",
		"NetworkAttachmentDefinition not-synced": `is not synced yet: spec.config is "{}", and "{\"vlan\": 7}" in Git`,
	}, says)
	require.Equal(t, status.StateDrift, s.Worst())

	git, _ = platformObjects()
	p := plan.New(encode(t, git), encode(t, git), plan.Options{Cluster: openshift, Live: encode(t, state)})
	require.Contains(t, told(p),
		"HyperConverged cnv/kubevirt-hyperconverged ("+overcommit+" is 120, and 150 in Git (kubectl-edit")
	require.NotContains(t, told(p), "hunter")
}

// Objects that the cluster lacks although it has others of their kind are not synced yet.
func TestStatusOfMissingObjects(t *testing.T) {
	git, state := platformObjects()
	state[1]["metadata"].(object)["name"] = "other"
	s := status.New(encode(t, git), openshift, encode(t, state))
	require.Len(t, s.Objects, 1)
	require.Equal(t, "ConfigMap", s.Objects[0].ID.Kind)
	require.Equal(t, status.FactMissing, s.Objects[0].Facts[0].Code)
}
