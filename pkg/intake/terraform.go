package intake

import (
	"io"

	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/exports"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/world"
)

// terraform reads the objects of a state or a plan of Terraform, and notes the resources of its VMs.
func (r *reading) terraform(at string, in io.Reader) []manifest.Object {
	s := exports.ReadTerraform(in)
	for _, p := range s.Problems {
		r.diags.Errorf(source.Pos{File: at, Line: p.Line, Col: p.Col}, rule.Unreadable, p.Address, "%s", p.Text)
	}
	for _, n := range s.Notes {
		r.diags.Add(source.Diagnostic{
			Pos: source.Pos{File: at}, Severity: source.Warning, Rule: rule.Unreadable, Path: n.Address, Message: n.Text,
		})
	}
	objects := make([]manifest.Object, len(s.Objects))
	disks := map[string][]string{} // addresses, by NAMESPACE/NAME
	for i, o := range s.Objects {
		objects[i] = o.Object
		if o.Kind == "DataVolume" || o.Kind == "PersistentVolumeClaim" {
			key := r.Options.NamespaceOf(o.Object) + "/" + o.Name
			disks[key] = append(disks[key], o.Address)
		}
	}
	for _, o := range s.Objects {
		if adopt.IsVM(o.Object) {
			r.note(at, o, disks)
		}
	}
	return objects
}

// note notes the resource of a VM and those of its disks, of which the addresses are given.
func (r *reading) note(at string, vm exports.Managed, disks map[string][]string) {
	namespace := r.Options.NamespaceOf(vm.Object)
	origin := adopt.Origin{File: at, Address: vm.Address, Sensitive: vm.Sensitive}
	for _, name := range world.Claims(world.Spec(vm.Tree())) {
		origin.Disks = append(origin.Disks, disks[namespace+"/"+name]...)
	}
	r.Origins[namespace+"/"+vm.Name] = origin
}
