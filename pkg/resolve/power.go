package resolve

import (
	"cmp"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/schedule"
)

// power returns when the VM is stopped and started, or nil if only users do it.
func (d *draft) power() *machine.Power {
	in := d.vm.Power
	if in == nil || !d.isForPet("power", "; remove it, or use `lifecycle: pet`") {
		return nil
	}
	if in.Off == "" && in.On == "" {
		d.errorf(d.entry.KeyAt("power"), rule.MissingKey, "power", "missing; expected off, on or both, as %s",
			schedule.TimesForm)
		return nil
	}
	off, offIsWell := d.times(in.Off, "power", "off")
	on, onIsWell := d.times(in.On, "power", "on")
	if !offIsWell || !onIsWell {
		return nil
	}
	if off != nil && on != nil && off.Meets(&on.Times) {
		d.errorf(d.entry.At("power", "on"), rule.Conflict, "power.on",
			"%q starts the VM in a minute in which %q at %s stops it; expected other times", on.Text, off.Text,
			catalog.Where(d.entry.At("power", "off")))
	}
	return &machine.Power{Off: off, On: on}
}

// poweredStrategies are the run strategies with which a start or stop does not change the VirtualMachine but its status
// (kubevirt v1.4.0, pkg/virt-api/rest/subresource.go, and v1.8.4, pkg/virt-api/rest/lifecycle.go,
// StartVMRequestHandler and StopVMRequestHandler). With Always, Once and Halted, its run strategy becomes Halted or
// Always, or the start is refused. The first one is the default: it starts a VM again that has failed, such as with its
// node (pkg/virt-controller/watch/vm/vm.go, syncRunStrategy).
var poweredStrategies = [...]string{"RerunOnFailure", "Manual"}

// givenStrategy returns the run strategy of a VM without `running`.
func (d *draft) givenStrategy() string {
	given := d.vm.RunStrategy
	if d.vm.Power == nil || !d.traits.Pet {
		return cmp.Or(given, "Always")
	}
	if given != "" && given != poweredStrategies[0] && given != poweredStrategies[1] {
		d.errorf(d.entry.At("runStrategy"), rule.Conflict, "runStrategy",
			"with `power` at %s, the run strategy stays as Git has it only if it is %s, the default, or %s; "+
				"expected one of them, or `power: null`",
			catalog.Where(d.entry.KeyAt("power")), poweredStrategies[0], poweredStrategies[1])
	}
	return cmp.Or(given, poweredStrategies[0])
}
