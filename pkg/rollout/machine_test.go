package rollout

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/labels"
)

// running returns a VM that runs with its own disk and is ready.
func running(name string) *machine {
	disk := name + "-root-1"
	return &machine{
		VirtualMachine: &kubevirtv1.VirtualMachine{
			ObjectMeta: metav1.ObjectMeta{
				Name: name, Namespace: "prod", UID: types.UID("uid-" + name), Generation: 3,
				Labels: map[string]string{labels.Rollout: "web"}, Annotations: map[string]string{},
			},
			Spec: kubevirtv1.VirtualMachineSpec{
				RunStrategy:         new(kubevirtv1.RunStrategyAlways),
				DataVolumeTemplates: []kubevirtv1.DataVolumeTemplateSpec{{ObjectMeta: metav1.ObjectMeta{Name: disk}}},
				Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{
					Spec: kubevirtv1.VirtualMachineInstanceSpec{Volumes: rootVolume(disk)},
				},
			},
			Status: kubevirtv1.VirtualMachineStatus{
				Created: true, DesiredGeneration: 3, PrintableStatus: kubevirtv1.VirtualMachineStatusRunning,
				Conditions: []kubevirtv1.VirtualMachineCondition{
					{Type: kubevirtv1.VirtualMachineReady, Status: corev1.ConditionTrue},
				},
			},
		},
		instance: &kubevirtv1.VirtualMachineInstance{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "prod", UID: types.UID("instance-" + name)},
			Spec:       kubevirtv1.VirtualMachineInstanceSpec{Volumes: rootVolume(disk)},
			Status:     instanceStatus(corev1.ConditionTrue),
		},
		disks: map[string]*cdiv1.DataVolume{disk: filled(name, disk, cdiv1.Succeeded)},
	}
}

// instanceStatus returns the status of a running instance that is ready or not.
func instanceStatus(ready corev1.ConditionStatus) kubevirtv1.VirtualMachineInstanceStatus {
	return kubevirtv1.VirtualMachineInstanceStatus{
		Phase: kubevirtv1.Running,
		Conditions: []kubevirtv1.VirtualMachineInstanceCondition{
			{Type: kubevirtv1.VirtualMachineInstanceReady, Status: ready},
		},
	}
}

func rootVolume(claim string) []kubevirtv1.Volume {
	return []kubevirtv1.Volume{
		{Name: "rootdisk", VolumeSource: kubevirtv1.VolumeSource{DataVolume: &kubevirtv1.DataVolumeSource{Name: claim}}},
		{Name: "cloudinitdisk", VolumeSource: kubevirtv1.VolumeSource{
			CloudInitNoCloud: &kubevirtv1.CloudInitNoCloudSource{},
		}},
	}
}

func filled(owner, name string, phase cdiv1.DataVolumePhase) *cdiv1.DataVolume {
	return &cdiv1.DataVolume{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "prod", UID: types.UID("uid-" + name), Labels: map[string]string{labels.Disk: "root"},
			OwnerReferences: []metav1.OwnerReference{{Kind: "VirtualMachine", Name: owner, UID: types.UID("uid-" + owner)}},
		},
		Status: cdiv1.DataVolumeStatus{Phase: phase},
	}
}

// bump replaces the root disk of the VM with another one, in a phase of its import.
func bump(m *machine, phase cdiv1.DataVolumePhase) {
	disk := m.Name + "-root-2"
	m.Spec.DataVolumeTemplates[0].Name = disk
	m.Spec.Template.Spec.Volumes = rootVolume(disk)
	m.disks[disk] = filled(m.Name, disk, phase)
}

func set(m *machine, condition kubevirtv1.VirtualMachineConditionType, status corev1.ConditionStatus) {
	for i := range m.Status.Conditions {
		if c := &m.Status.Conditions[i]; c.Type == condition {
			c.Status, c.Message = status, "guest is not up"
			return
		}
	}
	m.Status.Conditions = append(m.Status.Conditions, kubevirtv1.VirtualMachineCondition{Type: condition, Status: status})
}

func needsRestart(m *machine) { set(m, kubevirtv1.VirtualMachineRestartRequired, corev1.ConditionTrue) }
func notReady(m *machine)     { set(m, kubevirtv1.VirtualMachineReady, corev1.ConditionFalse) }

