package rollout

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/schedule"
)

// Pets are VirtualMachines that are restarted in a window only, and only for changes that KubeVirt has not made while
// they run.
type Pets struct {
	Names []string
	// MaxUnavailable is how many of them may be down at a time, as a number or a percentage; 1 if it is empty.
	MaxUnavailable string
	// ByWave restarts a VM only if all of lower sync waves are up to date.
	ByWave bool
	// Snapshots are the names of those of which a snapshot is taken before their restart.
	Snapshots []string
	// Window is when restarts may begin; any time if it is nil.
	Window *schedule.Window
	// Zone is the location of the window's time zone.
	Zone *time.Location
}

// isOpen reports whether a restart may begin.
func (p *Pets) isOpen(now time.Time) bool {
	if p.Window == nil {
		return true
	}
	_, open := p.Window.Until(now.In(p.Zone))
	return open
}

// pets returns the VMs of the target as they are now.
func (r *run) pets() []*machine {
	all := r.view.where(r.asked, func(vm *kubevirtv1.VirtualMachine) bool {
		return slices.Contains(r.Pets.Names, vm.Name)
	})
	for _, m := range all {
		m.pet = true
	}
	return all
}

// interruptedCopy is the reason of a VM that KubeVirt does not start.
const interruptedCopy = "a copy of its disks was interrupted"

// busy returns why a pet must not be restarted or stopped now although nothing is wrong with it, or "". A restart would
// end a copy of its disks, after which it starts from the incomplete ones, or not at all (kubevirt/kubevirt v1.8.4,
// pkg/virt-controller/watch/volume-migration/volume-migration.go).
func (m *machine) busy() string {
	switch vmi := m.instance; {
	case vmi == nil:
		return ""
	case m.condition(kubevirtv1.VirtualMachineManualRecoveryRequired) == corev1.ConditionTrue:
		return interruptedCopy
	case slices.ContainsFunc(vmi.Status.Conditions, func(c kubevirtv1.VirtualMachineInstanceCondition) bool {
		return c.Type == kubevirtv1.VirtualMachineInstanceVolumesChange && c.Status == corev1.ConditionTrue
	}):
		return "its disks are being copied"
	case vmi.Status.MigrationState != nil && !vmi.Status.MigrationState.Completed:
		return "it is migrating"
	}
	return ""
}

// duePets returns the pets to restart now.
func duePets(all []observed, p *Pets) ([]observed, error) {
	var members []observed
	for _, m := range all {
		if m.stage != skipped {
			members = append(members, m)
		}
	}
	most, err := maxUnavailable(p.MaxUnavailable, len(members))
	if err != nil {
		return nil, fmt.Errorf("--max-unavailable: %w", err)
	}
	if p.ByWave { // those that are down count in any wave
		first := firstWave(members)
		members = slices.DeleteFunc(members, func(m observed) bool {
			return m.stage == outdated && wave(m.VirtualMachine) > first
		})
	}
	return next(members, most), nil
}

// firstWave returns the lowest wave with a VM that is not up to date.
func firstWave(members []observed) int {
	open := slices.DeleteFunc(slices.Clone(members), func(m observed) bool { return m.stage == current })
	if len(open) == 0 {
		return 0
	}
	waves := make([]int, len(open))
	for i := range open {
		waves[i] = wave(open[i].VirtualMachine)
	}
	return slices.Min(waves)
}

func wave(vm *kubevirtv1.VirtualMachine) int {
	n, _ := strconv.Atoi(vm.Annotations[argocd.SyncWaveAnnotation])
	return n
}

// due returns the VMs to restart now.
func (r *run) due(all []observed) ([]observed, error) {
	if r.Pets == nil {
		return plan(all)
	}
	restart, err := duePets(all, r.Pets)
	if err != nil || r.Pets.isOpen(r.Now()) {
		return restart, err
	}
	return nil, nil
}

// petsDone ends a run in which nothing is under way.
func (r *run) petsDone(ctx context.Context, all []observed) (done bool, err error) {
	left := 0
	for _, m := range all {
		if m.stage == outdated {
			left++
		}
	}
	if left > 0 && !r.Pets.isOpen(r.Now()) {
		r.logf("the window is over: %d of %d are left for the next one", left, len(all))
		return true, nil
	}
	if err := leftBehind(all); err != nil {
		return false, err
	}
	return true, r.lease.save(ctx, func(of *record) { of.complete(all) })
}

// beforeRestart is the content for which the snapshot before a restart is taken.
const beforeRestart = "restart"

// prepare takes the snapshot before a restart, if there is to be one, and reports whether the restart may begin. A
// snapshot that fails ends the run; the next one tries again.
func (r *run) prepare(ctx context.Context, m observed) (bool, error) {
	if r.Pets == nil || !slices.Contains(r.Pets.Snapshots, m.Name) {
		return true, nil
	}
	taker := snapshotRun{polling: polling{Options: r.Options, cluster: r.cluster}, ours: r.ours}
	next, text, err := taker.step(ctx, &Snapshot{Machine: m.Name, Content: beforeRestart})
	switch {
	case isTrouble(err):
		text = err.Error() + "; trying again"
	case err != nil:
		return false, fmt.Errorf("%s: %w", m.Name, err)
	case next == broken:
		r.record(ctx, m.machine, warning, "RolloutFailed", text)
		return false, fmt.Errorf("%s: %s; no other VirtualMachine is restarted", m.Name, text)
	case next == taken:
		r.say(m.Name, "%s", text)
		delete(r.refused, m.Name)
		return true, nil
	}
	r.say(m.Name, "%s", text)
	r.refused[m.Name] = errors.New(text)
	return false, nil
}
