package adopt

import (
	"cmp"
	"maps"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
)

// entry is the entry of one VM in the making.
type entry struct {
	live *live
	os   *catalog.ResolvedOS // in the mode of the entry
	keys node.Map            // VM keys in the order written
	// Nodes that a residue adds to: the disks and NICs by the names that KubeVirt knows them by.
	disks map[string]string // name of the volume → key under disks
	nics  map[string]int    // name of the interface → index under nics

	// whole is true if parts of lists cannot be patched: the lists are overridden.
	whole bool
	// plain is true if its pods do not have the labels and annotations that consoles show.
	plain bool
	// kept is true if no key is taken back for what is overridden: the entry was there before.
	kept bool
}

// key returns NAMESPACE/NAME, which identifies the VM among what is rendered.
func (e *entry) key() string { return e.live.Namespace + "/" + e.live.Name }

// draft sets the keys of the format for the VM in the place of those that are set, in the order in which a
// user reads them. It leaves out what the operating system's entry sets, and does not
// care for the rest: [entry.settle] finds it.
func (e *entry) draft(names *names) {
	e.keys, e.whole = node.Map{}, false
	e.keys.Set("os", e.os.Name)
	e.mode()
	e.size(names)
	e.power()
	e.drives()
	e.matchers() // now with the names of the disks
	e.network(names)
	e.guest()
	e.hardware()
	e.placement()
	e.metadata()
}

// hardware sets firmware and devices, as far as they differ from those of the operating
// system's entry.
func (e *entry) hardware() {
	spec := e.live.spec()
	e.firmware(spec.Domain.Firmware)
	e.tpm(spec.Domain.Devices.TPM)
	gpus := make([]any, 0, len(spec.Domain.Devices.GPUs))
	devices := make([]any, 0, len(spec.Domain.Devices.HostDevices))
	for i, g := range spec.Domain.Devices.GPUs {
		gpus = append(gpus, device(g.Name, g.DeviceName, "gpu", i))
	}
	for i, h := range spec.Domain.Devices.HostDevices {
		devices = append(devices, device(h.Name, h.DeviceName, "hostdevice", i))
	}
	if spec.Domain.Firmware != nil && spec.Domain.Firmware.KernelBoot != nil {
		e.override([]string{"spec", "template", "spec", "domain", "firmware", "kernelBoot"})
	}
	e.keys.Set("gpus", node.List(gpus))
	e.keys.Set("hostDevices", node.List(devices))
	if spec.Domain.Machine != nil {
		e.keys.Set("machineType", spec.Domain.Machine.Type)
	}
	if a := e.live.arch(); a != catalog.DefaultArch {
		e.keys.Set("arch", a)
	}
}

// firmware sets what differs, EFI always, since the guest is installed for it, and the
// identity as it is: the guest identifies itself by it.
func (e *entry) firmware(f *kubevirtv1.Firmware) {
	kind, persistent := e.bootloader()
	inherited, persists := e.inheritedFirmware()
	has := node.Map{}
	if kind != inherited || kind != "bios" {
		has.Set("type", kind)
	}
	if persistent != persists && kind != "bios" && kind != "" {
		has.Put("persistent", node.Bool(persistent))
	}
	if f != nil {
		has.Set("uuid", string(f.UUID))
		has.Set("serial", f.Serial)
	}
	e.keys.Set("firmware", has.Short("type"))
}

// bootloader returns the type of a firmware in the words of the format, and whether its
// variables persist. With a preference, firmware that the VM does not name is "".
func (e *entry) bootloader() (kind string, persistent bool) {
	var b kubevirtv1.Bootloader
	if f := e.live.spec().Domain.Firmware; f != nil && f.Bootloader != nil {
		b = *f.Bootloader
	}
	switch {
	case b.EFI == nil && b.BIOS == nil && e.preferred():
		return "", false
	case b.EFI == nil:
		return "bios", false
	}
	kind = "efi"
	if b.EFI.SecureBoot == nil || *b.EFI.SecureBoot {
		kind = "secureboot"
	}
	return kind, b.EFI.Persistent != nil && *b.EFI.Persistent
}

// inheritedFirmware returns the firmware of the operating system's entry, which a
// preference takes the place of.
func (e *entry) inheritedFirmware() (kind string, persistent bool) {
	if e.preferred() {
		return "", false
	}
	f := e.os.Defaults.Get("firmware")
	return cmp.Or(f.Get("type").Str(), "bios"), node.IsTrue(f.Get("persistent"))
}