func strategy(s kubevirtv1.VirtualMachineRunStrategy) func(*machine) {
	return func(m *machine) { m.Spec.RunStrategy = &s }
}

func requested(m *machine) {
	uid := m.instance.UID
	m.Status.StateChangeRequests = []kubevirtv1.VirtualMachineStateChangeRequest{
		{Action: "Stop", UID: &uid}, {Action: "Start"},
	}
}

func TestStage(t *testing.T) {
	type changes []func(*machine)
	bumped := func(phase cdiv1.DataVolumePhase) func(*machine) {
		return func(m *machine) { bump(m, phase) }
	}
	addDisk := func(hotpluggable bool) func(*machine) {
		return func(m *machine) {
			v := kubevirtv1.Volume{Name: "data", VolumeSource: claim("web-data", hotpluggable)}
			m.Spec.Template.Spec.Volumes = append(m.Spec.Template.Spec.Volumes, v)
		}
	}
	for name, c := range map[string]struct {
		change changes
		want   stage
		why    string
	}{
		"up to date":                     {nil, current, ""},
		"settings changed":               {changes{needsRestart}, outdated, "changed settings"},
		"restart no longer required":     {changes{func(m *machine) { set(m, "RestartRequired", "False") }}, current, ""},
		"other disk, filled":             {changes{bumped(cdiv1.Succeeded)}, outdated, "disk web-root-2"},
		"other disk, for first consumer": {changes{bumped(cdiv1.WaitForFirstConsumer)}, outdated, "disk web-root-2"},
		"other disk, to be populated":    {changes{bumped(cdiv1.PendingPopulation)}, outdated, "disk web-root-2"},
		"other disk, importing": {
			changes{bumped(cdiv1.ImportInProgress)},
			waiting, "disk web-root-2: ImportInProgress",
		},
		"other disk, not looked at": {changes{bumped(cdiv1.PhaseUnset)}, waiting, "disk web-root-2: Pending"},
		"other disk, not created": {
			changes{func(m *machine) { bump(m, ""); delete(m.disks, "web-root-2") }},
			waiting, "disk web-root-2 is not there yet",
		},
		"other disk, failed":              {changes{bumped(cdiv1.Failed)}, failed, "disk web-root-2 failed"},
		"same disk, DataVolume collected": {changes{func(m *machine) { delete(m.disks, "web-root-1") }}, current, ""},
		"disk added":                      {changes{addDisk(false)}, outdated, "disk web-data"},
		"disk to plug in":                 {changes{addDisk(true)}, current, ""},
		"ready as the instance before it": {
			changes{func(m *machine) { m.instance.Status = instanceStatus(corev1.ConditionFalse) }},
			starting, "Running",
		},
		"not looked at yet": {
			changes{func(m *machine) { m.Generation = 4 }},
			waiting, "KubeVirt has not looked at the change yet",
		},
		"generation not reported": {
			changes{func(m *machine) { m.Generation, m.Status.DesiredGeneration = 4, 0 }},
			current, "",
		},
		"live change":                 {changes{func(m *machine) { m.Status.ObservedGeneration = 1 }}, current, ""},
		"not ready":                   {changes{notReady}, starting, "Running: guest is not up"},
		"not ready and to be changed": {changes{notReady, needsRestart}, outdated, "changed settings"},
		"instance scheduling": {
			changes{func(m *machine) { m.instance.Status.Phase = kubevirtv1.Scheduling }},
			starting, "Running",
		},
		"restart requested": {changes{needsRestart, requested}, restarting, "Running"},
		"old instance stopping": {changes{needsRestart, func(m *machine) {
			m.instance.DeletionTimestamp = new(metav1.Now())
		}}, restarting, "Running"},
		"between instances":    {changes{requested, gone}, restarting, "Running"},
		"gone, always running": {changes{gone}, starting, "Running"},
		"first disk importing": {
			changes{gone, bumped(cdiv1.ImportScheduled)},
			waiting, "disk web-root-2: ImportScheduled",
		},
		"halted": {changes{needsRestart, strategy("Halted")}, skipped, "run strategy Halted, so it is not restarted"},
		"not to run": {changes{func(m *machine) {
			m.Spec.RunStrategy, m.Spec.Running = nil, new(false)
		}}, skipped, "run strategy Halted, so it is not restarted"},
		"to run": {changes{needsRestart, func(m *machine) {
			m.Spec.RunStrategy, m.Spec.Running = nil, new(true)
		}}, outdated, "changed settings"},
		"once":            {changes{needsRestart, strategy("Once")}, skipped, "run strategy Once, so it is not restarted"},
		"manual, running": {changes{needsRestart, strategy("Manual")}, outdated, "changed settings"},
		"manual, stopped": {
			changes{strategy("Manual"), gone, stoppedStatus},
			skipped, "not running; it takes the change when it is started",
		},
		"manual, between instances": {
			changes{strategy("Manual"), requested, gone, stoppedStatus},
			restarting, "Running",
		},
		"guest has shut down": {
			changes{strategy("RerunOnFailure"), phase(kubevirtv1.Succeeded)},
			skipped, "not running; it takes the change when it is started",
		},
		"guest has crashed":     {changes{strategy("RerunOnFailure"), phase(kubevirtv1.Failed)}, starting, "Running"},
		"instance not seen yet": {changes{strategy("RerunOnFailure"), gone}, starting, "Running"},
		"being deleted": {
			changes{needsRestart, func(m *machine) { m.DeletionTimestamp = new(metav1.Now()) }},
			skipped, "being deleted",
		},
		"pet":                         {changes{needsRestart, pet}, skipped, "a pet, so it is not restarted"},
		"paused":                      {changes{needsRestart, paused}, skipped, "paused, so it is not restarted"},
		"paused, but stopping":        {changes{needsRestart, paused, requested}, restarting, "Running"},
		"asked, request not seen yet": {changes{needsRestart, asked}, restarting, "Running"},
		"asked, request and instance gone": {
			changes{asked, strategy("Manual"), gone, stoppedStatus},
			restarting, "Running",
		},
		"asked, halted meanwhile": {
			changes{asked, strategy("Halted"), gone},
			skipped, "run strategy Halted, so it is not restarted",
		},
		"asked, new instance":           {changes{asked, reborn}, current, ""},
		"asked, new instance not ready": {changes{asked, reborn, notReady}, starting, "Running: guest is not up"},
		"asked, asks for a restart indefinitely": {
			changes{asked, reborn, needsRestart},
			restarting, "restarted, and requires a restart again",
		},
		"asked, started as it is to be, but compared with the start before": {
			changes{asked, reborn, needsRestart, startedFrom(3)}, current, "",
		},
		"asked, changed since the start": {
			changes{asked, reborn, needsRestart, startedFrom(2)},
			restarting, "restarted, and requires a restart again",
		},
		"started as it is to be, with another disk": {changes{addDisk(false), startedFrom(3)}, outdated, "disk web-data"},
	} {
		t.Run(name, func(t *testing.T) {
			m := running("web")
			for _, change := range c.change {
				change(m)
			}
			got, why := m.stage()
			require.Equal(t, c.want, got, why)
			require.Equal(t, c.why, why)
		})
	}
}

// startedFrom sets the generation that the instance was started from.
func startedFrom(generation int) func(*machine) {
	return func(m *machine) {
		m.instance.Status.VirtualMachineRevisionName = fmt.Sprintf("revision-start-vm-%s-%d", m.UID, generation)
	}
}

func pet(m *machine) { m.Annotations[labels.Lifecycle] = labels.Pet }

func claim(name string, hotplug bool) kubevirtv1.VolumeSource {
	return kubevirtv1.VolumeSource{PersistentVolumeClaim: &kubevirtv1.PersistentVolumeClaimVolumeSource{
		PersistentVolumeClaimVolumeSource: corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}, Hotpluggable: hotplug,
	}}
}

func gone(m *machine)          { m.instance = nil }
func stoppedStatus(m *machine) { m.Status.Created = false }
func asked(m *machine)         { m.asked = m.instance.UID }
func paused(m *machine)        { set(m, kubevirtv1.VirtualMachinePaused, corev1.ConditionTrue) }
func reborn(m *machine)        { m.instance.UID = "another" }

func phase(p kubevirtv1.VirtualMachineInstancePhase) func(*machine) {
	return func(m *machine) { m.instance.Status.Phase = p }
}
