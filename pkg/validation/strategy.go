package validation

import (
	"fmt"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

// checkStrategy reports settings that the strategy of the VM cannot
// support.
func (d *decided) checkStrategy(m *machine.Machine) {
	d.checkRemoval(&m.Lifecycle)
	d.checkUnseen(&m.Lifecycle)
	if d.traits.Pet {
		d.warnVolatileRoot(m.Disks)
		return
	}
	if m.Lifecycle.Protect && d.traits.DeletesVM {
		d.reportLimit(d.entry.At("lifecycle", "protect"), "lifecycle.protect",
			"the cluster refuses to delete a protected VM, which is what happens here; remove it, or use `strategy: rollout`")
	}
	for i := range m.Disks {
		d.checkStrategyDisk(&m.Disks[i])
	}
	if d.traits.AwaitsDeletion {
		d.checkGracePeriod()
	}
	if d.traits.Together != "" {
		d.checkAddresses(m.NICs)
	}
	if d.traits.Pooled {
		d.checkPool()
	}
}

// checkRemoval reports a removal that the cluster or the strategy cannot support, and
// warns of what a confirmation blocks: Argo CD does not look at a newer commit while
// it waits (argo-cd v3.2, controller/appcontroller.go).
func (d *decided) checkRemoval(lc *machine.Lifecycle) {
	at, path := d.entry.At("lifecycle", "removal"), "lifecycle.removal"
	kept := lc.Removal == values.Denied || lc.Removal == values.Confirm
	switch {
	case lc.Unprotected && lc.Protect:
		d.errorf(d.entry.At("lifecycle", "protection"), rule.Conflict, "lifecycle.protection",
			"must not be mixed with `protect: true` at %s; remove one of them",
			catalog.Where(d.entry.At("lifecycle", "protect")))
	case d.traits.NamedByContent && kept:
		d.reportLimit(at, path, "a change deletes the old VM, which would stay; remove it, or use another strategy")
	case lc.Removal != values.Confirm, d.rules.target.ByFlux(): // see argoFeatures
	case versions.Before(d.rules.target.ArgoCD, "2.14"):
		d.errorf(at, rule.Removal, path, "Argo CD %s does not support confirmation; "+
			"use \"denied\" or \"approved\", or set a target from 2.14 on", d.rules.target.ArgoCD)
	default:
		d.diags.Warnf(at, rule.Removal, d.entry.Path+"."+path,
			"while Argo CD waits for the confirmation, nothing in the Application is synced, "+
				"and a revert in Git has no effect: a confirmation deletes the VM; "+
				"prefer \"denied\", and \"approved\" in a commit before the removal")
	}
}

// warnVolatileRoot warns of a pet that loses its root disk on every stop.
func (d *decided) warnVolatileRoot(disks []machine.Disk) {
	for i := range disks {
		if disks[i].Name == values.RootDisk && isVolatile(&disks[i]) {
			at, path := d.entry.At("disks", values.RootDisk, "source"), d.entry.Path+".disks.root.source"
			d.diags.Warnf(at, rule.VolatileRoot, path, "what the guest writes to such a disk is lost when it stops; "+
				"expected a source that is copied, such as `registry`, or `lifecycle: cattle`")
		}
	}
}

// isVolatile reports whether what the guest writes to a disk with content is lost when the VM stops.
func isVolatile(d *machine.Disk) bool {
	return d.Kind == machine.DiskContainerDisk || d.Source.Volume.Get("ephemeral") != nil
}

// reportLimit reports a setting that the strategy of the VM does not allow.
func (d *decided) reportLimit(at source.Pos, path, why string) {
	d.errorf(at, rule.Strategy, path, "%s", d.strategy.Limit(why))
}

// patience is the number of seconds that Argo CD waits for the deletion of a
// VM that it replaces (gitops-engine pkg/utils/kube/resource_ops.go, v3.2: 5
// minutes).
const patience = 300

func (d *decided) checkGracePeriod() {
	if grace := d.vm.TerminationGracePeriodSeconds; grace != nil && *grace >= patience {
		d.reportLimit(d.entry.At("terminationGracePeriodSeconds"), "terminationGracePeriodSeconds", fmt.Sprintf(
			"Argo CD waits %d seconds for the old VM to be gone, and this guest may take %d to stop; "+
				"use a shorter one, or another strategy", patience, *grace))
	}
}

// checkStrategyDisk reports disks that the strategy would lose, share or never
// recreate.
func (d *decided) checkStrategyDisk(disk *machine.Disk) {
	root := disk.Name == values.RootDisk
	owned := disk.Kind == machine.DiskDataVolume && !disk.Keep
	renewed := root && disk.Kind == machine.DiskDataVolume && d.traits.ContentNamedRoot
	switch {
	case renewed && disk.Keep:
		d.reportLimit(d.entry.At("disks", disk.Name, "keep"), disk.KeyPath("keep"),
			"a new image is a new root disk, which cannot be kept; remove it")
	case renewed && disk.ExpandTo != "":
		d.reportLimit(d.entry.At("disks", disk.Name, "expandTo"), disk.KeyPath("expandTo"),
			"another size is another root disk; use `size` instead")
	case !root && owned && d.traits.LosesDisks && !d.mayLose(disk.Name):
		d.reportLimit(d.entry.KeyAt("disks", disk.Name), disk.KeyPath(""),
			"the disk is lost with every change of the VM; set `keep: true`, or `keep: false` if that is intended")
	case d.traits.Together != "":
		d.checkManyDisks(disk, disk.KeyPath(""))
	}
}

// mayLose reports whether the user has specified that the disk does not
// survive its VM.
func (d *decided) mayLose(disk string) bool {
	keep := d.vm.Disks[disk].Keep
	if keep == nil {
		keep = d.vm.Lifecycle.KeepDisks
	}
	return keep != nil && !*keep
}

// checkManyDisks reports disks that several VMs would use at the same time.
func (d *decided) checkManyDisks(disk *machine.Disk, path string) {
	switch {
	case disk.Keep && disk.Kind == machine.DiskDataVolume:
		d.reportLimit(d.entry.KeyAt("disks", disk.Name), path,
			"several VMs would use a disk that is kept at the same time; set `keep: false`")
	case disk.Kind == machine.DiskClaim && disk.Writes() && !disk.Shareable:
		d.reportLimit(d.entry.KeyAt("disks", disk.Name), path,
			"several VMs would write to the claim at the same time; set `readOnly: true`, or a source that is copied")
	case disk.ExpandTo != "":
		d.reportLimit(d.entry.At("disks", disk.Name, "expandTo"), path+".expandTo",
			"no disk exists permanently; use another `size`")
	}
}

// checkAddresses reports addresses that several VMs would have at the same
// time.
func (d *decided) checkAddresses(nics []machine.NIC) {
	for i := range nics {
		n := &nics[i]
		for _, a := range []struct{ key, value string }{{"mac", n.MAC}, {"ip", n.IP}} {
			if a.value != "" {
				d.reportLimit(n.At(a.key), source.IndexPath("nics", i)+"."+a.key,
					d.traits.Together+", and cannot have one address; remove it")
			}
		}
	}
}

// checkPool reports settings that cannot differ between the VMs of a pool.
func (d *decided) checkPool() {
	at := d.entry.At("lifecycle", "strategy")
	if d.vm.Replicas == nil {
		d.reportLimit(at, "replicas", "the number of VMs is missing; set `replicas`")
	}
	if target := d.rules.target.KubeVirt; versions.Before(target, "1.6") {
		d.reportLimit(at, "lifecycle.strategy", fmt.Sprintf(
			"KubeVirt %s restarts all VMs at the same time; set a target from 1.6 on, or use another strategy", target))
	}
	for _, keys := range [][]string{
		{"hostname"}, {"cloudInit", "hostname"}, {"firmware", "uuid"}, {"firmware", "serial"},
	} {
		if n := d.entry.Keys.Get(keys...); n.IsSet() && n.Text != "" {
			d.reportLimit(d.entry.At(keys...), strings.Join(keys, "."),
				"all VMs of a pool are the same, and would all have it; remove it")
		}
	}
}

// checkUnseen reports a strategy that passes the fleet's gate unseen, unless the VM sets
// that it may be removed.
func (d *decided) checkUnseen(lc *machine.Lifecycle) {
	if !d.rules.policy.Asks() || !d.traits.DeletesUnseen() || lc.Removal == values.Approved {
		return
	}
	d.errorf(d.entry.At("lifecycle", "strategy"), rule.Gate, "lifecycle.strategy",
		"%q deletes the VM before the cluster sees what it becomes, and `policy.approve` requires approvals; "+
			"set `removal: approved`, or use another strategy", string(d.strategy))
}
