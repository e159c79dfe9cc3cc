package resolve

import (
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
)

// managedObject matches the IDs that vSphere gives networks and datastores.
var managedObject = lazyregexp.New(`^((network|dvportgroup|datastore)-[0-9]+|network-o[0-9]+)$`)

// vSphereRef returns the reference for a string, which is an ID or a name.
func vSphereRef(text string, isID func(string) bool) machine.VSphereRef {
	if isID(text) {
		return machine.VSphereRef{ID: text}
	}
	return machine.VSphereRef{Name: text}
}

func isObjectID(text string) bool { return managedObject().MatchString(text) }

// mappedNetworks returns the networks of vSphere that are mapped to those of the NICs. It reports NICs without one,
// and those whose network forklift refuses (kubev2v/forklift v2.12.5, pkg/controller/plan/validation.go,
// validateNetworkMap).
func (d *draft) mappedNetworks(m *machine.Machine) []machine.MappedNetwork {
	var out []machine.MappedNetwork
	for i := range m.NICs {
		nic := &m.NICs[i]
		network := d.site.Catalog.Network(nic.Network)
		if network == nil || len(network.VSphere) == 0 {
			d.reportUnmapped(nic, i)
			continue
		}
		var nad *machine.NamespacedName
		if !nic.Pod {
			nad = new(namespacedName(nic.NAD, d.namespace))
			if nad.Namespace != d.namespace && nad.Namespace != "default" {
				d.errorf(nic.Pos, rule.Conflict, machine.NICPath(i), "forklift attaches no VM of the namespace %q to %q; "+
					"accepted: networks of that namespace, and of \"default\"", d.namespace, nic.NAD)
			}
		}
		for _, name := range network.VSphere {
			out = append(out, machine.MappedNetwork{Source: vSphereRef(name, isObjectID), NAD: nad})
		}
	}
	return out
}

// reportUnmapped reports a NIC whose network no network of vSphere is mapped to.
func (d *draft) reportUnmapped(nic *machine.NIC, i int) {
	name, entry := nic.Network, ""
	if ns, nad, ok := strings.Cut(name, "/"); ok {
		name, entry = nad, "nad: "+ns+"/"+nad+", "
	}
	d.errorf(nic.Pos, rule.MissingKey, machine.NICPath(i),
		"no network of vSphere leads to %q; name it in fleet.yaml: `catalog: {networks: {%s: {%svsphere: [NAME]}}}`",
		nic.Network, name, entry)
}

// mappedStorage returns the datastores that lead to the storage classes of the disks. It reports disks whose
// class has none.
func (d *draft) mappedStorage(m *machine.Machine) []machine.MappedStorage {
	var out []machine.MappedStorage
	for i := range m.Disks {
		disk := &m.Disks[i]
		if !disk.Migrated {
			continue
		}
		name := d.vm.Disks[disk.Name].StorageClass
		class := d.site.Catalog.StorageClass(name)
		switch {
		case name == "":
			d.errorf(disk.Pos, rule.MissingKey, "disks."+disk.Name+".storageClass",
				"missing storage class; expected one of fleet.yaml's `catalog.storageClasses` with `vsphere: [DATASTORE]`")
		case class == nil || len(class.VSphere) == 0:
			d.errorf(d.entry.At("disks", disk.Name, "storageClass"), rule.MissingKey, "disks."+disk.Name+".storageClass",
				"no datastore of vSphere leads to %q; name it in fleet.yaml: "+
					"`catalog: {storageClasses: {%[1]s: {vsphere: [NAME]}}}`", name)
		default:
			for _, store := range class.VSphere {
				out = append(out, machine.MappedStorage{
					Source: vSphereRef(store, isObjectID),
					Class:  class.Name, AccessMode: class.AccessMode, VolumeMode: class.VolumeMode,
				})
			}
		}
	}
	return out
}
