// Package validation checks a decided VM: whether its parts fit each other, its strategy, its CPU architecture, and
// what the target has: the version of KubeVirt, what delivers the fleet, and the platform next to it. It changes
// nothing.
package validation

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// Rules are what the VMs of a fleet are checked against: the target, the policy, and the platform next to the fleet. It
// is safe for concurrent use.
type Rules struct {
	target   *values.Target
	policy   *values.Policy
	platform *fleet.Platform // nil if there is none
	lacks    []lack          // see [decided.checkFeatures]
	// noOpenShift is the position to warn at of images that only OpenShift has, or nil if the cluster may have them.
	noOpenShift *source.Pos
}

// NewRules returns the rules of a fleet, which must not change afterward.
func NewRules(f *fleet.Fleet) *Rules {
	target := &f.Header.Target
	r := &Rules{target: target, policy: &f.Header.Policy, platform: f.Platform, lacks: lacksOf(target)}
	if f.NoOpenShift && target.OpenShift == nil {
		r.noOpenShift = new(f.HeaderPos(f.PartPos(), "target"))
	}
	return r
}

// decided is a VM all of whose parts are decided, with what they are decided from.
type decided struct {
	rules *Rules
	entry *fleet.Entry
	vm    *values.VM // of the entry
	diags *source.Diagnostics

	strategy values.Strategy
	traits   *values.Traits
}

// errorf reports a problem at pos, under a path below the VM's.
func (d *decided) errorf(pos source.Pos, id rule.ID, path, format string, args ...any) {
	d.entry.Errorf(d.diags, pos, id, path, format, args...)
}

// Check adds the problems of a decided VM to diags. vm is the VM of its entry, without what its preference sets. What
// is already in diags are problems of the same entry: with errors among them, the platform is not compared.
func (r *Rules) Check(m *machine.Machine, vm *values.VM, diags *source.Diagnostics) {
	strategy := m.Lifecycle.Strategy
	d := decided{
		rules: r, entry: m.Written, vm: vm, diags: diags, strategy: strategy, traits: strategy.Traits(),
	}
	d.checkGuest(m)
	d.checkResources()
	d.checkBootOrder(m.Disks)
	d.checkSingles(m.Disks, m.Filesystems)
	d.checkOwnClaims(m.Disks)
	d.checkGuestDisks(m)
	d.checkMoved(m)
	d.checkStrategy(m)
	d.checkDelivery(m)
	d.checkNames(m)
	d.checkArch(m)
	d.checkOldDisk(m)
	d.checkFeatures(m)
	d.checkRestored(m)
	d.checkPlain(m)
	d.checkReachable(m)
	d.checkPlatform(m) // the last one, because it depends on the problems of the others
}

// checkGuest reports what the guest does not read or have.
func (d *decided) checkGuest(m *machine.Machine) {
	d.warnOfPodAnnotations(m.Annotations)
	d.warnOfGuestAgent(m.CloudInit)
	d.checkProbes()
	onPod := func(n machine.NIC) bool { return n.Pod }
	if m.NICs != nil && !slices.ContainsFunc(m.NICs, onPod) {
		d.checkProbesWithoutPod()
	}
}
