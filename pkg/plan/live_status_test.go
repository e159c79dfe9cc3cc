package plan_test

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/status"
)

// world is Git and a cluster with the same state, for tests to change: the pet db, its
// instance, the revision that the instance was started with, and its disks.
type world struct {
	git      []object
	vm       object
	instance object
	revision object // nil if there is none
	others   []object
	cluster  cluster.Settings
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{git: load(t, "pet"), cluster: openshift}
	state := load(t, "pet")
	tracked(state)
	w.vm, w.others = state[0], state[1:]
	w.vm["metadata"].(object)["uid"] = "1"
	w.vm["status"] = object{"printableStatus": "Running", "conditions": []any{object{"type": "Ready", "status": "True"}}}
	started := load(t, "pet")[0]
	template := at(started, "spec", "template").(object)
	w.instance = object{
		"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance",
		"metadata": object{"name": "db", "namespace": "prod", "labels": at(template, "metadata", "labels")},
		"spec":     template["spec"],
		"status":   object{"phase": "Running", "virtualMachineRevisionName": "revision-start-vm-1-1"},
	}
	setIn(w.instance, splitPath("spec.domain.memory.maxGuest"), "16Gi")
	w.revision = object{
		"apiVersion": "apps/v1", "kind": "ControllerRevision",
		"metadata": object{"name": "revision-start-vm-1-1", "namespace": "prod"},
		"data":     object{"spec": load(t, "pet")[0]["spec"]},
	}
	return w
}

// applied makes a change in Git and in the cluster, as after a sync.
func (w *world) applied(edit func([]object)) {
	edit(w.git)
	edit([]object{w.vm})
}

// asks makes the VM require a restart.
func (w *world) asks(message string) {
	w.condition("RestartRequired", message)
}

func (w *world) condition(kind, message string) {
	status := w.vm["status"].(object)
	status["conditions"] = append(status["conditions"].([]any), object{"type": kind, "status": "True", "message": message})
}

// aged sets the times of the VM and of its root disk, and makes the VM a pet.
func (w *world) aged(vm, disk string) {
	w.applied(set("pet", "metadata.annotations.vmrender~io/lifecycle"))
	w.vm["metadata"].(object)["creationTimestamp"] = vm
	w.others[0]["metadata"].(object)["creationTimestamp"] = disk
}

// record sets what Argo CD last applied to the VM's current state.
func (w *world) record(t *testing.T) {
	t.Helper()
	last := maps.Clone(w.vm)
	metadata := maps.Clone(last["metadata"].(object))
	delete(last, "status")
	delete(metadata, "uid")
	delete(metadata, "managedFields")
	last["metadata"] = metadata
	text, err := json.Marshal(last)
	require.NoError(t, err)
	setIn(w.vm, splitPath("metadata.annotations.kubectl~kubernetes~io/last-applied-configuration"), string(text))
}

func (w *world) add(o object) {
	metadata := o["metadata"].(object)
	if metadata["namespace"] == nil {
		metadata["namespace"] = ""
	}
	w.others = append(w.others, o)
}

const notMovable = "a non-live-updatable field was changed in the template spec"

