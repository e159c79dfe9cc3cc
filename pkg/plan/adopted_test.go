package plan_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
	"github.com/vmrender/vmrender/pkg/plan"
)

// corpus returns VMs as they are in clusters, by name, with the export that contains
// them.
func corpus(t *testing.T) (machines map[string]object, export []manifest.Object) {
	t.Helper()
	export, err := manifest.ReadFiles("../adopt/testdata/corpus")
	require.NoError(t, err)
	machines = map[string]object{}
	for i, o := range export {
		if o.Kind == "VirtualMachine" {
			var vm object
			require.NoError(t, json.Unmarshal(o.JSON, &vm))
			if o.Namespace == "" { // as kubectl applies it
				setIn(vm, splitPath("metadata.namespace"), "default")
				export[i] = encode(t, []object{vm})[0]
			}
			machines[o.Name] = vm
		}
	}
	require.Greater(t, len(machines), 90)
	return machines, export
}

// rendered returns a VM as a fleet with the same settings would render it: without the
// platform's additions, and with the marks.
func rendered(t *testing.T, vm object) object {
	t.Helper()
	text, err := json.Marshal(vm)
	require.NoError(t, err)
	var typed kubevirtv1.VirtualMachine
	require.NoError(t, json.Unmarshal(text, &typed))
	notes := maps.Clone(typed.Annotations)
	maps.DeleteFunc(notes, func(name, _ string) bool {
		return strings.HasPrefix(name, "kub") // of KubeVirt, kubectl and kubemacpool
	})
	typed.ObjectMeta = metav1.ObjectMeta{
		Name: typed.Name, Namespace: typed.Namespace, Labels: typed.Labels, Annotations: notes,
	}
	typed.Status = kubevirtv1.VirtualMachineStatus{}
	text, err = manifest.Encode(nil, &typed)
	require.NoError(t, err)
	var out object
	require.NoError(t, json.Unmarshal(text, &out))
	for path, value := range map[string]string{
		"metadata.namespace":                                 "default",
		"metadata.labels.app":                                typed.Name,
		"metadata.labels.app~kubernetes~io/managed-by":       "vmrender",
		"metadata.annotations.vmrender~io/lifecycle":         "pet",
		"metadata.annotations.argocd~argoproj~io/sync-wave":  "0",
		"metadata.annotations.argocd~argoproj~io/tracking-x": "x",
	} {
		if getIn(out, splitPath(path)) == nil {
			setIn(out, splitPath(path), value)
		}
	}
	return out
}

// getIn returns the value at a path, or nil.
func getIn(o object, path []string) any {
	for _, segment := range path[:len(path)-1] {
		o, _ = o[segment].(object)
	}
	return o[path[len(path)-1]]
}

// notAdopted are the VMs of the corpus that are not adopted unchanged: one that Argo CD
// tracks, and one that is being deleted.
var notAdopted = map[string]impact.Level{"tracked": impact.Metadata, "going": impact.Recreate}

// A VM whose rendering matches the cluster is adopted without a change.
func TestAdoptCorpus(t *testing.T) {
	machines, export := corpus(t)
	var wanted []object
	for _, name := range slices.Sorted(maps.Keys(machines)) {
		wanted = append(wanted, rendered(t, machines[name]))
	}
	old, unrecorded := pairs.FromCluster(export, encode(t, wanted))
	p := plan.New(old, encode(t, wanted), plan.Options{Cluster: openshift, Live: export})
	for _, v := range p.VMs {
		if level, ok := notAdopted[v.ID.Name]; ok {
			assert.Equal(t, level, v.Level, v.ID.Name)
			continue
		}
		assert.True(t, v.Adopted, "%s: %+v", v.ID.Name, v.Causes)
	}
	require.Equal(t, len(p.VMs)-len(notAdopted), p.Summary.Adopted)
	require.Equal(t, 1, unrecorded, "the one that Argo CD tracks")
}

