package values

import (
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// Strategy is the way in which changes of its values are applied to a VM.
type Strategy string

// The strategies: [InPlace] for pets, the others for cattle.
const (
	InPlace   Strategy = ""
	Rollout   Strategy = "rollout"
	Replace   Strategy = "replace"
	BlueGreen Strategy = "blue-green"
	Pool      Strategy = "pool"
)

// Traits are the properties of a strategy that matter to the parts of a VM.
// Checks and renderers read traits, never names, so that a new strategy is a
// row in this table and a renderer. A test of package depcheck finds names.
type Traits struct {
	// Pet: there is one VM with its disks, and changes are applied to it in place.
	Pet bool
	// KeepsRoot: the VM boots from the same root disk after a change, so the disk can be kept.
	KeepsRoot bool
	// ContentNamedRoot: the root disk is named after its content. New content creates a second disk next to the
	// old one.
	ContentNamedRoot bool
	// Job: a vmrender Job restarts the VMs in batches after a sync.
	Job bool
	// DeletesVM: a change deletes the VM.
	DeletesVM bool
	// LosesDisks: the disks that the VM owns are deleted with it on every change.
	LosesDisks bool
	// AwaitsDeletion: Argo CD deletes and recreates the VM during the sync.
	AwaitsDeletion bool
	// NamedByContent: the name of the VM ends in a hash of its content.
	NamedByContent bool
	// Pooled: one VirtualMachinePool represents all replicas. KubeVirt numbers them, so no value can contain an
	// ordinal or apply to a single VM.
	Pooled bool
	// Together is the reason why several VMs with the same values run at the same time, or empty if they do
	// not.
	Together string
	// Inert are the keys of `lifecycle` that have no effect with the strategy.
	Inert []string
}

// DeletesUnseen reports whether the strategy deletes the VM before the cluster can compare what it becomes with an
// approval.
func (t *Traits) DeletesUnseen() bool { return t.AwaitsDeletion || t.NamedByContent }

// strategies are so few that comparing their names is faster than a map.
var strategies = []struct {
	name   Strategy
	traits Traits
}{
	{InPlace, Traits{Pet: true, KeepsRoot: true}},
	{Rollout, Traits{ContentNamedRoot: true, Job: true}},
	{Replace, Traits{
		KeepsRoot: true, DeletesVM: true, LosesDisks: true, AwaitsDeletion: true,
		Inert: []string{"maxUnavailable", "progressDeadlineSeconds", "keepOld"},
	}},
	{BlueGreen, Traits{
		DeletesVM: true, NamedByContent: true,
		Together: "two revisions of the VM run at the same time",
		Inert:    []string{"maxUnavailable", "progressDeadlineSeconds", "keepOld"},
	}},
	{Pool, Traits{
		DeletesVM: true, Pooled: true,
		Together: "all VMs of a pool are the same",
		Inert:    []string{"progressDeadlineSeconds", "keepOld"},
	}},
}

// Traits returns the properties of the strategy, which callers must not
// change, or nil if there is no such strategy.
func (s Strategy) Traits() *Traits {
	for i := range strategies {
		if strategies[i].name == s {
			return &strategies[i].traits
		}
	}
	return nil
}

// Limit returns the message about a setting that the strategy does not allow. why is the reason, and what to do.
func (s Strategy) Limit(why string) string { return "under `strategy: " + string(s) + "` " + why }

// Strategy returns the strategy of the VM: [InPlace] for a pet, and [Rollout]
// for cattle by default.
func (vm *VM) Strategy() Strategy {
	lc := vm.Lifecycle
	switch {
	case lc == nil || lc.Type != "cattle":
		return InPlace
	case lc.Strategy == "":
		return Rollout
	}
	return lc.Strategy
}

// InertRule names keys of `lifecycle` that have no effect for one type, or one
// strategy.
type InertRule struct {
	Chooser, Choice string // such as "type" and "pet"
	Keys            []string
	Advice          string
}

// InertRules contains all keys of `lifecycle` that other keys make
// ineffective.
var InertRules = append([]InertRule{
	{
		"type", "pet",
		[]string{"strategy", "maxUnavailable", "progressDeadlineSeconds", "keepOld"},
		"is for cattle; remove it, or use `type: cattle`",
	},
	{"type", "cattle", []string{"snapshotBefore", "ansible"}, "is for pets; remove it, or use `type: pet`"},
}, inertOfStrategies()...)

func inertOfStrategies() []InertRule {
	var rules []InertRule
	for _, s := range []Strategy{Rollout, Replace, BlueGreen, Pool} {
		if keys := s.Traits().Inert; keys != nil {
			rules = append(rules, InertRule{"strategy", string(s), keys, "is for `strategy: rollout`; remove it"})
		}
	}
	return rules
}

// CheckLifecycle reports keys of a `lifecycle` without effect for the type or
// strategy that the same VM keys set. path is the path of the keys.
func CheckLifecycle(keys *source.Node, path string, diags *source.Diagnostics) {
	lc := keys.Get("lifecycle")
	if lc == nil {
		return
	}
	path = source.JoinPath(path, "lifecycle")
	pet := lc.Get("type").Str() == "pet"
	for _, inert := range InertRules {
		if lc.Get(inert.Chooser).Str() != inert.Choice || pet && inert.Chooser == "strategy" {
			continue
		}
		for _, k := range inert.Keys {
			if f := lc.Field(k); f != nil && f.Value.IsSet() {
				diags.Errorf(f.Pos(), rule.Conflict, source.JoinPath(path, k), "%q %s", k, inert.Advice)
			}
		}
	}
}
