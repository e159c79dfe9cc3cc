// Package plan predicts what a sync of Argo CD does to every virtual machine, and to
// every other object, from two sets of objects: what Git had and what it has. With
// the state in the cluster, it predicts more exactly.
//
// What each change does is known by package impact, and what two VMs that hold one disk or address do to each other by
// package world. The level of a VM is that of its worst cause.
package plan

import (
	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// Plan is what a sync will do.
type Plan struct {
	// VMs are the VirtualMachines and VirtualMachinePools of both sets, by namespace
	// and name. The disks, Secrets and claims of a VM are among its causes.
	VMs []Verdict
	// Objects are all other objects that change, by namespace, kind and name.
	Objects []Verdict
	// Jobs are the Jobs that the sync runs for VMs, such as a rollout.
	Jobs []Job
	// Notes are facts about the whole, such as a sync that is running.
	Notes []string
	// Summary counts the VMs and objects by level; levels without any are left out.
	Summary Summary
}

// Summary counts by level.
type Summary struct {
	VMs     map[impact.Level]int
	Objects map[impact.Level]int
	// Adopted is the number of VMs that are adopted; they also count as None.
	Adopted int
	// Approximate is the number of VMs and objects whose level is approximate.
	Approximate int
	// Warnings is the number of causes that are marked as dangerous later.
	Warnings int
	// Gated is the number of VMs that a gate checks, and Blocked that of those which
	// lack an approval or exceed what is allowed.
	Gated, Blocked int
}

// Verdict is what happens to one object.
type Verdict struct {
	ID    manifest.ID
	Level impact.Level
	// Approximate is true if the level depends on what the inputs do not contain.
	Approximate bool
	// Was is the former identity of a VM that is the same under another name.
	Was *manifest.ID
	// Stopped is true if the VM does not run, or is not meant to.
	Stopped bool
	// Adopted is true if the VM is new in Git, and in the cluster as Git has it: nothing
	// happens to it. Its level is None.
	Adopted bool
	// Causes are worst first, then by object and path. Level None has none, or only
	// warnings, and the one of a VM that is adopted.
	Causes []impact.Cause
	// Gate is the result of the fleet's policy for it; nil for objects other than VMs,
	// and for VMs that it does not check.
	Gate *gate.Gate
	// Hold is what releases the change if the fleet holds it; nil if it is below the level from which the fleet does.
	Hold *gate.Gate
}

// Job is a Job or AnsibleJob that a sync runs for VMs.
type Job struct {
	ID manifest.ID
	// Does is what it does, in a sentence.
	Does string
	// VMs are the names of the VMs in its namespace; sorted.
	VMs []string
	// Restarts is true if it restarts the VMs, so that the user does not have to.
	Restarts bool
}

// Worst returns the highest level of all verdicts, or None.
func (p *Plan) Worst() impact.Level {
	worst := impact.None
	for _, list := range [][]Verdict{p.VMs, p.Objects} {
		for i := range list {
			worst = max(worst, list[i].Level)
		}
	}
	return worst
}
