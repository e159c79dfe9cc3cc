package rollout

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/labels"
)

// stage is how far a VirtualMachine has come.
type stage uint8

const (
	skipped    stage = iota // nothing to do: it does not run, or is not to be restarted
	failed                  // it will not come about by waiting
	waiting                 // a disk is not filled, or KubeVirt has not looked at the change yet
	outdated                // to be restarted
	restarting              // asked to restart, and not running yet
	starting                // up to date, and not ready
	current                 // up to date and ready
)

// machine is what is seen of one VirtualMachine.
type machine struct {
	*kubevirtv1.VirtualMachine
	instance *kubevirtv1.VirtualMachineInstance // nil while it does not run
	disks    map[string]*cdiv1.DataVolume       // DataVolumes of the namespace, by name
	asked    types.UID                          // the instance that this run has asked to restart
}

// stage tells how far the machine has come, and why in words.
func (m *machine) stage() (stage, string) {
	if why := m.leftAlone(); why != "" {
		return skipped, why
	}
	why, broken := m.unfilledDisk()
	switch {
	case broken:
		return failed, why
	case m.underWay():
		return restarting, m.trouble()
	case why != "":
		return waiting, why
	case m.instance == nil:
		return starting, m.trouble()
	case m.unseen():
		return waiting, "KubeVirt has not looked at the change yet"
	case m.asksForRestart() && m.asked != "":
		return restarting, "restarted, and asks for a restart again"
	case m.asksForRestart():
		return outdated, m.change()
	case !m.ready():
		return starting, m.trouble()
	}
	return current, ""
}

// leftAlone says why the machine is not to be restarted, or nothing. The restart
// subresource takes the run strategies Always, Manual and RerunOnFailure
// (KubeVirt v1.9, pkg/virt-api/rest/lifecycle.go, RestartVM).
func (m *machine) leftAlone() string {
	strategy, err := m.RunStrategy()
	switch {
	case err != nil:
		return err.Error()
	case m.DeletionTimestamp != nil:
		return "being deleted"
	case strategy == kubevirtv1.RunStrategyAlways:
		return ""
	case strategy != kubevirtv1.RunStrategyManual && strategy != kubevirtv1.RunStrategyRerunOnFailure:
		return fmt.Sprintf("run strategy %s, so it is not restarted", strategy)
	case m.stopped():
		return "not running; it takes the change when it is started"
	}
	return ""
}

// stopped tells that nobody has asked the machine to run, or its guest has shut down.
func (m *machine) stopped() bool {
	if m.underWay() {
		return false
	}
	if m.instance == nil {
		return !m.Status.Created
	}
	return m.instance.Status.Phase == kubevirtv1.Succeeded
}

// underWay tells that a restart has been asked for and not come about. KubeVirt
// takes the request to start off when the new instance is there
// (pkg/virt-controller/watch/vm/vm.go, isTrimFirstChangeRequestNeeded).
//
// The machine and its instance are watched apart, so what this run has asked for
// may not show yet.
func (m *machine) underWay() bool {
	if m.instance == nil {
		return m.asked != "" || len(m.Status.StateChangeRequests) > 0
	}
	return m.instance.UID == m.asked || m.instance.DeletionTimestamp != nil || len(m.Status.StateChangeRequests) > 0
}

// unseen tells that KubeVirt's conditions are about an older spec. The status
// field with the usual meaning of an observed generation is desiredGeneration;
// observedGeneration is the one that the running instance was started from, and
// stays behind after a change that needs no restart
// (pkg/virt-controller/watch/vm/vm.go, syncGenerationInfo).
func (m *machine) unseen() bool {
	seen := m.Status.DesiredGeneration
	return seen != 0 && seen < m.Generation
}

// unfilledDisk names the first disk of the machine's own that cannot be started
// from, and tells whether it never will be. KubeVirt itself starts with a
// DataVolume that waits for its first consumer
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
			return strings.TrimSpace(fmt.Sprintf("disk %s: %s %s", name, cmp.Or(phase, cdiv1.Pending), disk.Status.Progress)), false
		}
	}
	return "", false
}

// diskMessage is what CDI says of a disk that is not running.
func diskMessage(disk *cdiv1.DataVolume) string {
	for _, c := range disk.Status.Conditions {
		if c.Type == cdiv1.DataVolumeRunning && c.Message != "" {
			return ": " + c.Message
		}
	}
	return ""
}

// uses tells whether the running instance has a claim.
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

// asksForRestart tells whether only a restart makes the change come true.
// KubeVirt says so only after the new disk is filled; that the running instance
// has another disk shows before.
func (m *machine) asksForRestart() bool {
	return m.condition(kubevirtv1.VirtualMachineRestartRequired) == corev1.ConditionTrue || m.otherDisk() != ""
}

// otherDisk is the claim of a volume for which the running instance has another
// one or none. A disk that can be plugged in needs no restart.
func (m *machine) otherDisk() string {
	running := map[string]string{}
	for i := range m.instance.Spec.Volumes {
		v := &m.instance.Spec.Volumes[i]
		running[v.Name] = claimOf(v)
	}
	volumes := m.Spec.Template.Spec.Volumes
	for i := range volumes {
		claim := claimOf(&volumes[i])
		if claim != "" && !hotpluggable(&volumes[i]) && running[volumes[i].Name] != claim {
			return claim
		}
	}
	return ""
}

// change says what a restart will bring.
func (m *machine) change() string {
	if claim := m.otherDisk(); claim != "" {
		return "disk " + claim
	}
	return "changed settings"
}

// ready tells that the running instance is there for its users. The machine's
// own condition is copied from the instance's, so it may still be the one of an
// instance that is gone.
func (m *machine) ready() bool {
	return m.instance != nil && m.instance.Status.Phase == kubevirtv1.Running &&
		m.condition(kubevirtv1.VirtualMachineReady) == corev1.ConditionTrue
}

// trouble says what KubeVirt says of a machine that is not ready.
func (m *machine) trouble() string {
	words := []string{string(m.Status.PrintableStatus)}
	for _, c := range m.Status.Conditions {
		notReady := c.Type == kubevirtv1.VirtualMachineReady && c.Status != corev1.ConditionTrue
		if (notReady || c.Type == kubevirtv1.VirtualMachineFailure) && c.Message != "" {
			words = append(words, c.Message)
		}
	}
	if words[0] == "" {
		words[0] = "not ready"
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

// running identifies the running instance; empty where there is none.
func (m *machine) running() types.UID {
	if m.instance == nil {
		return ""
	}
	return m.instance.UID
}

// keepOld is how many outdated root disks of the machine stay.
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

// claimOf is the claim behind a volume, whose name a DataVolume shares; empty for other volumes.
func claimOf(v *kubevirtv1.Volume) string {
	switch {
	case v.DataVolume != nil:
		return v.DataVolume.Name
	case v.PersistentVolumeClaim != nil:
		return v.PersistentVolumeClaim.ClaimName
	}
	return ""
}

func hotpluggable(v *kubevirtv1.Volume) bool {
	return v.DataVolume != nil && v.DataVolume.Hotpluggable ||
		v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.Hotpluggable
}
