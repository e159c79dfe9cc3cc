package draft

import (
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/keys"
	"github.com/vmrender/vmrender/pkg/node"
)

// The entry of a VM is in one of two modes. In the plain one it gets what its operating system's entry gives to new
// VMs. With `adopted: true` it gets only what its own values say: that is for VMs which have less.

// OSOf returns the operating system's entry of a catalog for a VM, such as "rhel9", in the mode that fits the VM: that
// of adopted VMs if it lacks more of what new VMs get than an override can take away. It is nil if the catalog has no
// such entry.
func OSOf(set *catalog.Set, name string, l *Live) *catalog.ResolvedOS {
	const few = 1 // an override that takes something away is shorter than all that adopted VMs have to say
	os := set.OSOn(name, l.Arch())
	if os == nil || lacking(l, os) <= few {
		return os
	}
	return set.AdoptedOS(name, l.Arch())
}

// lacking returns how much a VM lacks of what is given to new VMs of an operating system.
func lacking(l *Live, os *catalog.ResolvedOS) int {
	n := 0
	for _, of := range []func(*Live, *catalog.ResolvedOS) int{
		lackingTraits, lackingSize, lackingNICs, lackingDisks, lackingFirmware, lackingStrategy,
	} {
		n += of(l, os)
	}
	return n
}

// must counts what no override can take away.
const must = 2

func preferred(l *Live) bool { return l.VM.Spec.Preference != nil }

// lackingTraits counts what the traits set and the VM has not. A preference takes their place.
func lackingTraits(l *Live, os *catalog.ResolvedOS) int {
	n := 0
	if preferred(l) {
		return n
	}
	spec, _ := Reach(l.Tree, []string{"spec", "template", "spec"}).(tree)
	for path := range node.Leaves(os.Spec) {
		if Reach(spec, node.SplitPath(path)) == nil {
			n++
		}
	}
	queues := l.Spec().Domain.Devices.NetworkInterfaceMultiQueue
	if os.Multiqueue && (queues == nil || !*queues) {
		n++
	}
	if l.Spec().TerminationGracePeriodSeconds == nil && os.Defaults.Get("terminationGracePeriodSeconds").IsSet() {
		n++
	}
	return n
}

// lackingSize is about processors and memory, which new VMs set in full, unless an instance type does.
func lackingSize(l *Live, _ *catalog.ResolvedOS) int {
	d := &l.Spec().Domain
	switch {
	case l.VM.Spec.Instancetype != nil:
	case d.CPU == nil || d.CPU.Sockets == 0 || d.CPU.Cores == 0 || d.CPU.Threads == 0:
		return must
	case d.Memory == nil || d.Memory.Guest == nil:
		return must
	}
	return 0
}

// lackingNICs is about NICs, each of which has a binding and a model.
func lackingNICs(l *Live, _ *catalog.ResolvedOS) int {
	d, n := &l.Spec().Domain.Devices, 0
	if len(d.Interfaces) == 0 && (d.AutoattachPodInterface == nil || *d.AutoattachPodInterface) {
		n++
	}
	for i := range d.Interfaces {
		switch nic := &d.Interfaces[i]; {
		case keys.Binding(nic) == "":
			n += must
		case nic.Model == "" && nic.SRIOV == nil && !preferred(l):
			n++
		}
	}
	return n
}

// lackingDisks is about disks, of which there is one for each volume, and whose sizes are said.
func lackingDisks(l *Live, _ *catalog.ResolvedOS) int {
	spec := l.Spec()
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
	for i := range l.VM.Spec.DataVolumeTemplates {
		if s := l.VM.Spec.DataVolumeTemplates[i].Spec.Storage; s != nil && s.Resources.Requests.Storage().IsZero() {
			n++
		}
	}
	return n
}

// lackingFirmware is about EFI, of which new VMs say whether it has secure boot.
func lackingFirmware(l *Live, _ *catalog.ResolvedOS) int {
	f := l.Spec().Domain.Firmware
	if f != nil && f.Bootloader != nil && f.Bootloader.EFI != nil && f.Bootloader.EFI.SecureBoot == nil {
		return 1
	}
	return 0
}

// lackingStrategy is about the run strategy, whose older form only adopted VMs have.
func lackingStrategy(l *Live, _ *catalog.ResolvedOS) int {
	if l.VM.Spec.Running != nil {
		return must
	}
	return 0
}

// New returns the entry of a VM without keys. The operating system is that of [OSOf], or another entry of the catalog
// that the VM is to have, not nil.
func New(l *Live, os *catalog.ResolvedOS) *Entry {
	return &Entry{Live: l, OS: os, Plain: lacksConsoleLabels(l, os)}
}

// lacksConsoleLabels reports whether the pods of a VM lack one of the labels and annotations that consoles show.
func lacksConsoleLabels(l *Live, os *catalog.ResolvedOS) bool {
	t := &l.VM.Spec.Template.ObjectMeta
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
func (e *Entry) mode() {
	inherited := e.OS.Defaults.Get("consoleLabels")
	e.Keys.Set("adopted", e.OS.Adopted && !node.IsTrue(e.OS.Defaults.Get("adopted")))
	if plain := inherited == nil && e.OS.Adopted || inherited != nil && !node.IsTrue(inherited); plain != e.Plain {
		e.Keys.Put("consoleLabels", node.Bool(!e.Plain))
	}
}

// power sets when the VM runs: a run strategy, or its older form.
func (e *Entry) power() {
	spec := &e.Live.VM.Spec
	if s := spec.RunStrategy; s != nil && *s != kubevirtv1.RunStrategyAlways {
		e.Keys.Set("runStrategy", string(*s))
	}
	if spec.Running != nil && e.OS.Adopted {
		e.Keys.Put("running", node.Bool(*spec.Running))
	}
}
