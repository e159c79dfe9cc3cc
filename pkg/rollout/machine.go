package rollout

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/labels"
)

// stage is the progress of a VirtualMachine in a rollout.
type stage uint8

const (
	skipped    stage = iota // not running, or must not be restarted: nothing to do
	barred                  // needs a change, because a rollout of this content has stopped
	failed                  // waiting will not help
	waiting                 // a disk is not filled, or KubeVirt has not processed the change yet
	outdated                // must be restarted
	restarting              // restart requested, but not running yet
	starting                // up to date, but not ready
	current                 // up to date and ready
)

// machine is the observed state of one VirtualMachine.
type machine struct {
	*kubevirtv1.VirtualMachine
	instance *kubevirtv1.VirtualMachineInstance // nil while the VM does not run
	disks    map[string]*cdiv1.DataVolume       // DataVolumes of the namespace, by name
	pet      bool                               // restarted in a window, whatever its lifecycle
	asked    types.UID                          // the instance for which this run has requested a restart
}

// stage returns the stage of the VM, and the reason for users.
func (m *machine) stage() (stage, string) {
	why := m.skipReason()
	if busy := m.busy(); m.pet && why == "" && busy != "" {
		why = busy + ", so it is not restarted"
	}
	if why != "" {
		return skipped, why
	}
	why, broken := m.unfilledDisk()
	switch {
	case broken:
		return failed, why
	case m.isRestarting():
		return restarting, m.trouble()
	case why != "":
		return waiting, why
	case m.instance == nil:
		return starting, m.trouble()
	case m.hasUnseenChange():
		return waiting, "KubeVirt has not looked at the change yet"
	case m.asksForRestart() && m.asked != "":
		return restarting, "restarted, and requires a restart again"
	case m.asksForRestart():
		return outdated, m.change()
	case !m.isReady():
		return starting, m.trouble()
	}
	return current, ""
}

// skipReason returns the reason why the VM must not be restarted, or "" if it may
// be. The restart subresource accepts the run strategies Always, Manual and
// RerunOnFailure (KubeVirt v1.9, pkg/virt-api/rest/lifecycle.go, RestartVM).
func (m *machine) skipReason() string {
	strategy, err := m.RunStrategy()
	switch {
	case m.Annotations[labels.Lifecycle] == labels.Pet && !m.pet:
		return "a pet, so it is not restarted"
	case m.Annotations[labels.Lifecycle] == labels.Cattle && m.pet:
		return "cattle, which has a rollout of its own"
	case err != nil:
		return err.Error()
	case m.DeletionTimestamp != nil:
		return "being deleted"
	case m.isPaused():
		return "paused, so it is not restarted"
	case strategy == kubevirtv1.RunStrategyAlways:
		return ""
	case strategy != kubevirtv1.RunStrategyManual && strategy != kubevirtv1.RunStrategyRerunOnFailure:
		return fmt.Sprintf("run strategy %s, so it is not restarted", strategy)
	case m.isStopped():
		return "not running; it takes the change when it is started"
	}
	return ""
}

// isPaused reports whether a user has paused the running instance. The condition may
// still be that of an instance that a restart has ended.
func (m *machine) isPaused() bool {
	return m.instance != nil && !m.isRestarting() &&
		m.condition(kubevirtv1.VirtualMachinePaused) == corev1.ConditionTrue
}

// isStopped reports whether the VM was not started, or its guest has shut down.
func (m *machine) isStopped() bool {
	if m.isRestarting() {
		return false
	}
	if m.instance == nil {
		return !m.Status.Created
	}
	return m.instance.Status.Phase == kubevirtv1.Succeeded
}

// isRestarting reports whether a restart was requested and is not completed. KubeVirt
// removes the request to start when the new instance exists
// (pkg/virt-controller/watch/vm/vm.go, isTrimFirstChangeRequestNeeded).
//
// The VM and its instance are watched separately, so a request of this run may not
// be visible in both yet.
func (m *machine) isRestarting() bool {
	if m.instance == nil {
		return m.asked != "" || len(m.Status.StateChangeRequests) > 0
	}
	return m.instance.UID == m.asked || m.instance.DeletionTimestamp != nil || len(m.Status.StateChangeRequests) > 0
}