// standings are worlds with the expected status of the VM.
var standings = []struct {
	name  string
	make  func(*testing.T, *world)
	state status.State
	code  status.FactCode // of the worst fact
	says  []string
	hides []string
}{
	{name: "fine", make: func(*testing.T, *world) {}, state: status.StateOK},
	{name: "noise", make: func(_ *testing.T, w *world) {
		platform([]object{w.vm})
		platform([]object{{"spec": at(w.revision, "data", "spec")}})
		status := w.vm["status"].(object)
		status["observedGeneration"], w.vm["metadata"].(object)["generation"] = 1, 7
	}, state: status.StateOK},
	{name: "one restart", make: func(_ *testing.T, w *world) {
		w.applied(both(set("a", "spec.template.spec.hostname"), set(object{}, "spec.template.spec.domain.devices.tpm")))
		w.asks(notMovable)
	}, state: status.StateRestart, code: status.FactRestart, says: []string{"waits for a restart: tpm, hostname"}},
	{name: "less memory", make: func(_ *testing.T, w *world) {
		w.applied(set("2Gi", memory))
		w.asks("memory updated in template spec to a value lower than what the VM started with")
	}, state: status.StateRestart, code: status.FactRestart, says: []string{"waits for a restart: memory"}},
	{name: "not flagged", make: func(_ *testing.T, w *world) { w.applied(set("a", "spec.template.spec.hostname")) }, state: status.StateRestart, code: status.FactRestart, says: []string{"hostname (KubeVirt does not report it)"}},
	{name: "live change that has arrived", make: func(_ *testing.T, w *world) {
		w.applied(set("8Gi", memory))
		setIn(w.instance, splitPath("spec.domain.memory.guest"), "8Gi")
	}, state: status.StateOK},
	{name: "live change on its way", make: func(_ *testing.T, w *world) {
		w.applied(set("8Gi", memory))
		setIn(w.instance, splitPath("spec.domain.memory.guest"), "8Gi")
		w.instance["status"].(object)["conditions"] = []any{object{"type": "HotMemoryChange", "status": "True"}}
	}, state: status.StateUnderWay, code: status.FactUnderWay, says: []string{"is being changed while it runs: memory"}},
	{name: "live change held back", make: func(_ *testing.T, w *world) {
		w.applied(both(set("8Gi", memory), set("a", "spec.template.spec.hostname")))
		w.asks(notMovable)
	}, state: status.StateRestart, code: status.FactRestart, says: []string{"waits for a restart: hostname", "KubeVirt holds back until that restart: memory"}},
	{name: "live change that nothing has taken up", make: func(_ *testing.T, w *world) { w.applied(set("8Gi", memory)) }, state: status.StateStaged, code: status.FactStaged, says: []string{"has not taken up while it runs: memory"}},
	{name: "pod label", make: func(_ *testing.T, w *world) { w.applied(set("x", "spec.template.metadata.labels.team")) }, state: status.StateStaged, code: status.FactStaged, says: []string{"takes effect at the next start: template.metadata.labels.team"}},
	{name: "sticky", make: func(_ *testing.T, w *world) { w.asks(notMovable); w.cluster.KubeVirt = "1.7.0" }, state: status.StateRestart, code: status.FactSticky, says: []string{"this KubeVirt keeps the condition", "not even a revert"}},
	{name: "said for no reason", make: func(_ *testing.T, w *world) { w.asks(notMovable) }, state: status.StateRestart, code: status.FactFalse, says: []string{"none of its fields differs from those it was started with"}},
	{name: "said before KubeVirt saw the revision of the start", make: func(_ *testing.T, w *world) {
		w.asks(notMovable)
		w.vm["metadata"].(object)["generation"] = 1
	}, state: status.StateOK},
	{name: "said before KubeVirt saw the revision of the start, sticky", make: func(_ *testing.T, w *world) {
		w.asks(notMovable)
		w.vm["metadata"].(object)["generation"], w.cluster.KubeVirt = 1, "1.7.0"
	}, state: status.StateRestart, code: status.FactSticky, says: []string{"this KubeVirt keeps the condition"}},
	{name: "said for a default", make: func(_ *testing.T, w *world) {
		w.applied(set("16Gi", "spec.template.spec.domain.memory.maxGuest"))
		w.asks(notMovable)
	}, state: status.StateRestart, code: status.FactFalse, says: []string{"for changes that are already in effect: memory", "kubevirt/issues/17610"}},
	{name: "said for a NIC that is plugged in", make: func(_ *testing.T, w *world) {
		nic := func(path string) func([]object) {
			return func(objects []object) { setIn(objects[0], splitPath(path), object{"name": "fast", "bridge": object{}}) }
		}
		w.revision["data"].(object)["spec"] = at(w.revision, "data", "spec")
		nic("spec.template.spec.domain.devices.interfaces.2")([]object{{"spec": at(w.revision, "data", "spec")}})
		w.asks(notMovable)
	}, state: status.StateRestart, code: status.FactFalse, says: []string{"for changes that are already in effect: nics", "issues/18955 and 15881"}},
	{name: "without its revision", make: func(_ *testing.T, w *world) {
		w.applied(set("a", "spec.template.spec.hostname"))
		w.asks(notMovable)
		w.revision = nil
	}, state: status.StateRestart, code: status.FactRestart, says: []string{"waits for a restart: hostname", "lacks its ControllerRevision"}},
	{name: "without its instance", make: func(_ *testing.T, w *world) {
		w.applied(set("a", "spec.template.spec.hostname"))
		w.asks(notMovable)
		w.instance = nil
	}, state: status.StateRestart, code: status.FactRestart, says: []string{"waits for a restart: " + notMovable, "lacks its instance"}},
	{name: "stopped, changed", make: func(_ *testing.T, w *world) {
		w.applied(both(set("Halted", strategy), set("a", "spec.template.spec.hostname")))
		w.instance, w.vm["status"] = nil, object{"printableStatus": "Stopped"}
	}, state: status.StateOK},
	{name: "instance type with its revision", make: func(_ *testing.T, w *world) {
		w.applied(set(object{"name": "m"}, "spec.instancetype"))
		set(object{"name": "m", "revisionName": "db-m-1"}, "spec.instancetype")([]object{w.revision["data"].(object)})
	}, state: status.StateOK},

	{name: "stopped manually", make: func(t *testing.T, w *world) {
		w.record(t)
		setIn(w.vm, splitPath(strategy), "Halted")
		w.instance, w.vm["status"] = nil, object{"printableStatus": "Stopped"}
	}, state: status.StateDown, code: status.FactNotRunning, says: []string{
		"does not run: the run strategy is Always in Git, and Halted in the cluster", "was changed in the cluster: runStrategy (virt-api, 2026-11-22T03:00:00Z)",
	}},
	{name: "changed manually, without a record", make: func(_ *testing.T, w *world) { setIn(w.vm, splitPath(strategy), "Manual") }, state: status.StateDrift, code: status.FactDrift, says: []string{"runStrategy (virt-api"}},
	{name: "not synced", make: func(t *testing.T, w *world) { w.record(t); set("x", "metadata.labels.team")(w.git) }, state: status.StateNotSynced, code: status.FactNotSynced, says: []string{"is not synced yet: labels"}, hides: []string{"whether a sync is due"}},
	{name: "not synced, without a record", make: func(_ *testing.T, w *world) { set("x", "metadata.labels.team")(w.git) }, state: status.StateNotSynced, code: status.FactNotSynced, says: []string{"whether a sync is due"}},
	{name: "dropped, not synced", make: func(t *testing.T, w *world) { set("x", "metadata.labels.team")([]object{w.vm}); w.record(t) }, state: status.StateNotSynced, code: status.FactNotSynced, says: []string{"is not synced yet: labels"}},
	{name: "rendered for another Application", make: func(t *testing.T, w *world) {
		set("site-1a2b3c4d", "metadata.labels.vmrender~io/rollout")([]object{w.vm})
		w.record(t)
		set("site", "metadata.labels.vmrender~io/rollout")(w.git)
	}, state: status.StateOK},
	{name: "data for cloud-init", make: func(_ *testing.T, w *world) {
		w.applied(set("1a2b3c4d", "spec.template.spec.domain.devices.disks.3.serial"))
		w.asks(notMovable)
	}, state: status.StateRestart, code: status.FactRestart, says: []string{"waits for a restart: cloudInit"}},
	{name: "ignored", make: func(t *testing.T, w *world) {
		w.record(t)
		setIn(w.vm, splitPath(strategy), "Manual")
		w.add(object{"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": object{"name": "shop", "namespace": "argocd"}, "spec": object{
			"ignoreDifferences": []any{object{"group": "kubevirt.io", "kind": "VirtualMachine", "jsonPointers": []any{"/spec/runStrategy"}}},
		}})
	}, state: status.StateOK},
	{name: "changed manually, server-side apply", make: func(_ *testing.T, w *world) {
		w.vm["metadata"].(object)["managedFields"] = []any{
			object{"manager": "argocd-controller", "operation": "Apply", "time": "2026-11-22T02:00:00Z", "fieldsV1": object{"f:spec": object{"f:template": object{}}}},
			object{"manager": "virt-api", "operation": "Update", "time": "2026-11-22T03:00:00Z", "fieldsV1": object{"f:spec": object{"f:runStrategy": object{}}}},
		}
		setIn(w.vm, splitPath(strategy), "Manual")
	}, state: status.StateDrift, code: status.FactDrift, says: []string{"runStrategy (virt-api, 2026-11-22T03:00:00Z)"}},
	{name: "not synced, server-side apply", make: func(_ *testing.T, w *world) {
		w.vm["metadata"].(object)["managedFields"] = []any{
			object{"manager": "argocd-controller", "operation": "Apply", "time": "2026-11-22T02:00:00Z", "fieldsV1": object{"f:spec": object{}}},
		}
		set("Manual", strategy)(w.git)
	}, state: status.StateNotSynced, code: status.FactNotSynced, says: []string{"is not synced yet: runStrategy"}, hides: []string{"whether a sync is due"}},
	{name: "missing", make: func(_ *testing.T, w *world) { w.vm["metadata"].(object)["name"] = "other" }, state: status.StateNotSynced, code: status.FactMissing, says: []string{"is not in the cluster"}, hides: []string{"all of the namespace"}},
	{name: "missing in an empty export", make: func(_ *testing.T, w *world) { w.vm = nil }, state: status.StateNotSynced, code: status.FactMissing, says: []string{"whether the state in the cluster has all of the namespace"}},

	{name: "no node has room", make: func(_ *testing.T, w *world) {
		broken(w, "ErrorUnschedulable", "PodScheduled", "0/6 nodes are available: 6 Insufficient memory.")
	}, state: status.StateDown, code: status.FactNotRunning, says: []string{"does not run (ErrorUnschedulable): 0/6 nodes are available: 6 Insufficient memory."}},
	{name: "no claim", make: func(_ *testing.T, w *world) {
		broken(w, "ErrorPvcNotFound", "Synchronized", "PVC prod/db-data does not exist, waiting for it to appear")
	}, state: status.StateDown, code: status.FactNotRunning, says: []string{"does not run (ErrorPvcNotFound): PVC prod/db-data does not exist"}},
	{name: "no image", make: func(_ *testing.T, w *world) {
		broken(w, "ImagePullBackOff", "Synchronized", "Back-off pulling image registry.example.com/disk:9.9")
	}, state: status.StateDown, code: status.FactNotRunning, says: []string{"does not run (ImagePullBackOff): Back-off pulling image"}},
	{name: "no room in the quota", make: func(_ *testing.T, w *world) {
		w.instance, w.vm["status"] = nil, object{"printableStatus": "Stopped", "conditions": []any{}}
		w.condition("Failure", "exceeded quota: vms")
	}, state: status.StateDown, code: status.FactNotRunning, says: []string{"does not run: exceeded quota: vms"}},
	{name: "import that fails again and again", make: func(_ *testing.T, w *world) {
		unfillable(w, "ImportInProgress", "Running", "Error", "Unable to connect to registry: manifest unknown")
		w.others[0]["status"].(object)["restartCount"] = 7
		w.instance, w.vm["status"] = nil, object{"printableStatus": "Provisioning"}
	}, state: status.StateDisk, code: status.FactDiskNotReady, says: []string{
		"the disk db could not be filled (ImportInProgress, 7 restarts): Unable to connect to registry: manifest unknown", "is provisioning",
	}},
	{name: "claim of a disk that the quota refuses", make: func(_ *testing.T, w *world) {
		unfillable(w, "Pending", "Bound", "ErrExceededQuota", "exceeded quota: storage")
	}, state: status.StateDisk, code: status.FactDiskNotReady, says: []string{"the disk db could not be filled (Pending): exceeded quota: storage"}},
	{name: "starting", make: func(_ *testing.T, w *world) {
		w.instance, w.vm["status"] = nil, object{"printableStatus": "WaitingForVolumeBinding"}
	}, state: status.StateUnderWay, code: status.FactUnderWay, says: []string{"is waiting for volume binding"}},
	{name: "change failed", make: func(_ *testing.T, w *world) { w.condition("Failure", "failed to hotplug volume data") }, state: status.StateFailed, code: status.FactChangeFailed, says: []string{"could not make the last change: failed to hotplug volume data"}},
	{name: "disk failed", make: func(_ *testing.T, w *world) { w.others[0]["status"] = object{"phase": "Failed"} }, state: status.StateDisk, code: status.FactDiskNotReady, says: []string{"the disk db could not be filled (Failed)"}},
	{name: "disk filled", make: func(_ *testing.T, w *world) {
		w.others[0]["status"] = object{"phase": "ImportInProgress", "progress": "45.0%"}
	}, state: status.StateUnderWay, code: status.FactUnderWay, says: []string{"the disk db is being filled (ImportInProgress, 45.0%)"}},
	{name: "disk that is kept and owned", make: func(_ *testing.T, w *world) {
		w.others[1]["metadata"].(object)["ownerReferences"] = []any{object{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "name": "db", "uid": "1"}}
	}, state: status.StateDisk, code: status.FactStillOwned, says: []string{"Git keeps the disk db-data", "kubectl patch datavolume db-data"}},
	{name: "disk of an earlier revision", make: func(_ *testing.T, w *world) {
		w.add(object{"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "DataVolume", "metadata": object{"name": "db-root-2", "namespace": "prod", "labels": object{
			"app": "db", "app.kubernetes.io/managed-by": "vmrender",
		}}})
	}, state: status.StateOK, says: []string{"db no longer has the disk db-root-2", "kubectl delete datavolume db-root-2 -n prod"}},
	{name: "disk younger than the VM", make: func(_ *testing.T, w *world) {
		w.aged("2026-03-01T10:00:00Z", "2026-11-20T08:00:00Z")
	}, state: status.StateOK, says: []string{"the root disk db of db is of 2026-11-20T08:00:00Z, and so younger than the VM, of 2026-03-01T10:00:00Z"}},
	{name: "disk and VM younger than a snapshot", make: func(_ *testing.T, w *world) {
		w.aged("2026-11-20T08:00:00Z", "2026-11-20T08:00:01Z")
		w.add(object{"apiVersion": "snapshot.kubevirt.io/v1beta1", "kind": "VirtualMachineSnapshot", "metadata": object{
			"name": "db-pre-1", "namespace": "prod", "creationTimestamp": "2026-05-01T00:00:00Z",
		}, "spec": object{"source": object{"apiGroup": "kubevirt.io", "kind": "VirtualMachine", "name": "db"}}, "status": object{"phase": "Succeeded", "readyToUse": true}})
	}, state: status.StateOK, says: []string{"younger than its snapshot db-pre-1, of 2026-05-01T00:00:00Z"}},
	{name: "disk of the first sync", make: func(_ *testing.T, w *world) {
		w.aged("2026-03-01T10:00:00Z", "2026-03-01T10:20:00Z")
	}, state: status.StateOK, hides: []string{"younger"}},
	{name: "disk that was moved", make: func(_ *testing.T, w *world) {
		w.aged("2026-03-01T10:00:00Z", "2026-11-20T08:00:00Z")
		w.applied(set("Migration", "spec.updateVolumesStrategy"))
	}, state: status.StateOK, hides: []string{"younger"}},
	{name: "disk of another VM", make: func(_ *testing.T, w *world) {
		w.add(object{"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "DataVolume", "metadata": object{"name": "web", "namespace": "prod", "labels": object{
			"app": "web", "app.kubernetes.io/managed-by": "vmrender",
		}}})
	}, state: status.StateOK, hides: []string{"no longer"}},
	{name: "claim missing", make: func(_ *testing.T, w *world) { w.claim("other", "ReadWriteOnce") }, state: status.StateDisk, code: status.FactDiskNotReady, says: []string{"the disk db-scratch is missing"}},
	{name: "disk not synced", make: func(t *testing.T, w *world) { w.record(t); in(1, set("x", "metadata.labels.team"))(w.git) }, state: status.StateNotSynced, code: status.FactNotSynced, says: []string{"DataVolume db is not synced yet"}},
	{name: "disk missing", make: func(_ *testing.T, w *world) { w.others = w.others[1:] }, state: status.StateNotSynced, code: status.FactMissing, says: []string{"DataVolume db is not in the cluster"}},
	{name: "rollout stopped", make: func(_ *testing.T, w *world) { stopped(w); w.condition("RestartRequired", notMovable) }, state: status.StateFailed, code: status.FactRolloutStopped, says: []string{
		"a rollout has stopped at it (Lease shop-rollout)", "an earlier rollout (Lease shop-rollout) stopped at db",
	}},
	{name: "rollout stopped, on the old disk", make: func(_ *testing.T, w *world) {
		stopped(w)
		w.applied(root("db-2"))
	}, state: status.StateFailed, code: status.FactRolloutStopped, says: []string{"a rollout has stopped at it"}},
	{name: "rollout stopped, not ready", make: func(_ *testing.T, w *world) {
		stopped(w)
		w.instance["status"].(object)["conditions"] = []any{object{"type": "Ready", "status": "False"}}
	}, state: status.StateFailed, code: status.FactRolloutStopped, says: []string{"a rollout has stopped at it"}},
	{name: "rollout stopped, instance unknown", make: func(_ *testing.T, w *world) { stopped(w); w.instance = nil }, state: status.StateFailed, code: status.FactRolloutStopped, says: []string{
		"whether it has come up since",
	}},
	{name: "rollout stopped, and the VM came up later", make: func(_ *testing.T, w *world) { stopped(w) }, state: status.StateOK, hides: []string{"stopped"}},
	{name: "snapshot failed", make: func(_ *testing.T, w *world) { failedSnapshot(w, "aaaa", "aaaa") }, state: status.StateFailed, code: status.FactNoSnapshot, says: []string{
		"nothing was changed, because the snapshot db-pre-bbbb-1 before the change failed: no snapshot class", "the next sync takes another",
	}},
	{name: "incomplete snapshot", make: func(_ *testing.T, w *world) { incompleteSnapshot(w, "True") }, state: status.StateFailed, code: status.FactNoSnapshot, says: []string{
		"the snapshot db-pre-bbbb-1 before the change failed: it is without rootdisk, data",
	}},
	{name: "snapshot that leaves out what may be", make: func(_ *testing.T, w *world) { incompleteSnapshot(w, "False") }, state: status.StateNotSynced, code: status.FactNotSynced, hides: []string{"failed"}},
	{name: "snapshot of another change failed", make: func(_ *testing.T, w *world) { failedSnapshot(w, "cccc", "aaaa") }, state: status.StateNotSynced, code: status.FactNotSynced, hides: []string{"snapshot"}},
	{name: "snapshot of this change failed before", make: func(_ *testing.T, w *world) { failedSnapshot(w, "aaaa", "bbbb") }, state: status.StateOK, hides: []string{"snapshot"}},
	{name: "snapshot on its schedule failed", make: func(_ *testing.T, w *world) { scheduledSnapshots(w, "Succeeded", "Failed") }, state: status.StateFailed, code: status.FactScheduleFailed, says: []string{
		"the newest snapshot of its schedule (daily 01:30 UTC, keep 7), db-at-1, has failed: no snapshot class", "the next run takes another",
	}},
	{name: "off on its schedule", make: func(_ *testing.T, w *world) { offOnSchedule(w) }, state: status.StateOK, hides: []string{"not run"}},
	{name: "not stopped on its schedule", make: func(_ *testing.T, w *world) { powerJobs(w, "off", "db", "Failed") }, state: status.StateFailed, code: status.FactPowerFailed, says: []string{
		"was not stopped on its schedule (off daily 19:00 UTC): the Job shop-power-off-0 has failed", "create a Job from its CronJob",
	}},
	{name: "not patched on its schedule", make: func(_ *testing.T, w *world) { patchJobs(w, "db", "Failed") }, state: status.StateFailed, code: status.FactPatchFailed, says: []string{
		"was not patched on its schedule (Sun 03:00 UTC): the Job db-patch-0 has failed", "create a Job from its CronJob",
	}},
	{name: "patched by a later Job", make: func(_ *testing.T, w *world) { patchJobs(w, "db", "Failed", "Complete") }, state: status.StateOK, hides: []string{"patched"}},
	{name: "a patch of another VM failed", make: func(_ *testing.T, w *world) { patchJobs(w, "web", "Failed") }, state: status.StateOK, hides: []string{"patched"}},
	{name: "stopped by a later Job", make: func(_ *testing.T, w *world) { powerJobs(w, "off", "db", "Failed", "Complete") }, state: status.StateOK, hides: []string{"on its schedule"}},
	{name: "a Job that failed because of another VM", make: func(_ *testing.T, w *world) {
		powerJobs(w, "off", "db", "Failed")
		w.instance, w.vm["status"] = nil, object{"printableStatus": "Stopped", "runStrategy": "RerunOnFailure"}
	}, state: status.StateOK, hides: []string{"on its schedule"}},
	{name: "a Job of other VMs, in a namespace with the name of this one", make: func(_ *testing.T, w *world) { powerJobs(w, "off", "web", "Failed") }, state: status.StateOK, hides: []string{"on its schedule"}},
	{name: "started by a user since it was not stopped", make: func(_ *testing.T, w *world) {
		powerJobs(w, "off", "db", "Failed")
		w.instance["metadata"].(object)["creationTimestamp"] = "2026-11-28T00:00:00Z"
	}, state: status.StateOK, hides: []string{"on its schedule"}},
	{name: "not started on its schedule", make: func(_ *testing.T, w *world) {
		powerJobs(w, "on", "db", "Failed")
		w.instance, w.vm["status"] = nil, object{"printableStatus": "Stopped", "runStrategy": "RerunOnFailure"}
	}, state: status.StateFailed, code: status.FactPowerFailed, says: []string{
		"was not started, or is not ready on its schedule (off daily 19:00 UTC): the Job shop-power-on-0 has failed",
	}},
	{name: "snapshot on its schedule failed before", make: func(_ *testing.T, w *world) { scheduledSnapshots(w, "Failed", "Succeeded") }, state: status.StateOK, hides: []string{"snapshot of its schedule"}},
	{name: "restore failed", make: func(_ *testing.T, w *world) { notRestored(w, "", "True") }, state: status.StateFailed, code: status.FactNotRestored, says: []string{
		"nothing was changed, because the restore from the snapshot before has failed", "the log of the Job tells why",
	}},
	{name: "restore under way", make: func(_ *testing.T, w *world) { notRestored(w, "", "False") }, state: status.StateNotSynced, code: status.FactNotSynced, hides: []string{"failed"}},
	{name: "restore that no Job made", make: func(_ *testing.T, w *world) { notRestored(w, "before@1-aabbccdd", "False") }, state: status.StateFailed, code: status.FactNotRestored, says: []string{
		"was not restored from the snapshot before: a sync of selected objects runs no Job", "with the next token",
	}},
	{name: "restored", make: func(_ *testing.T, w *world) {
		notRestored(w, "before@1-aabbccdd", "False")
		w.vm["metadata"].(object)["annotations"].(object)["restore.kubevirt.io/lastRestoreUID"] = "db-restore-1-aabbccdd-1"
	}, state: status.StateOK, hides: []string{"restored"}},
	{name: "selective sync", make: func(_ *testing.T, w *world) { selected(w, false) }, state: status.StateNotSynced, code: status.FactNotSynced, says: []string{
		"prod/db: the last sync of the Application shop was of selected objects, so that no snapshot was taken before it",
		"sync its whole Application", "takes no snapshot first",
	}, hides: []string{"prod/web"}},
	{name: "self-heal", make: func(_ *testing.T, w *world) { selected(w, true) }, state: status.StateNotSynced, code: status.FactNotSynced, hides: []string{"selected objects, so"}},
	{name: "rollout runs", make: func(_ *testing.T, w *world) { rolling(w, "2026-11-22T03:59:30.000000Z") }, state: status.StateRestart, code: status.FactRestart, says: []string{"a rollout is running, and restarts it in its turn"}},
	{name: "rollout that has died", make: func(_ *testing.T, w *world) { rolling(w, "2026-11-22T03:00:00.000000Z") }, state: status.StateRestart, code: status.FactRestart, hides: []string{"a rollout is running"}},
	{name: "disks are about to be copied", make: func(_ *testing.T, w *world) { noted(w, "db-new") }, state: status.StateUnderWay, code: status.FactUnderWay, says: []string{"is being changed while it runs: disks"}},
	{name: "disks are copied", make: func(_ *testing.T, w *world) {
		w.vm["status"].(object)["volumeUpdateState"] = object{"volumeMigrationState": object{"migratedVolumes": []any{object{"volumeName": "rootdisk"}}}}
	}, state: status.StateUnderWay, code: status.FactUnderWay, says: []string{"is being changed while it runs: disks"}},
	{name: "snapshot", make: func(_ *testing.T, w *world) {
		w.add(object{"apiVersion": "snapshot.kubevirt.io/v1beta1", "kind": "VirtualMachineSnapshot", "metadata": object{"name": "s", "namespace": "prod"}, "spec": object{"source": object{"kind": "VirtualMachine", "name": "db"}}})
	}, state: status.StateUnderWay, code: status.FactUnderWay, says: []string{"the snapshot s is pending"}},
	{name: "sync failed", make: func(_ *testing.T, w *world) {
		w.add(object{"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": object{"name": "shop", "namespace": "argocd"}, "status": object{
			"operationState": object{"phase": "Failed", "message": "denied", "syncResult": object{"revision": "abcd"}},
		}})
	}, state: status.StateOK, says: []string{"the last sync of the Application shop, of revision abcd, has failed: denied"}},
}

