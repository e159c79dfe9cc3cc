package validation

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
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
	uses func(*decided, *machine.Machine) []use
}{
	{"snapshots as sources", func(d *decided, m *machine.Machine) []use {
		return d.usesOfSources(m, "snapshot", func(s *catalog.Source) bool { return s.Snapshot != "" })
	}},
	{"volume populators as sources", func(d *decided, m *machine.Machine) []use {
		return d.usesOfSources(m, "dataSourceRef", func(s *catalog.Source) bool { return s.DataSourceRef.IsSet() })
	}},
	{"Google Cloud Storage as source", func(d *decided, m *machine.Machine) []use {
		return d.usesOfSources(m, "gcs", func(s *catalog.Source) bool { return s.GCS != "" })
	}},
	{"memory hotplug", func(d *decided, _ *machine.Machine) []use { return d.usesKey("memory", "max") }},
	{"network binding plugins", func(_ *decided, m *machine.Machine) []use {
		return usesOfNICs(m, "binding", func(n *machine.NIC) bool {
			return !slices.Contains([]string{"bridge", "masquerade", "sriov", "none"}, n.Binding)
		})
	}},
	{"architecture s390x", func(d *decided, m *machine.Machine) []use {
		if m.Arch == "s390x" {
			return []use{{"arch", d.entry.At("arch")}}
		}
		return nil
	}},
	{"NIC model igb", func(_ *decided, m *machine.Machine) []use {
		return usesOfNICs(m, "model", func(n *machine.NIC) bool { return n.Model == "igb" })
	}},
	{"link state", func(_ *decided, m *machine.Machine) []use {
		return usesOfNICs(m, "state", func(n *machine.NIC) bool { return n.State == "up" || n.State == "down" })
	}},
	{"storage migration", func(d *decided, m *machine.Machine) []use {
		return d.usesOfDisks(m, "revision", func(*machine.Disk) bool { return true })
	}},
	{"CD-ROM drive without a medium", func(d *decided, m *machine.Machine) []use {
		return d.usesOfDisks(m, "ejected", func(disk *machine.Disk) bool { return disk.Kind == machine.DiskEjected })
	}},
	{"receiver of a migration", func(d *decided, m *machine.Machine) []use {
		if m.RunStrategy == "WaitAsReceiver" {
			return d.usesKey("runStrategy")
		}
		return nil
	}},
	{"scale-in of pools", func(d *decided, _ *machine.Machine) []use { return d.usesKey("lifecycle", "scaleInStrategy") }},
	{"autohealing of pools", func(d *decided, _ *machine.Machine) []use { return d.usesKey("lifecycle", "autohealing") }},
	{"update strategy of pools", func(d *decided, _ *machine.Machine) []use {
		return d.usesKey("lifecycle", "updateStrategy")
	}},
}

// usesKey returns the place of a key if it is set.
func (d *decided) usesKey(keys ...string) []use {
	if !d.entry.Keys.Get(keys...).IsSet() {
		return nil
	}
	return []use{{d.entry.KeyPath(keys...), d.entry.At(keys...)}}
}

// usesOfSources returns the places of sources of disks that CDI fills, by their key, or by that of the named image.
func (d *decided) usesOfSources(m *machine.Machine, key string, used func(*catalog.Source) bool) []use {
	var uses []use
	for i := range m.Disks {
		disk := &m.Disks[i]
		if disk.Kind != machine.DiskDataVolume || !used(&disk.Source) {
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
func (d *decided) usesOfDisks(m *machine.Machine, key string, used func(*machine.Disk) bool) []use {
	uses := make([]use, 0, len(m.Disks))
	for i := range m.Disks {
		if disk := &m.Disks[i]; used(disk) {
			uses = append(uses, d.usesKey("disks", disk.Name, key)...)
		}
	}
	return uses
}

// usesOfNICs returns the places of a key of NICs.
func usesOfNICs(m *machine.Machine, key string, used func(*machine.NIC) bool) []use {
	var uses []use
	for i := range m.NICs {
		if n := &m.NICs[i]; used(n) {
			uses = append(uses, use{machine.NICPath(i) + "." + key, n.At(key)})
		}
	}
	return uses
}

// checkFeatures reports features that the target's KubeVirt does not have: older API servers reject or ignore them.
// Feature gates are checked in package render, on the VirtualMachine.
func (d *decided) checkFeatures(m *machine.Machine) {
	if len(d.rules.lacks) == 0 {
		return
	}
	own := *d // for the functions of features, with which it is allocated; d itself stays on the stack
	for i := range d.rules.lacks {
		l := &d.rules.lacks[i]
		for _, u := range l.uses(&own, m) {
			d.errorf(u.pos, rule.KubeVirtVersion, u.path, "%s", l.problem)
		}
	}
}

// lack is a feature that the target does not have.
type lack struct {
	problem string
	uses    func(*decided, *machine.Machine) []use
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
