package validation

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/values"
)

// checkMoved reports what is wrong with the migration of a VM, or with keys for one that has none.
func (d *decided) checkMoved(m *machine.Machine) {
	if m.Migration == nil {
		d.checkNoMigration()
		return
	}
	d.checkMigration(m.Migration)
	d.warnOfIdentity(m, m.Migration)
}

// checkNoMigration reports keys for one VM without the VM that they are about.
func (d *decided) checkNoMigration() {
	for _, key := range []string{"cancel", "disks", "done"} {
		if n := d.entry.Keys.Get("migrate", key); n.IsSet() && d.entry.Own(n) {
			d.errorf(d.entry.KeyAt("migrate", key), rule.MissingKey, "migrate.vm",
				"missing VM, which %q is about; expected its managed object ID in vSphere, such as \"vm-1234\"", key)
		}
	}
}

// checkMigration reports keys that exclude each other.
func (d *decided) checkMigration(m *machine.Migration) {
	conflict := func(key, problem string) {
		d.errorf(d.entry.At("migrate", key), rule.Conflict, "migrate."+key, "%s", problem)
	}
	switch {
	case m.VM == machine.VSphereRef{}:
		d.errorf(d.entry.At("migrate", "vm"), rule.MissingKey, "migrate.vm", "the template results in nothing; "+
			"expected the VM's managed object ID in vSphere, such as \"vm-1234\"")
	case !d.traits.Pet:
		conflict("vm", "cattle is recreated from an image, and a VM of vSphere is not; use `lifecycle: pet`")
	case m.Cutover != "" && !m.Warm:
		conflict("cutover", "only a warm migration has a cutover; set `warm: true`, or remove it")
	case m.Cancel && m.Done:
		conflict("cancel", "the VM has moved; remove `cancel`, or `done`")
	case m.Cancel && m.Run == 0:
		conflict("cancel", "nothing runs; set `run`, or remove it")
	case len(m.Plan) > longestPlan:
		d.errorf(d.entry.At("migrate", "plan"), rule.BadName, "migrate.plan",
			"the plan %q has %d characters; at most %d are accepted", m.Plan, len(m.Plan), longestPlan)
	}
	if problem := values.NameProblem(m.Plan); problem != "" && len(m.Plan) <= longestPlan {
		d.errorf(d.entry.At("migrate", "plan"), rule.BadName, "migrate.plan", "%s", problem)
	}
}

// warnOfIdentity warns of a VM that has moved, and to which Git would give another identity than its guest has.
// forklift keeps the MAC addresses and the serial number of vSphere, and KubeVirt writes the UUID into the VM
// (kubev2v/forklift v2.12.5, pkg/controller/plan/adapter/vsphere/builder.go, mapNetworks and mapFirmware).
func (d *decided) warnOfIdentity(m *machine.Machine, moved *machine.Migration) {
	if !moved.Done {
		return
	}
	var missing []string
	for _, key := range []string{"uuid", "serial"} {
		if !d.entry.Keys.Get("firmware", key).IsSet() {
			missing = append(missing, "firmware."+key)
		}
	}
	for i := range m.NICs {
		if m.NICs[i].Written.Get("mac").Str() == "" {
			missing = append(missing, machine.NICPath(i)+".mac")
		}
	}
	if len(missing) > 0 {
		d.diags.Warnf(d.entry.At("migrate", "done"), rule.Migrate, d.entry.Path+".migrate.done",
			"the next restart would give the guest another %s than it has now; set what `vmrender import --merge` finds",
			strings.Join(missing, ", "))
	}
}

// longestPlan leaves room for the number of a run, so that the names are values of labels.
const longestPlan = values.MaxName - len("-20")