// stopped has a rollout that has stopped at the VM, which is ready now.
func stopped(w *world) {
	w.applied(both(set("shop", "metadata.labels.vmrender~io/rollout"), set("aaaa", "metadata.annotations.vmrender~io/content")))
	w.instance["status"].(object)["conditions"] = []any{object{"type": "Ready", "status": "True"}}
	w.add(object{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": object{
		"name": "shop-rollout", "namespace": "prod", "annotations": object{"vmrender.io/stopped": "db=aaaa"},
	}})
}

// broken sets the VM to a status that only a condition of its instance explains.
func broken(w *world, status, kind, message string) {
	w.vm["status"] = object{"printableStatus": status, "conditions": []any{
		object{"type": "Ready", "status": "False", "message": "Guest VM is not reported as running"},
		object{"type": kind, "status": "False", "message": message},
	}}
}

// unfillable sets the root disk to a phase and a condition that tells why it is not filled.
func unfillable(w *world, phase, kind, reason, message string) {
	w.others[0]["status"] = object{"phase": phase, "conditions": []any{
		object{"type": kind, "status": "False", "reason": reason, "message": message},
	}}
}

// failedSnapshot changes the VM in Git to the content bbbb; the snapshot before that change, from
// another content, has failed.
func failedSnapshot(w *world, from, is string) {
	w.applied(set(is, "metadata.annotations.vmrender~io/content"))
	in(0, set("bbbb", "metadata.annotations.vmrender~io/content"))(w.git)
	w.vm["metadata"].(object)["uid"], w.vm["metadata"].(object)["generation"] = "u-1", 7
	w.add(object{
		"apiVersion": "snapshot.kubevirt.io/v1beta1", "kind": "VirtualMachineSnapshot",
		"metadata": object{"name": "db-pre-bbbb-1", "namespace": "prod", "annotations": object{
			"vmrender.io/change": "u-1/7: " + from + " -> bbbb",
		}},
		"spec":   object{"source": object{"kind": "VirtualMachine", "name": "db"}},
		"status": object{"phase": "Failed", "error": object{"message": "no snapshot class"}},
	})
}

