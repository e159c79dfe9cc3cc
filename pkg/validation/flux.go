package validation

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/values"
)

// argoFeature is what Argo CD does for a VM, and Flux does not.
type argoFeature struct {
	keys []string // below the entry
	used func(*machine.Machine) bool
	// why is what Flux lacks, and instead what to do (kustomize-controller v1.9.5,
	// internal/controller/kustomization_controller.go: it applies all objects of a Kustomization, deletes what is gone,
	// and then waits for their health).
	why, instead string
}

// argoFeatures are the features that a fleet with `target.delivery: flux` refuses.
var argoFeatures = []argoFeature{
	{
		keys:    []string{"lifecycle", "strategy"},
		used:    func(m *machine.Machine) bool { return m.Lifecycle.Strategy.Traits().AwaitsDeletion },
		why:     "Flux recreates an object only if a field of it cannot be changed",
		instead: "use `strategy: rollout` or `pool`",
	},
	{
		keys:    []string{"lifecycle", "strategy"},
		used:    func(m *machine.Machine) bool { return m.Lifecycle.Strategy.Traits().NamedByContent },
		why:     "Flux deletes the old VM before the new one is healthy",
		instead: "use `strategy: rollout`",
	},
	{
		keys:    []string{"lifecycle", "removal"},
		used:    func(m *machine.Machine) bool { return m.Lifecycle.Removal == values.Confirm },
		why:     "Flux cannot wait for a confirmation",
		instead: "use \"denied\", and \"approved\" in a commit before the removal",
	},
	{
		keys:    []string{"lifecycle", "snapshotBefore"},
		used:    func(m *machine.Machine) bool { return m.Lifecycle.SnapshotBefore },
		why:     "Flux runs no Job before it changes a VM",
		instead: "use `snapshots`, which has a schedule",
	},
	{
		keys:    []string{"restoreFrom"},
		used:    func(m *machine.Machine) bool { return m.Lifecycle.RestoreFrom != nil },
		why:     "Flux runs no Job before it changes a VM",
		instead: "suspend the Kustomization, and restore with a VirtualMachineRestore",
	},
	{
		keys:    []string{"migrate"},
		used:    func(m *machine.Machine) bool { return m.Migration != nil },
		why:     "Flux has no check for the health of a migration",
		instead: "migrate the VM in a fleet of Argo CD, and move it afterward",
	},
}

// checkDelivery reports what the VM uses and Flux does not have.
func (d *decided) checkDelivery(m *machine.Machine) {
	if !d.rules.target.ByFlux() {
		return
	}
	for i := range argoFeatures {
		if f := &argoFeatures[i]; f.used(m) {
			d.errorf(d.entry.At(f.keys...), rule.Delivery, strings.Join(f.keys, "."), "needs Argo CD, and the fleet has "+
				"`target.delivery: flux`: %s; %s", f.why, f.instead)
		}
	}
}
