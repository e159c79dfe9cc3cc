package machine

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

// use is a place where a VM uses a feature of KubeVirt.
type use struct {
	path string
	pos  source.Pos
}

// features are the features of KubeVirt that keys of the values files use, by their names in package versions. What
// overrides use is checked in package render. A VirtualMachinePool and a snapshot are kinds of their own; see
// checkPool and the APIs of package render.
var features = []struct {
	name string
	uses func(*draft, *Machine) []use
}{
	{"snapshots as sources", func(d *draft, m *Machine) []use {
		return d.usesOfSources(m, "snapshot", func(s *catalog.Source) bool { return s.Snapshot != "" })
	}},
	{"volume populators as sources", func(d *draft, m *Machine) []use {
		return d.usesOfSources(m, "dataSourceRef", func(s *catalog.Source) bool { return s.DataSourceRef.IsSet() })
	}},
	{"Google Cloud Storage as source", func(d *draft, m *Machine) []use {
		return d.usesOfSources(m, "gcs", func(s *catalog.Source) bool { return s.GCS != "" })
	}},
	{"memory hotplug", func(d *draft, _ *Machine) []use { return d.usesKey("memory", "max") }},
	{"network binding plugins", func(_ *draft, m *Machine) []use {
		return m.usesOfNICs("binding", func(n *NIC) bool {
			return !slices.Contains([]string{"bridge", "masquerade", "sriov", "none"}, n.Binding)
		})
	}},
	{"architecture s390x", func(d *draft, m *Machine) []use {
		if m.Arch == "s390x" {
			return []use{{"arch", d.entry.At("arch")}}
		}
		return nil
	}},
	{"NIC model igb", func(_ *draft, m *Machine) []use {
		return m.usesOfNICs("model", func(n *NIC) bool { return n.Model == "igb" })
	}},
	{"link state", func(_ *draft, m *Machine) []use {
		return m.usesOfNICs("state", func(n *NIC) bool { return n.State == "up" || n.State == "down" })
	}},
	{"storage migration", func(d *draft, m *Machine) []use {
		return d.usesOfDisks(m, "revision", func(*Disk) bool { return true })
	}},
	{"CD-ROM drive without a medium", func(d *draft, m *Machine) []use {
		return d.usesOfDisks(m, "ejected", func(disk *Disk) bool { return disk.Kind == DiskEjected })
	}},
	{"receiver of a migration", func(d *draft, m *Machine) []use {
		if m.RunStrategy == "WaitAsReceiver" {
			return d.usesKey("runStrategy")
		}
		return nil
	}},
	{"scale-in of pools", func(d *draft, _ *Machine) []use { return d.usesKey("lifecycle", "scaleInStrategy") }},
	{"autohealing of pools", func(d *draft, _ *Machine) []use { return d.usesKey("lifecycle", "autohealing") }},
	{"update strategy of pools", func(d *draft, _ *Machine) []use { return d.usesKey("lifecycle", "updateStrategy") }},
}

// usesKey returns the place of a key if it is set.
func (d *draft) usesKey(keys ...string) []use {
	if !d.entry.Keys.Get(keys...).IsSet() {
		return nil
	}
	return []use{{d.keyPath(keys), d.entry.At(keys...)}}
}

// usesOfSources returns the places of sources of disks that CDI fills, by their key, or by that of the named image.
func (d *draft) usesOfSources(m *Machine, key string, used func(*catalog.Source) bool) []use {
	var uses []use
	for i := range m.Disks {
		disk := &m.Disks[i]
		if disk.Kind != DiskDataVolume || !used(&disk.Source) {
			continue
		}
		if written := d.usesKey("disks", disk.Name, "source", key); len(written) > 0 {
			uses = append(uses, written...)
		} else {
			uses = append(uses, use{"disks." + disk.Name + ".source", d.entry.At("disks", disk.Name, "source")})
		}
	}
	return uses
}

// usesOfDisks returns the places of a key of disks that is set.
func (d *draft) usesOfDisks(m *Machine, key string, used func(*Disk) bool) []use {
	uses := make([]use, 0, len(m.Disks))
	for i := range m.Disks {
		if disk := &m.Disks[i]; used(disk) {
			uses = append(uses, d.usesKey("disks", disk.Name, key)...)
		}
	}
	return uses
}

// usesOfNICs returns the places of a key of NICs.
func (m *Machine) usesOfNICs(key string, used func(*NIC) bool) []use {
	var uses []use
	for i := range m.NICs {
		if n := &m.NICs[i]; used(n) {
			uses = append(uses, use{NICPath(i) + "." + key, n.At(key)})
		}
	}
	return uses
}

// checkFeatures reports features that the target's KubeVirt does not have: older API servers reject or ignore them.
// Feature gates are checked in package render, on the VirtualMachine.
func (d *draft) checkFeatures(m *Machine) {
	for i := range d.site.lacks {
		l := &d.site.lacks[i]
		for _, u := range l.uses(d, m) {
			d.errorf(u.pos, rule.KubeVirtVersion, u.path, "%s", l.problem)
		}
	}
}

// lack is a feature that the target does not have.
type lack struct {
	problem string
	uses    func(*draft, *Machine) []use
}

// lacksOf returns what a target does not have of the features.
func lacksOf(t *values.Target) []lack {
	var all []lack
	for i := range features {
		if problem := t.Missing(versions.Named(features[i].name)); problem != "" {
			all = append(all, lack{problem, features[i].uses})
		}
	}
	return all
}
