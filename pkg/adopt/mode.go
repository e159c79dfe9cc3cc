package adopt

import (
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/node"
)

// The entry of a VM is in one of two modes. In the plain one it gets what its operating system's entry gives to new
// VMs. With `adopted: true` it gets only what its own values say: that is for VMs which have less.

// osOf returns the operating system's entry for a VM, in the mode that fits it, or nil if there is none.
func osOf(set *catalog.Set, name string, l *live) *catalog.ResolvedOS {
	const few = 1 // an override that takes something away is shorter than all that adopted VMs have to say
	os := set.OSOn(name, l.arch())
	if os == nil || lacking(l, os) <= few {
		return os
	}
	return set.AdoptedOS(name, l.arch())
}

// lacking returns how much a VM lacks of what is given to new VMs of an operating system.
func lacking(l *live, os *catalog.ResolvedOS) int {
	n := 0
	for _, of := range []func(*live, *catalog.ResolvedOS) int{
		lackingTraits, lackingSize, lackingNICs, lackingDisks, lackingFirmware, lackingStrategy,
	} {
		n += of(l, os)
	}
	return n
}

// must counts what no override can take away.
const must = 2

func preferred(l *live) bool { return l.vm.Spec.Preference != nil }

// lackingTraits counts what the traits set and the VM has not. A preference takes their place.
func lackingTraits(l *live, os *catalog.ResolvedOS) int {
	n := 0
	if preferred(l) {
		return n
	}
	spec, _ := reach(l.tree, []string{"spec", "template", "spec"}).(tree)
	for path := range node.Leaves(os.Spec) {
		if reach(spec, node.SplitPath(path)) == nil {
			n++
		}
	}
	queues := l.spec().Domain.Devices.NetworkInterfaceMultiQueue
	if os.Multiqueue && (queues == nil || !*queues) {
		n++
	}
	if l.spec().TerminationGracePeriodSeconds == nil && os.Defaults.Get("terminationGracePeriodSeconds").IsSet() {
		n++
	}
	return n
}

// lackingSize is about processors and memory, which new VMs set in full, unless an instance type does.
func lackingSize(l *live, _ *catalog.ResolvedOS) int {
	d := &l.spec().Domain
	switch {
	case l.vm.Spec.Instancetype != nil:
	case d.CPU == nil || d.CPU.Sockets == 0 || d.CPU.Cores == 0 || d.CPU.Threads == 0:
		return must
	case d.Memory == nil || d.Memory.Guest == nil:
		return must
	}
	return 0
}

// lackingNICs is about NICs, each of which has a binding and a model.
func lackingNICs(l *live, _ *catalog.ResolvedOS) int {
	d, n := &l.spec().Domain.Devices, 0
	if len(d.Interfaces) == 0 && (d.AutoattachPodInterface == nil || *d.AutoattachPodInterface) {
		n++
	}
	for i := range d.Interfaces {
		switch nic := &d.Interfaces[i]; {
		case bindingOf(nic) == "":
			n += must
		case nic.Model == "" && nic.SRIOV == nil && !preferred(l):
			n++
		}
	}
	return n
}

// lackingDisks is about disks, of which there is one for each volume, and whose sizes are said.
func lackingDisks(l *live, _ *catalog.ResolvedOS) int {
	spec := l.spec()
	used := map[string]bool{}
	for i := range spec.Domain.Devices.Disks {
		used[spec.Domain.Devices.Disks[i].Name] = true
	}
	for i := range spec.Domain.Devices.Filesystems {
		used[spec.Domain.Devices.Filesystems[i].Name] = true
	}
	n := 0
	for i := range spec.Volumes {
		if v := &spec.Volumes[i]; len(used) > 0 && !used[v.Name] && v.MemoryDump == nil {
			n += must
		}
	}
	switch {
	case len(spec.Volumes) == 0:
		n += must
	case len(used) == 0: // KubeVirt adds a disk for each volume
		n++
	}
	for i := range l.vm.Spec.DataVolumeTemplates {
		if s := l.vm.Spec.DataVolumeTemplates[i].Spec.Storage; s != nil && s.Resources.Requests.Storage().IsZero() {
			n++
		}
	}
	return n
}

// lackingFirmware is about EFI, of which new VMs say whether it has secure boot.
func lackingFirmware(l *live, _ *catalog.ResolvedOS) int {
	f := l.spec().Domain.Firmware
	if f != nil && f.Bootloader != nil && f.Bootloader.EFI != nil && f.Bootloader.EFI.SecureBoot == nil {
		return 1
	}
	return 0
}

// lackingStrategy is about the run strategy, whose older form only adopted VMs have.
func lackingStrategy(l *live, _ *catalog.ResolvedOS) int {
	if l.vm.Spec.Running != nil {
		return must
	}
	return 0
}

// newEntry returns the entry of a VM without keys, for an operating system's entry of the catalog.
func newEntry(l *live, os *catalog.ResolvedOS) *entry {
	return &entry{live: l, os: os, plain: lacksConsoleLabels(l, os)}
}

// lacksConsoleLabels reports whether the pods of a VM lack one of the labels and annotations that consoles show.
func lacksConsoleLabels(l *live, os *catalog.ResolvedOS) bool {
	t := &l.vm.Spec.Template.ObjectMeta
	for _, key := range []string{labelDomain, labelSize} {
		if _, ok := t.Labels[key]; !ok {
			return true
		}
	}
	for _, key := range []string{annotationOS, annotationFlavor, annotationWorkload} {
		if _, ok := t.Annotations[key]; !ok && (key != annotationWorkload || os.Workload != "") {
			return true
		}
	}
	return false
}

// mode sets whether the VM is adopted, and whether it has the labels for consoles, unless the operating system's entry
// does.
func (e *entry) mode() {
	inherited := e.os.Defaults.Get("consoleLabels")
	e.keys.Set("adopted", e.os.Adopted && !node.IsTrue(e.os.Defaults.Get("adopted")))
	if plain := inherited == nil && e.os.Adopted || inherited != nil && !node.IsTrue(inherited); plain != e.plain {
		e.keys.Put("consoleLabels", node.Bool(!e.plain))
	}
}

// power sets when the VM runs: a run strategy, or its older form.
func (e *entry) power() {
	spec := &e.live.vm.Spec
	if s := spec.RunStrategy; s != nil && *s != kubevirtv1.RunStrategyAlways {
		e.keys.Set("runStrategy", string(*s))
	}
	if spec.Running != nil && e.os.Adopted {
		e.keys.Put("running", node.Bool(*spec.Running))
	}
}