// hasUnseenChange reports whether KubeVirt's conditions refer to an older spec. The
// status field desiredGeneration has the usual meaning of an observed generation.
// The field observedGeneration is the generation that the running instance was
// started from; a change that needs no restart does not update it
// (pkg/virt-controller/watch/vm/vm.go, syncGenerationInfo).
func (m *machine) hasUnseenChange() bool {
	seen := m.Status.DesiredGeneration
	return seen != 0 && seen < m.Generation
}

// unfilledDisk returns the reason why the VM cannot start from its
// dataVolumeTemplates, or "" if it can, and whether that is permanent. KubeVirt
// itself starts a VM with a DataVolume that waits for its first consumer
// (pkg/virt-controller/watch/vm/vm.go, handleDataVolumes).
func (m *machine) unfilledDisk() (why string, broken bool) {
	for i := range m.Spec.DataVolumeTemplates {
		name := m.Spec.DataVolumeTemplates[i].Name
		disk := m.disks[name]
		if disk == nil {
			if !m.uses(name) {
				return fmt.Sprintf("disk %s is not there yet", name), false
			}
			continue
		}
		switch phase := disk.Status.Phase; phase {
		case cdiv1.Succeeded, cdiv1.WaitForFirstConsumer, cdiv1.PendingPopulation:
		case cdiv1.Failed:
			return fmt.Sprintf("disk %s failed%s", name, diskMessage(disk)), true
		default:
			why = fmt.Sprintf("disk %s: %s %s", name, cmp.Or(phase, cdiv1.Pending), disk.Status.Progress)
			return strings.TrimSpace(why), false
		}
	}
	return "", false
}

// diskMessage returns CDI's message about the import of a disk, after a colon, or ""
// if there is none.
func diskMessage(disk *cdiv1.DataVolume) string {
	for _, c := range disk.Status.Conditions {
		if c.Type == cdiv1.DataVolumeRunning && c.Message != "" {
			return ": " + c.Message
		}
	}
	return ""
}

// uses reports whether the running instance uses a PVC.
func (m *machine) uses(claim string) bool {
	if m.instance == nil {
		return false
	}
	for i := range m.instance.Spec.Volumes {
		if claimOf(&m.instance.Spec.Volumes[i]) == claim {
			return true
		}
	}
	return false
}

// asksForRestart reports whether the change takes effect only with a restart.
// KubeVirt sets RestartRequired only after the new disk is filled, but that the
// running instance has another disk is visible before. The disks of a pet can be different while KubeVirt
// copies them.
func (m *machine) asksForRestart() bool {
	asks := m.condition(kubevirtv1.VirtualMachineRestartRequired) == corev1.ConditionTrue && !m.startedAsIs()
	return asks || !m.pet && m.otherDisk() != ""
}

// startedAsIs reports whether the running instance was started from the spec that the VM
// has now. KubeVirt can require a restart nevertheless: it compares the VM with the newest
// revision that it has seen, and watches revisions and instances separately. After an
// outage of the API server, it may see an instance long before its revision. It looks again
// only when the VM or its instance changes (KubeVirt v1.8.4,
// pkg/virt-controller/watch/vm/vm.go, getLastVMRevisionSpec and getVMRevisionName).
func (m *machine) startedAsIs() bool {
	return m.instance.Status.VirtualMachineRevisionName == fmt.Sprintf("revision-start-vm-%s-%d", m.UID, m.Generation)
}

// otherDisk returns the PVC of a volume for which the running instance has another
// PVC or none, or "" if there is no such volume. A hotpluggable disk needs no
// restart.
func (m *machine) otherDisk() string {
	running := map[string]string{}
	for i := range m.instance.Spec.Volumes {
		v := &m.instance.Spec.Volumes[i]
		running[v.Name] = claimOf(v)
	}
	volumes := m.Spec.Template.Spec.Volumes
	for i := range volumes {
		claim := claimOf(&volumes[i])
		if claim != "" && !isHotpluggable(&volumes[i]) && running[volumes[i].Name] != claim {
			return claim
		}
	}
	return ""
}

