package drill

import (
	"cmp"
	"slices"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// Loss is one thing that a rebuild at another site lacks.
type Loss struct {
	Kind Kind
	// Object is what is lost, or what Git does not have: a disk as its claim.
	Object manifest.ID
	// Disk is the name of the claim that the loss is about; empty if it is about none.
	Disk string
	// Reason is the rest of a sentence about the VM, without its full stop. It contains names, and nothing of Secrets.
	Reason string
	// Unknown is what the loss depends on and the inputs lack, in a few words each.
	Unknown []string
}

// Rebuild is what a rebuild of one VM, or of another object, loses.
type Rebuild struct {
	ID manifest.ID
	// Losses are worst first, then by object.
	Losses []Loss
}

// Worst returns the worst kind of loss, or [Nothing].
func (r *Rebuild) Worst() Kind {
	worst := Nothing
	for i := range r.Losses {
		worst = max(worst, r.Losses[i].Kind)
	}
	return worst
}

// IsUnknown reports whether it is unknown if the VM comes back whole: it may lose something, and nothing for certain.
func (r *Rebuild) IsUnknown() bool {
	return len(r.Losses) > 0 && !slices.ContainsFunc(r.Losses, func(l Loss) bool { return len(l.Unknown) == 0 })
}

// Counts returns the number of losses by kind.
func (r *Rebuild) Counts() map[Kind]int {
	out := map[Kind]int{}
	for i := range r.Losses {
		out[r.Losses[i].Kind]++
	}
	return out
}

// Score is the share of VMs that come back whole.
type Score struct {
	// VMs is the number of all VMs: those of Git, and those that only the cluster has. A pool counts as one.
	VMs int
	// Whole is the number of VMs without any loss, and Unknown of those with uncertain losses alone.
	Whole, Unknown int
}

// Percent returns the share of VMs without any loss, rounded down: 100 means all of them. It is 100 if there are none.
func (s Score) Percent() int {
	if s.VMs == 0 {
		return 100
	}
	return 100 * s.Whole / s.VMs
}

// Drill is what a rebuild of all VMs at another site would lose.
type Drill struct {
	// VMs are the VirtualMachines and VirtualMachinePools of Git and of the cluster; worst first, then by namespace and
	// name. Those without losses are last.
	VMs []Rebuild
	// Objects are the other objects of Git that have changes in the cluster.
	Objects []Rebuild
	// Notes are facts about the whole.
	Notes []string
	Score Score
	// Counts is the number of losses of all VMs by kind; kinds without any are left out.
	Counts map[Kind]int
}

// Worst returns the worst kind of all losses, or [Nothing].
func (d *Drill) Worst() Kind {
	worst := Nothing
	for _, list := range [][]Rebuild{d.VMs, d.Objects} {
		for i := range list {
			worst = max(worst, list[i].Worst())
		}
	}
	return worst
}

// IsApproximate reports whether a loss depends on what the inputs lack.
func (d *Drill) IsApproximate() bool {
	return slices.ContainsFunc(slices.Concat(d.VMs, d.Objects), func(r Rebuild) bool {
		return slices.ContainsFunc(r.Losses, func(l Loss) bool { return len(l.Unknown) > 0 })
	})
}

// rebuildOf returns the rebuild of an object with its losses in order, each once.
func rebuildOf(id manifest.ID, losses []Loss) Rebuild {
	slices.SortStableFunc(losses, func(a, b Loss) int {
		return cmp.Or(cmp.Compare(b.Kind, a.Kind), a.Object.Compare(b.Object), cmp.Compare(a.Reason, b.Reason))
	})
	losses = slices.CompactFunc(losses, func(a, b Loss) bool {
		return a.Kind == b.Kind && a.Object == b.Object && a.Reason == b.Reason
	})
	return Rebuild{ID: id, Losses: losses}
}

// sortRebuilds sorts rebuilds: the worst first, then by namespace and name.
func sortRebuilds(list []Rebuild) {
	slices.SortFunc(list, func(a, b Rebuild) int {
		return cmp.Or(cmp.Compare(b.Worst(), a.Worst()), a.ID.Compare(b.ID))
	})
}