// If a sync changes a VM that it takes over, the change is reported as usual.
func TestAdopt(t *testing.T) {
	const disk = "spec.template.spec.domain.devices"
	for name, tc := range map[string]struct {
		git, state func([]object) // of a VM, its disk and its Secret
		level      impact.Level
		code       impact.Code
	}{
		"the same":             {nothing, nothing, impact.None, plan.CodeAdopted},
		"the disk is the VM's": {nothing, in(1, set([]any{object{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "name": "web"}}, "metadata.ownerReferences")), impact.None, "still-owned"},
		"of the platform": {nothing, both(
			set("amd64", "spec.template.spec.architecture"), set(object{"uuid": "1", "serial": "2"}, "spec.template.spec.domain.firmware"),
			set(nil, "spec.template.metadata.creationTimestamp"), set(object{"ready": true}, "status"),
		), impact.None, plan.CodeAdopted},
		"a device in Git":          {set(object{}, disk+".rng"), nothing, impact.Restart, ""},
		"false in Git":             {set(false, disk+".autoattachGraphicsDevice"), nothing, impact.Restart, ""},
		"a label in Git":           {set("x", "metadata.labels.team"), nothing, impact.Metadata, "metadata"},
		"a label of a pod":         {set("x", "spec.template.metadata.labels.team"), nothing, impact.Staged, "template-metadata"},
		"a label that Git has not": {nothing, set("x", "metadata.labels.team"), impact.None, plan.CodeAdopted},
		"a serial that Git has not": {nothing, set([]any{
			object{"name": "rootdisk", "serial": "A", "disk": object{"bus": "virtio"}},
			object{"name": "cloudinitdisk", "disk": object{"bus": "virtio"}},
		}, disk+".disks"), impact.Restart, ""},
		"a MAC that Git has not":     {nothing, set([]any{object{"name": "default", "masquerade": object{}, "macAddress": "02:00:00:00:00:01"}}, disk+".interfaces"), impact.Restart, ""},
		"a label that kubectl set":   {nothing, both(set("x", "metadata.labels.team"), byKubectl(`{"metadata":{"labels":{"team":"x"}}}`)), impact.Metadata, "metadata"},
		"running":                    {nothing, withRunning, impact.Refused, "running-stays"},
		"running that kubectl set":   {nothing, both(withRunning, byKubectl(`{"spec":{"running":true}}`)), impact.None, plan.CodeAdopted},
		"another disk":               {nothing, in(1, set("20Gi", "spec.storage.resources.requests.storage")), impact.Refused, "immutable"},
		"another Secret":             {nothing, in(2, set("b3RoZXI=", "data.userdata")), impact.Metadata, "first-boot"},
		"a Secret that is not known": {nothing, func(o []object) { clear(o[2]) }, impact.Create, "created"},
		"to be recreated later":      {set("Replace=true", "metadata.annotations.argocd~argoproj~io/sync-options"), nothing, impact.Metadata, "replace-on-sync"},
		"deleted and recreated":      {set("Force=true,Replace=true", "metadata.annotations.argocd~argoproj~io/sync-options"), nothing, impact.Recreate, "replaced"},
	} {
		t.Run(name, func(t *testing.T) {
			wanted, state := load(t, "adopted"), load(t, "adopted")
			for _, o := range state {
				delete(o["metadata"].(object), "labels")
				delete(o["metadata"].(object), "annotations")
			}
			delete(state[2], "stringData")
			setIn(state[2], splitPath("data.userdata"), "I2Nsb3VkLWNvbmZpZwo=")
			tc.state(state)
			tc.git(wanted)
			live := encode(t, state)
			old, _ := pairs.FromCluster(live, encode(t, wanted))
			require.Empty(t, old)
			p := plan.New(old, encode(t, wanted), plan.Options{Cluster: openshift, Live: live})
			v := verdictOf(t, p)
			require.Equal(t, tc.level, v.Level, "%+v", v.Causes)
			require.Equal(t, tc.level == impact.None, v.Adopted)
			require.LessOrEqual(t, len(v.Causes), 2, "%+v", v.Causes)
			require.Empty(t, p.Objects)
			require.True(t, tc.code == "" || slices.ContainsFunc(v.Causes, func(c impact.Cause) bool { return c.Code == tc.code }), "%+v", v.Causes)
			require.Equal(t, name == "a Secret that is not known", v.Approximate)
			require.NotContains(t, told(p), "b3RoZXI")
		})
	}
}

// withRunning sets the run strategy of a VM in its older form, `running`.
func withRunning(o []object) {
	delete(o[0]["spec"].(object), "runStrategy")
	setIn(o[0], splitPath("spec.running"), true)
}

// byKubectl marks fields of a VM as set by kubectl apply.
func byKubectl(fields string) func([]object) {
	return set(fields, "metadata.annotations.kubectl~kubernetes~io/last-applied-configuration")
}