// incompleteSnapshot is like failedSnapshot with a snapshot that leaves out volumes. The status is
// that of the condition of the Job that it has failed.
func incompleteSnapshot(w *world, status string) {
	failedSnapshot(w, "aaaa", "aaaa")
	w.others[len(w.others)-1]["status"] = object{"phase": "Succeeded", "snapshotVolumes": object{"excludedVolumes": []any{"rootdisk", "data"}}}
	w.add(object{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": object{"name": "shop-snapshot", "namespace": "prod"},
		"spec":   object{"template": object{"spec": object{"containers": []any{object{"args": []any{"snapshot", "db=bbbb"}}}}}},
		"status": object{"conditions": []any{object{"type": "Failed", "status": status}}},
	})
}

// notRestored has Git restore the VM. The cluster has noted a restore, and the status is that of the condition of the Job
// that it has failed.
func notRestored(w *world, noted, failed string) {
	in(0, set("before@1-aabbccdd", "metadata.annotations.vmrender~io/restore"))(w.git)
	if noted != "" {
		w.vm["metadata"].(object)["annotations"].(object)["vmrender.io/restore"] = noted
	}
	w.add(object{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": object{"name": "shop-restore", "namespace": "prod"},
		"spec":   object{"template": object{"spec": object{"containers": []any{object{"args": []any{"restore", "db=before@1-aabbccdd"}}}}}},
		"status": object{"conditions": []any{object{"type": "Failed", "status": failed}}},
	})
}

