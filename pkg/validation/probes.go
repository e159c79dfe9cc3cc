package validation

import (
	"slices"
	"strconv"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// checkProbes reports probes that ask in more than one way, usually because levels are
// merged.
func (d *decided) checkProbes() {
	for _, probe := range []string{"readinessProbe", "livenessProbe"} {
		keys := d.entry.Keys.Get(probe)
		if keys == nil {
			continue
		}
		var ways []string
		for _, way := range []string{"exec", "guestAgentPing", "httpGet", "tcpSocket"} {
			if keys.Get(way).IsSet() {
				ways = append(ways, way)
			}
		}
		d.checkProbePort(probe)
		if len(ways) > 1 {
			d.errorf(d.entry.KeyAt(probe, ways[1]), rule.Conflict, probe, "both %s and %s, perhaps of two levels; "+
				"expected one, and null for the other", ways[0], ways[1])
		}
	}
}

// checkProbePort reports a probe of a port by a name that no NIC gives to one. The pod has only the ports of NICs
// (kubevirt/kubevirt v1.8.4, pkg/virt-controller/services/template.go), and patches may add some.
func (d *decided) checkProbePort(probe string) {
	if d.vm.Overrides.IsSet() || len(d.vm.Patches) > 0 {
		return
	}
	var names []string
	for i := range d.vm.NICs {
		for _, p := range d.vm.NICs[i].Ports {
			names = append(names, p.Name)
		}
	}
	for _, way := range []string{"httpGet", "tcpSocket"} {
		n := d.entry.Keys.Get(probe, way, "port")
		if n == nil || n.Kind != source.String || n.Text == "" || slices.Contains(names, n.Text) {
			continue
		}
		if _, err := strconv.Atoi(n.Text); err != nil {
			d.errorf(n.Pos(), rule.UnknownName, probe+"."+way+".port",
				"no NIC has a port of the name %q; expected a number, or the name of one in `nics[].ports`", n.Text)
		}
	}
}

// checkProbesWithoutPod reports probes that reach the guest over the pod
// network, on which the VM has no NIC (kubevirt/kubevirt
// pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go,
// v1.8.4).
func (d *decided) checkProbesWithoutPod() {
	for _, probe := range []string{"readinessProbe", "livenessProbe"} {
		for _, kind := range []string{"httpGet", "tcpSocket"} {
			if f := d.entry.Keys.Get(probe).Field(kind); f != nil && f.Value.IsSet() {
				d.errorf(f.Pos(), rule.Conflict, probe+"."+kind,
					"needs a NIC on the pod network; accepted without one: exec, guestAgentPing")
			}
		}
	}
}