// change returns a description of the change that needs a restart.
func (m *machine) change() string {
	if claim := m.otherDisk(); claim != "" {
		return "disk " + claim
	}
	return "changed settings"
}

// isReady reports whether an instance runs and is ready. The VM's condition is copied
// from the instance, so it may still be that of a deleted instance, also where the new
// one is seen already.
func (m *machine) isReady() bool {
	return m.instance != nil && m.instance.Status.Phase == kubevirtv1.Running && isInstanceReady(m.instance) &&
		m.condition(kubevirtv1.VirtualMachineReady) == corev1.ConditionTrue
}

func isInstanceReady(vmi *kubevirtv1.VirtualMachineInstance) bool {
	return slices.ContainsFunc(vmi.Status.Conditions, func(c kubevirtv1.VirtualMachineInstanceCondition) bool {
		return c.Type == kubevirtv1.VirtualMachineInstanceReady && c.Status == corev1.ConditionTrue
	})
}

// trouble returns KubeVirt's status and messages about a VM that is not ready.
func (m *machine) trouble() string {
	words := []string{cmp.Or(string(m.Status.PrintableStatus), "not ready")}
	for _, c := range m.Status.Conditions {
		notReady := c.Type == kubevirtv1.VirtualMachineReady && c.Status != corev1.ConditionTrue
		if (notReady || c.Type == kubevirtv1.VirtualMachineFailure) && c.Message != "" {
			words = append(words, c.Message)
		}
	}
	return strings.Join(words, ": ")
}

func (m *machine) condition(of kubevirtv1.VirtualMachineConditionType) corev1.ConditionStatus {
	for _, c := range m.Status.Conditions {
		if c.Type == of {
			return c.Status
		}
	}
	return ""
}

// running returns the UID of the running instance, or "" if there is none.
func (m *machine) running() types.UID {
	if m.instance == nil {
		return ""
	}
	return m.instance.UID
}

// content returns what the VM is to be: the hash that was rendered for it, or for a
// VM of an earlier release of vmrender, its generation.
func (m *machine) content() string {
	return cmp.Or(m.Annotations[labels.Content], fmt.Sprintf("generation-%d", m.Generation))
}

// deadline returns the time within which a step of the VM must be complete. By
// default, this is the given time and the time that its guest may take to stop.
func (m *machine) deadline(timeout time.Duration) (time.Duration, error) {
	if text, ok := m.Annotations[labels.ProgressDeadline]; ok {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return 0, fmt.Errorf("%s: annotation %s: invalid number %q; expected seconds, from 1",
				m.Name, labels.ProgressDeadline, text)
		}
		return time.Duration(n) * time.Second, nil
	}
	if grace := m.Spec.Template.Spec.TerminationGracePeriodSeconds; grace != nil {
		timeout += time.Duration(*grace) * time.Second
	}
	return timeout, nil
}

// keepOld returns the number of outdated root disks of the VM to keep.
func (m *machine) keepOld() (int, error) {
	text, ok := m.Annotations[labels.KeepOld]
	if !ok {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s: annotation %s: invalid number %q; expected 0 or more", m.Name, labels.KeepOld, text)
	}
	return n, nil
}

// claimOf returns the PVC of a volume, which has the same name as its DataVolume, or
// "" for other volumes.
func claimOf(v *kubevirtv1.Volume) string {
	switch {
	case v.DataVolume != nil:
		return v.DataVolume.Name
	case v.PersistentVolumeClaim != nil:
		return v.PersistentVolumeClaim.ClaimName
	}
	return ""
}

func isHotpluggable(v *kubevirtv1.Volume) bool {
	return v.DataVolume != nil && v.DataVolume.Hotpluggable ||
		v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.Hotpluggable
}