// preferred reports whether a preference sets the hardware.
func (e *entry) preferred() bool { return e.live.vm.Spec.Preference != nil }

// tpm sets the TPM if it differs.
func (e *entry) tpm(t *kubevirtv1.TPMDevice) {
	inherited := e.os.Defaults.Get("tpm")
	if e.preferred() {
		inherited = nil
	}
	has := t != nil && (t.Enabled == nil || *t.Enabled)
	persistent := has && t.Persistent != nil && *t.Persistent
	persists := node.Map{}
	persists.Put("persistent", node.Bool(persistent))
	switch {
	case has == inherited.IsSet() && persistent == node.IsTrue(inherited.Get("persistent")):
	case persistent || has && inherited.IsSet():
		e.keys.Put("tpm", persists.Node())
	default:
		e.keys.Put("tpm", node.Bool(has))
	}
}

// device returns a device in the short form if its name is the one that it would get.
func device(name, resource, prefix string, i int) *source.Node {
	d := node.Map{}
	d.Set("device", resource)
	if name != nth(prefix, i) {
		d.Set("name", name)
	}
	return d.Short("device")
}

// placement sets where the VM runs, and how it is taken from there: what the format
// has in the words of Kubernetes and KubeVirt.
func (e *entry) placement() {
	spec := e.live.spec()
	if s := spec.EvictionStrategy; s != nil {
		e.keys.Set("evictionStrategy", string(*s))
	}
	e.keys.Set("nodeSelector", spec.NodeSelector)
	e.keys.Set("tolerations", spec.Tolerations)
	e.keys.Set("affinity", spec.Affinity)
	e.keys.Set("topologySpreadConstraints", spec.TopologySpreadConstraints)
	e.keys.Set("priorityClassName", spec.PriorityClassName)
	e.grace(spec.TerminationGracePeriodSeconds)
	e.keys.Set("readinessProbe", spec.ReadinessProbe)
	e.keys.Set("livenessProbe", spec.LivenessProbe)
	e.keys.Set("hostname", escaped(spec.Hostname))
}

// grace sets the grace period if it differs from that of the operating system's entry.
func (e *entry) grace(seconds *int64) {
	const key = "terminationGracePeriodSeconds"
	inherited := e.os.Defaults.Get(key)
	if e.preferred() {
		inherited = nil
	}
	switch {
	case seconds == nil && inherited.IsSet():
		e.keys.Put(key, node.Null())
	case seconds != nil:
		if v := node.Number(decimal(*seconds)); !inherited.IsSet() || inherited.Text != v.Text {
			e.keys.Put(key, v)
		}
	}
}

// metadata sets the labels that the VM and its pods have, and annotations. Those of
// one of both are a residue.
func (e *entry) metadata() {
	vm := e.live.vm
	shared := maps.Clone(vm.Labels)
	maps.DeleteFunc(shared, func(key, value string) bool {
		of, ok := vm.Spec.Template.ObjectMeta.Labels[key]
		return !ok || of != value || isOurs(key) || !e.plain && (key == labelDomain || key == labelSize)
	})
	if vm.Labels[labels.BlockTracking] == "true" && shared[labels.BlockTracking] == "" {
		e.keys.Put("backup", node.Bool(true))
	}
	e.keys.Set("labels", texts(shared))
	e.keys.Set("annotations", texts(vm.Annotations))
	pod := maps.Clone(vm.Spec.Template.ObjectMeta.Annotations)
	if w := pod[annotationWorkload]; w != "" && w != e.os.Workload && !e.plain {
		e.keys.Set("workload", w)
		delete(pod, annotationWorkload)
	}
	maps.DeleteFunc(pod, func(key, value string) bool { return value == e.consoleAnnotation(key) })
	e.keys.Set("podAnnotations", texts(pod))
}

// consoleAnnotation returns the value that is rendered for an annotation of the pods, or
// "" for annotations that are not.
func (e *entry) consoleAnnotation(key string) string {
	if e.plain {
		return ""
	}
	switch key {
	case annotationOS:
		return cmp.Or(e.os.Label, e.os.Name)
	case annotationFlavor:
		return e.flavorName()
	case annotationWorkload:
		return e.os.Workload
	}
	return ""
}