// scheduledSnapshots sets a schedule of the VM, and adds snapshots of it with phases, the oldest first.
func scheduledSnapshots(w *world, phases ...string) {
	w.applied(set("daily 01:30 UTC, keep 7", "metadata.annotations.vmrender~io/snapshots"))
	for i, phase := range phases {
		w.add(object{
			"apiVersion": "snapshot.kubevirt.io/v1beta1", "kind": "VirtualMachineSnapshot",
			"metadata": object{
				"name": "db-at-" + strconv.Itoa(i), "namespace": "prod", "labels": object{"vmrender.io/schedule": "shop-01234567"},
				"creationTimestamp": "2026-11-2" + strconv.Itoa(i) + "T01:30:00Z",
			},
			"spec":   object{"source": object{"kind": "VirtualMachine", "name": "db"}},
			"status": object{"phase": phase, "error": object{"message": "no snapshot class"}},
		})
	}
}

// noted has KubeVirt's note that the root disk is copied to a claim.
func noted(w *world, claim string) {
	w.vm["status"].(object)["volumeUpdateState"] = object{"volumeMigrationState": object{"migratedVolumes": []any{
		object{"volumeName": "rootdisk", "destinationPVCInfo": object{"claimName": claim}},
	}}}
}

// selected has a change of the VM in Git, before which a Job takes a snapshot, and an Application
// whose last sync was of this VM only.
func selected(w *world, automated bool) {
	w.applied(set("aaaa", "metadata.annotations.vmrender~io/content"))
	in(0, set("bbbb", "metadata.annotations.vmrender~io/content"))(w.git)
	w.git = append(w.git, object{
		"apiVersion": "batch/v1", "kind": "Job",
		"metadata": object{"name": "shop-snapshot", "namespace": "prod", "annotations": object{"argocd.argoproj.io/hook": "PreSync"}},
		"spec":     object{"template": object{"spec": object{"containers": []any{object{"name": "vmrender", "args": []any{"snapshot", "db=bbbb"}}}}}},
	})
	vm := object{"group": "kubevirt.io", "kind": "VirtualMachine", "namespace": "prod", "name": "db"}
	other := object{"group": "kubevirt.io", "kind": "VirtualMachine", "namespace": "prod", "name": "web"}
	w.add(object{"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": object{"name": "shop", "namespace": "argocd"}, "status": object{
		"operationState": object{"phase": "Succeeded", "operation": object{
			"initiatedBy": object{"automated": automated}, "sync": object{"resources": []any{vm, other}},
		}},
	}})
}

