package impact

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// Combine returns the causes of a VM after what the changes do to each other: a
// stopped VM takes everything at its next start, and KubeVirt's handlers of live
// changes wait while the VM needs a restart (KubeVirt v1.8.4,
// pkg/virt-controller/watch/vm/vm.go, sync).
func Combine(s *Subject, found []Finding) []Cause {
	waits := s.Live != nil && s.Live.RestartRequired || slices.ContainsFunc(found, Finding.requiresRestart)
	why, way := interruption(s, found)
	stops := s.Runs() == cluster.No || slices.ContainsFunc(found, Finding.shutsDown)
	out := make([]Cause, len(found))
	for i, f := range found {
		switch {
		case f.rule.Copies && why != "":
			f.loseCopy(why, way)
		case stops && f.isStaged():
			f.stage(s)
		case waits && f.isHeldBack():
			f.holdBack()
		}
		if s.isRollout() && s.Runs() != cluster.No {
			f.leaveToRollout(s)
		}
		f.leaveToWindow(s)
		if s.Runs() == cluster.Unknown && f.Level >= Live && f.rule.OfInstance() && f.Approximate == "" {
			f.Approximate = "whether the VM runs"
		}
		out[i] = f.Cause
	}
	return out
}

// requiresRestart reports whether KubeVirt marks a running VM for the change.
func (f Finding) requiresRestart() bool { return f.rule.Compared && f.Level >= Restart }

// shutsDown reports whether the change shuts the guest down, so that its next start takes all others.
func (f Finding) shutsDown() bool { return f.Code == codeStops }

// interruption returns why KubeVirt copies no volumes of a VM whose claims change, or "", and what to do instead
// (v1.8.4, pkg/virt-controller/watch/vm/vm.go, sync and handleVolumeUpdateRequest). A pool restarts its members for
// every change of their volumes, so that nothing of them is copied either way.
func interruption(s *Subject, found []Finding) (why, way string) {
	const apart = "make two commits of it: first the disk alone, and the other change when the data is copied"
	switch {
	case s.IsPool():
		return "", ""
	case slices.ContainsFunc(found, Finding.shutsDown):
		return "the same change shuts the VM down, and KubeVirt copies the disks of running VMs only", apart
	case s.Live != nil && s.Live.RestartRequired:
		return "the VM needs a restart already, and until then KubeVirt copies nothing",
			"restart the VM before this is synced, while it still has the old disk"
	case slices.ContainsFunc(found, Finding.requiresRestart):
		return "the same change needs a restart, and until then KubeVirt copies nothing",
			"do not restart the VM with both; " + apart
	}
	return "", ""
}

// loseCopy turns the copy of a volume into a start from the new claim, without the data.
func (f *Finding) loseCopy(why, way string) {
	f.Level, f.Code, f.When, f.Warning = Recreate, "not-copied", AtNextStart, true
	f.Approximate, f.Worst = "", None
	f.Reason = why + ": the next start finds the new disk, filled from its source, and the data stays in the old one"
	f.Advice = way
}

// isStaged reports whether a stopped VM takes the change at its next start, without any other effect.
func (f *Finding) isStaged() bool { return f.rule.OfInstance() && f.Level >= Live && f.Level <= Power }

// stage leaves the change of a stopped VM to its next start. What a rule assumes about migrations does not matter: a
// stopped VM does not migrate.
func (f *Finding) stage(s *Subject) {
	f.running(s)
	if f.rule.Assumes.isOfMigration() {
		f.Approximate = ""
	}
	f.Level, f.When, f.Advice = Staged, AtNextStart, ""
}

// isHeldBack reports whether a handler of KubeVirt makes the change while the VM runs, but not while it needs a
// restart.
func (f *Finding) isHeldBack() bool {
	return f.rule.Handled && (f.Level >= Live && f.Level < Staged || f.Level == Power)
}

// holdBack leaves the change to the restart that the VM needs.
func (f *Finding) holdBack() {
	f.Level, f.When, f.Advice = Staged, AtRestart, AdviceRestart
	f.Reason += "; KubeVirt holds it back while the VM needs a restart"
	f.Code = "held-back"
	if f.rule.Assumes == Migratable || f.rule.Assumes == Room {
		f.Approximate, f.Worst = "", None
	}
}

// leaveToRollout notes that a Job restarts the VM for the change, if it needs that.
func (f *Finding) leaveToRollout(s *Subject) {
	if f.Level != Restart && f.Level != Recreate {
		return
	}
	f.When, f.Advice = "when the rollout restarts the VM", ""
	if f.Code == "new-disk" {
		f.Reason = newRoot(s) + "; " + s.oldRoots()
	}
}

// leaveToWindow notes that the maintenance of the VM restarts it for the change. A change that KubeVirt reports no
// restart for is left.
func (f *Finding) leaveToWindow(s *Subject) {
	if f.Level == Restart || f.Code == "held-back" {
		f.Advice = strings.ReplaceAll(f.Advice, AdviceRestart, RestartAdvice(s.New))
	}
}

// RestartAdvice returns what to do about a VM that waits for a restart: nothing, if its maintenance restarts it.
func RestartAdvice(vm manifest.Tree) string {
	if window := cluster.Annotation(vm, labels.Maintenance); window != "" {
		return "nothing to do: its maintenance restarts it (" + window + ")"
	}
	return AdviceRestart
}

// running notes what a change of a stopped VM is if it runs: unless it is declared as
// stopped, the cluster's policies cannot determine that it is.
func (c *Cause) running(s *Subject) {
	if world.RunStrategy(s.Old) != "Halted" {
		c.Worst = max(c.Level, c.Worst)
	} else {
		c.Worst = None
	}
}
