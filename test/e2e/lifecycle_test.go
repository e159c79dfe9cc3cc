package e2e_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// lifecycleFleet is the common part of the fleets of these tests.
const lifecycleFleet = `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: site}
target: {openshift: true, argocd: "3.2", healthChecks: true, applyOutOfSyncOnly: true, image: registry.example.com/vmrender:1.0}
defaults: {os: rhel9, flavor: small}
`

var (
	jobsResource = batchv1.SchemeGroupVersion.WithResource("jobs")
	podsResource = corev1.SchemeGroupVersion.WithResource("pods")
)

// newLifecycle returns a synced scenario whose repository is a fleet with these
// VMs.
func newLifecycle(t *testing.T, name, vms string) *scenario {
	t.Helper()
	s := newScenario(t, name)
	s.write("fleet.yaml", lifecycleFleet)
	s.write("vms.yaml", vms)
	s.wait(argo.Synced(s.push("A fleet")))
	return s
}

// will sets the outcome of an object from now on, or of all objects of the
// namespace.
func (s *scenario) will(resource schema.GroupVersionResource, name string, outcome kubevirt.Outcome) {
	s.Helper()
	require.NoError(s, lab.kubevirt.Set(s.Context(), resource, s.name, name, outcome))
}

// instances returns the UIDs of running instances, by the names of the VMs.
func (s *scenario) instances() map[string]types.UID {
	s.Helper()
	return s.names(kubevirt.Instances)
}

// changed returns the VMs, sorted, that run as another instance than before and
// whose readiness equals ready.
func (s *scenario) changed(before map[string]types.UID, ready bool) []string {
	s.Helper()
	names := []string{}
	for _, vmi := range s.list(kubevirt.Instances) {
		name := vmi.GetName()
		if before[name] != "" && before[name] != vmi.GetUID() && isReady(vmi) == ready {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// ready reports whether a VM is ready.
func (s *scenario) ready(machine string) bool {
	s.Helper()
	return isReady(s.object(kubevirt.VirtualMachines, machine))
}

func isReady(object *unstructured.Unstructured) bool { return hasCondition(object, "Ready") }

// hasCondition reports whether a condition of the object is true.
func hasCondition(object *unstructured.Unstructured, kind string) bool {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(c any) bool {
		condition, ok := c.(map[string]any)
		return ok && condition["type"] == kind && condition["status"] == "True"
	})
}

// list returns the objects of the scenario.
func (s *scenario) list(resource schema.GroupVersionResource) []*unstructured.Unstructured {
	s.Helper()
	list, err := lab.cluster.Resource(resource).Namespace(s.name).List(s.Context(), metav1.ListOptions{})
	require.NoError(s, err)
	objects := make([]*unstructured.Unstructured, len(list.Items))
	for i := range list.Items {
		objects[i] = &list.Items[i]
	}
	return objects
}

// object returns an object of the scenario.
func (s *scenario) object(resource schema.GroupVersionResource, name string) *unstructured.Unstructured {
	s.Helper()
	object, err := lab.cluster.Resource(resource).Namespace(s.name).Get(s.Context(), name, metav1.GetOptions{})
	require.NoError(s, err)
	return object
}

// field returns a field of an object, or nil if there is none.
func (s *scenario) field(resource schema.GroupVersionResource, name string, path ...string) any {
	s.Helper()
	value, _, err := unstructured.NestedFieldCopy(s.object(resource, name).Object, path...)
	require.NoError(s, err)
	return value
}

// change changes a field of a VM in the cluster, as a user does.
func (s *scenario) change(machine string, value any, path ...string) {
	s.Helper()
	require.NoError(s, lab.cluster.Update(s.Context(), kubevirt.VirtualMachine(), s.name, machine, func(vm *unstructured.Unstructured) {
		require.NoError(s, unstructured.SetNestedField(vm.Object, value, path...))
	}))
}

// events returns the reasons of the Events about a VM.
func (s *scenario) events(machine string) []string {
	s.Helper()
	reasons := []string{}
	for _, event := range s.list(corev1.SchemeGroupVersion.WithResource("events")) {
		about, _, err := unstructured.NestedStringMap(event.Object, "involvedObject")
		require.NoError(s, err)
		if about["kind"] == "VirtualMachine" && about["name"] == machine {
			reasons = append(reasons, event.Object["reason"].(string)) //nolint:forcetypeassert // as the schema says
		}
	}
	return reasons
}

// pods returns the pods of the Jobs whose names contain job.
func (s *scenario) pods(job string) []*unstructured.Unstructured {
	s.Helper()
	return slices.DeleteFunc(s.list(podsResource), func(pod *unstructured.Unstructured) bool {
		return !strings.Contains(pod.GetLabels()["batch.kubernetes.io/job-name"], job)
	})
}

// eventuallyLogs waits until a pod of the Job has written a text.
func (s *scenario) eventuallyLogs(job, text string) {
	s.Helper()
	s.eventually("log with "+text, func() bool {
		return slices.ContainsFunc(s.pods(job), func(pod *unstructured.Unstructured) bool {
			log, err := lab.kubelet.Log(s.name, pod.GetName())
			return err == nil && strings.Contains(log, text)
		})
	})
}

// degraded is done when the Application matches the revision, no sync is running,
// and something in it has failed.
func degraded(revision string) func(*argo.Status) error {
	return func(s *argo.Status) error {
		switch {
		case s.Sync.Revision != revision || s.Sync.Status != "Synced":
			return errors.New("not synced")
		case s.Operation.Phase != "Succeeded":
			return errors.New("the sync has not succeeded")
		case s.Health.Status != "Degraded":
			return errors.New("not degraded")
		}
		return nil
	}
}

// syncFailed is done when a sync has failed, and Argo CD is going to retry it.
func syncFailed(s *argo.Status) error {
	if !strings.Contains(s.Operation.Message, "Retrying attempt") {
		return errors.New("the sync has not failed")
	}
	return nil
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// createClaims creates the claims that the fleet's VMs name and that it does not
// fill itself: those that users provide.
func (s *scenario) createClaims() {
	s.Helper()
	objects := s.vmrender("template", "--namespace", s.name, "--output", "json", s.repository.Dir)
	filled := map[string]bool{}
	for _, o := range objects {
		filled[o.GetKind()+" "+o.GetNamespace()+"/"+o.GetName()] = true
	}
	for _, o := range objects {
		volumes, _, err := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "volumes")
		require.NoError(s, err)
		for _, v := range volumes {
			claim, found, err := unstructured.NestedString(v.(map[string]any), "persistentVolumeClaim", "claimName") //nolint:forcetypeassert // as the schema says
			require.NoError(s, err)
			if found && !filled["DataVolume "+o.GetNamespace()+"/"+claim] {
				require.NoError(s, lab.cluster.Apply(s.Context(), newClaim(o.GetNamespace(), claim)))
			}
		}
	}
}

func newClaim(namespace, name string) *unstructured.Unstructured {
	claim := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "PersistentVolumeClaim",
		"spec": map[string]any{
			"accessModes": []any{"ReadWriteOnce"},
			"resources":   map[string]any{"requests": map[string]any{"storage": "10Gi"}},
		},
	}}
	claim.SetNamespace(namespace)
	claim.SetName(name)
	return claim
}