// rolling makes the VM wait for a rollout to restart it. The rollout's run last renewed its
// Lease at the given time, before the time of the export, 04:00.
func rolling(w *world, renewed string) {
	w.applied(both(set("shop", "metadata.labels.vmrender~io/rollout"), set("cattle", "metadata.annotations.vmrender~io/lifecycle"), set("a", "spec.template.spec.hostname")))
	w.asks(notMovable)
	w.add(object{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": object{"name": "shop-rollout", "namespace": "prod"}, "spec": object{"holderIdentity": "pod_1", "renewTime": renewed}})
}

func TestStatus(t *testing.T) {
	for _, test := range standings {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			test.make(t, w)
			s := w.status(t)
			require.NotEmpty(t, s.VMs)
			v := s.VMs[0]
			require.Equal(t, test.state, v.State, "%+v", v.Facts)
			if test.state > status.StateOK {
				require.Equal(t, test.code, v.Facts[0].Code)
			}
			said := toldOf(s)
			for _, part := range test.says {
				require.Contains(t, said, part)
			}
			for _, part := range test.hides {
				require.NotContains(t, said, part)
			}
			for _, f := range v.Facts {
				require.Contains(t, status.FactCodes(), f.Code)
			}
		})
	}
}

func (w *world) status(t *testing.T) *status.Status {
	t.Helper()
	return status.New(encode(t, w.git), w.cluster, encode(t, w.state()))
}

