package values

import (
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// Strategy is how a machine takes a change of its values.
type Strategy string

// The strategies: that of pets, and those of cattle.
const (
	InPlace   Strategy = ""
	Rollout   Strategy = "rollout"
	Replace   Strategy = "replace"
	BlueGreen Strategy = "blue-green"
	Pool      Strategy = "pool"
)

// Traits is what a strategy implies for the parts of a machine. Checks and
// renderers read traits, never names, so that a new strategy is a row in this
// table and a renderer.
type Traits struct {
	// KeepsRoot: the VM boots from the same root disk after a change, so that the disk can be kept.
	KeepsRoot bool
	// ContentNamedRoot: the root disk is named after its content, and other content
	// is another disk next to the old one.
	ContentNamedRoot bool
	// Job: a Job of vmrender restarts the VMs after a sync, a few at a time.
	Job bool
	// DeletesVM: a change deletes the VM.
	DeletesVM bool
	// LosesDisks: the disks that the VM owns are deleted with it, in every change.
	LosesDisks bool
	// AwaitsDeletion: Argo CD deletes and creates the VM during the sync.
	AwaitsDeletion bool
	// NamedByContent: the name of the VM ends in a hash of its content.
	NamedByContent bool
	// Pooled: one VirtualMachinePool stands for all replicas. KubeVirt numbers
	// them, so that no value can contain an ordinal or be that of one VM.
	Pooled bool
	// Together says why several VMs with the same values run at the same time, or
	// is empty if they do not.
	Together string
	// Inert are the keys of `lifecycle` without a meaning here.
	Inert []string
}

var strategies = map[Strategy]*Traits{
	InPlace: {KeepsRoot: true},
	Rollout: {ContentNamedRoot: true, Job: true},
	Replace: {
		KeepsRoot: true, DeletesVM: true, LosesDisks: true, AwaitsDeletion: true,
		Inert: []string{"maxUnavailable", "keepOld"},
	},
	BlueGreen: {
		DeletesVM: true, NamedByContent: true,
		Together: "two revisions of the VM run at the same time",
		Inert:    []string{"maxUnavailable", "keepOld"},
	},
	Pool: {
		DeletesVM: true, Pooled: true,
		Together: "all VMs of a pool are the same",
		Inert:    []string{"keepOld"},
	},
}

// Traits returns what the strategy implies. It must not be changed.
func (s Strategy) Traits() *Traits { return strategies[s] }

// Strategy returns that of the VM: [InPlace] for a pet, and [Rollout] for cattle by default.
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

// InertRule names keys of the lifecycle that mean nothing to machines of one
// type, or of one strategy.
type InertRule struct {
	Chooser, Choice string // such as "type" and "pet"
	Keys            []string
	Advice          string
}

// InertRules has all keys of `lifecycle` that other keys make meaningless.
var InertRules = append([]InertRule{
	{"type", "pet", []string{"strategy", "maxUnavailable", "keepOld"}, "is for cattle; remove it, or use `type: cattle`"},
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

// CheckLifecycle reports a level whose `lifecycle`, which may be nil, sets what
// its machines are, and a key that means nothing to those. path is that of `lifecycle`.
func CheckLifecycle(lc *source.Node, path string, diags *source.Diagnostics) {
	if lc == nil {
		return
	}
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
