// Package plan predicts what a sync of Argo CD does to every virtual machine, and to
// every other object, from two sets of objects: what Git had and what it has. With
// the state in the cluster, it predicts more exactly.
//
// The rules are data: each [Rule] has the path of a field, a condition, a level, a
// reason, advice and its source. The level of a VM is that of its worst cause,
// after the causes are combined (see combine).
package plan

import (
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
	VMs     map[Level]int
	Objects map[Level]int
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
	Level Level
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
	Causes []Cause
	// Gate is the result of the fleet's policy for it; nil for objects other than VMs,
	// and for VMs that it does not check.
	Gate *Gate
}

// Cause is one reason for a level.
type Cause struct {
	// Object is the object with the field, if it is not the verdict's own.
	Object manifest.ID
	// Path of the field, such as "spec.template.spec.domain.memory.guest", with the
	// names of list entries in brackets: "….disks[data].disk.bus". Empty if the cause
	// is the object as a whole.
	Path string
	// Key is the key of the values file that sets the field, such as "memory" or
	// "disks.data"; empty if there is none.
	Key   string
	Level Level
	// Code is the rule's identifier, from a closed list.
	Code   Code
	Reason string
	// Advice is what to do instead, or next; it may be empty.
	Advice string
	// When is when it takes effect, if not immediately: "at the next start".
	When string
	// Old and New are the values as compact JSON, cut and without secrets. They are
	// empty for a field that is added or removed.
	Old string
	New string
	// Approximate is what is not known, in a few words, if the level depends on it.
	Approximate string
	// acts is true if the object acts on VMs, so that a gate judges its creation.
	acts bool
	// worst returns the worst level that what is not known, or not by the cluster's policies, can
	// lead to.
	worst Level
	// Warning is true if the cause is dangerous later, whatever its level now.
	Warning bool
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
func (p *Plan) Worst() Level {
	worst := None
	for _, list := range [][]Verdict{p.VMs, p.Objects} {
		for i := range list {
			worst = max(worst, list[i].Level)
		}
	}
	return worst
}