// state returns the objects in the cluster.
func (w *world) state() []object {
	state := w.others
	for _, o := range []object{w.vm, w.instance, w.revision} {
		if o != nil {
			state = append(state, o)
		}
	}
	return state
}

// toldOf returns all texts of a status, as lines.
func toldOf(s *status.Status) string {
	lines := append([]string{}, s.Notes...)
	for _, v := range s.VMs {
		for _, f := range v.Facts {
			lines = append(lines, f.Says, f.Advice, f.Approximate)
		}
	}
	return strings.Join(lines, "\n")
}

// VMs that are no longer in Git are found by the Application that tracks those in Git, or by
// the marks of vmrender in the same namespaces. VMs of pools and of other Applications are
// not left over.
func TestStatusLeftOver(t *testing.T) {
	other := func(name string, edit func(object)) []manifest.Object {
		w := newWorld(t)
		vm := load(t, "pet")
		tracked(vm)
		vm[0]["metadata"].(object)["name"] = "old"
		edit(vm[0])
		w.add(vm[0])
		s := w.status(t)
		require.Equal(t, name == "", len(s.VMs) == 1, "%s: %+v", name, s.VMs)
		if name != "" {
			require.Equal(t, status.StateLeftOver, s.VMs[0].State)
			require.Contains(t, toldOf(s), name)
		}
		return nil
	}
	tracking := splitPath("metadata.annotations.argocd~argoproj~io/tracking-id")
	other("the Application shop tracks it; Prune=false keeps it", func(vm object) { setIn(vm, tracking, "shop:kubevirt.io/VirtualMachine:prod/old") })
	other("", func(vm object) { setIn(vm, tracking, "tools:kubevirt.io/VirtualMachine:prod/old") })
	other("", func(vm object) {
		setIn(vm, tracking, "shop:kubevirt.io/VirtualMachine:prod/old")
		setIn(vm, splitPath("metadata.ownerReferences"), []any{object{"kind": "VirtualMachinePool", "name": "web"}})
	})
}

