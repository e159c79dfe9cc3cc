package delivery

import (
	"fmt"

	"github.com/vmrender/vmrender/pkg/inventory"
)

// Fleet returns the fleet of the plan, which must not be changed.
func (p *Plan) Fleet() *inventory.Fleet { return p.fleet }

// Ignored returns the JSON pointers to the fields of VirtualMachines that a delivery leaves as they are in the cluster,
// sorted.
func (p *Plan) Ignored() []string { return p.ignored() }

// FluxName returns what the names of the Kustomizations begin with: that of the options, or the fleet's. Files of
// other overlays, namespaces or values need a name of the user's. A part of a fleet has none, because a VM that moves
// to another part would be deleted by the Kustomizations of the first.
func (p *Plan) FluxName() (string, error) {
	o := &p.options
	if part := p.fleet.Part(); part != "." {
		return "", fmt.Errorf("%s: a part of a fleet, and Flux delivers it as a whole; use the directory of fleet.yaml",
			p.dir)
	}
	if o.Name != "" {
		return o.Name, nil
	}
	for _, given := range []struct {
		flag  string
		isSet bool
	}{
		{"--overlay", len(o.Fleet.Overlays) > 0},
		{"--namespace", o.Fleet.Namespace != ""},
		{"--default", len(o.Fleet.Defaults) > 0},
		{"--set", len(o.Fleet.Set) > 0},
	} {
		if given.isSet {
			return "", fmt.Errorf("%s needs --name: the default name does not show it, and Kustomizations of the same name, "+
				"for other VMs, would be replaced", given.flag)
		}
	}
	return p.fleet.Header.Metadata.Name, nil
}