// The names of a pool's disks are those of its template, so no VM has them.
func TestStatusOfPool(t *testing.T) {
	pool := func(ready int) object {
		return object{
			"apiVersion": "pool.kubevirt.io/v1beta1", "kind": "VirtualMachinePool", "metadata": object{"name": "web", "namespace": "prod"},
			"spec":   object{"replicas": 3, "virtualMachineTemplate": object{"spec": load(t, "cattle")[0]["spec"]}},
			"status": object{"readyReplicas": ready},
		}
	}
	w := newWorld(t)
	w.git = append(w.git, pool(0))
	w.claim("db-scratch", "ReadWriteMany")
	w.add(pool(3))
	require.Equal(t, status.StateOK, w.status(t).Worst(), toldOf(w.status(t)))
	w.others[len(w.others)-1] = pool(1)
	require.Contains(t, toldOf(w.status(t)), "of 3 VMs, one is ready")
}

// The worst VMs come first, and every VM is counted.
func TestStatusOrder(t *testing.T) {
	w := newWorld(t)
	w.git = append(w.git, load(t, "cattle")...)
	w.applied(set("a", "spec.template.spec.hostname"))
	w.asks(notMovable)
	s := w.status(t)
	require.Len(t, s.VMs, 2)
	require.Equal(t, status.StateNotSynced, s.Worst())
	require.Equal(t, "web", s.VMs[0].ID.Name)
	require.Equal(t, map[status.State]int{status.StateNotSynced: 1, status.StateRestart: 1}, s.Counts)
}

// The fields that a status shows contain no secrets.
func TestStatusHidesSecrets(t *testing.T) {
	w := newWorld(t)
	w.applied(set("#cloud-config\npassword: hunter2\n", "spec.template.spec.volumes.3.cloudInitNoCloud.userData"))
	w.asks(notMovable)
	text, err := json.Marshal(w.status(t))
	require.NoError(t, err)
	require.Contains(t, string(text), "waits for a restart: cloudInit")
	require.NotContains(t, string(text), "hunter2")
	require.NotContains(t, string(text), "s3cret")
}

// powerJobs sets times of power, and adds Jobs that were to stop or start a VM, the oldest first.
func powerJobs(w *world, action, vm string, conditions ...string) {
	w.applied(both(set("RerunOnFailure", "spec.runStrategy"), set("off daily 19:00 UTC", "metadata.annotations.vmrender~io/power")))
	for i, condition := range conditions {
		w.add(object{
			"apiVersion": "batch/v1", "kind": "Job",
			"metadata": object{
				"name": "shop-power-" + action + "-" + strconv.Itoa(i), "namespace": "prod",
				"creationTimestamp": "2026-11-2" + strconv.Itoa(i+5) + "T19:00:00Z",
			},
			"spec": object{"template": object{"spec": object{"containers": []any{object{"name": "vmrender", "args": []any{
				"power", action, "--namespace", "db", "--id", "shop-power", "--timeout=15m", vm,
			}}}}}},
			"status": object{"conditions": []any{object{"type": condition, "status": "True"}}},
		})
	}
}

// patchJobs sets times of Ansible, and adds Jobs that were to patch a VM, the oldest first.
func patchJobs(w *world, vm string, conditions ...string) {
	w.applied(set("Sun 03:00 UTC", "metadata.annotations.vmrender~io/patch"))
	for i, condition := range conditions {
		w.add(object{
			"apiVersion": "batch/v1", "kind": "Job",
			"metadata": object{
				"name": "db-patch-" + strconv.Itoa(i), "namespace": "prod",
				"creationTimestamp": "2026-11-2" + strconv.Itoa(i+5) + "T03:00:00Z",
			},
			"spec": object{"template": object{"spec": object{"containers": []any{object{"name": "vmrender", "args": []any{
				"patch", vm, "/patch/job.json", "--namespace", "prod", "--job", "$(JOB_NAME)", "--timeout", "1h", "--snapshot",
			}}}}}},
			"status": object{"conditions": []any{object{"type": condition, "status": "True"}}},
		})
	}
}

// offOnSchedule has a VM that its schedule has stopped.
func offOnSchedule(w *world) {
	w.applied(both(set("RerunOnFailure", "spec.runStrategy"), set("off daily 19:00 UTC", "metadata.annotations.vmrender~io/power")))
	w.instance, w.vm["status"] = nil, object{"printableStatus": "Stopped", "runStrategy": "RerunOnFailure"}
}
