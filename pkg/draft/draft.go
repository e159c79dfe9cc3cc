// Package draft writes the entry of one VM as it is in a cluster: the keys by which a fleet renders it. It reads the VM
// ([Read]), sets the keys in the short forms of the format ([Entry.Draft]), and adds what they lack, once the caller
// has rendered them ([Entry.Settle]). It renders nothing itself, and does not depend on other VMs: packages adopt and
// writeback put entries into files.
package draft

import (
	"cmp"
	"maps"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/keys"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/node"
)

// Entry is the entry of one VM in the making. [New] returns one without keys.
type Entry struct {
	Live *Live
	OS   *catalog.ResolvedOS // the entry of the catalog, in the mode that the VM has
	Keys node.Map            // the keys of the VM under `vms`, in the order in which they were set
	// Nodes that a residue adds to: the disks and NICs by the names that KubeVirt knows them by.
	Disks map[string]string // name of the volume → key under `disks`
	NICs  map[string]int    // name of the interface → index in `nics`, from 0

	// Plain is true if its pods do not have the labels and annotations that consoles show.
	Plain bool
	// Kept is true if no key is taken back for what is overridden: the entry was there before.
	Kept bool

	// whole is true if parts of lists cannot be patched: the lists are overridden.
	whole bool
}

// Key returns NAMESPACE/NAME, which identifies the VM among what is rendered.
func (e *Entry) Key() string { return e.Live.Namespace + "/" + e.Live.Name }

// Draft sets the keys, the disks and the NICs of the entry in the place of those that are set, the keys in the order in
// which a user reads them. It leaves out what the operating system's entry sets, and what no key expresses:
// [Entry.Settle] adds that.
func (e *Entry) Draft(names *Names) {
	e.Keys, e.whole = node.Map{}, false
	e.Keys.Set("os", e.OS.Name)
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
func (e *Entry) hardware() {
	spec, in := e.Live.Spec(), e.inherited()
	e.firmware(spec.Domain.Firmware)
	e.tpm(spec.Domain.Devices.TPM)
	if spec.Domain.Firmware != nil && spec.Domain.Firmware.KernelBoot != nil {
		e.override([]string{"spec", "template", "spec", "domain", "firmware", "kernelBoot"})
	}
	e.Keys.Set("gpus", keys.GPUs(&spec.Domain.Devices, in))
	e.Keys.Set("hostDevices", keys.HostDevices(&spec.Domain.Devices, in))
}

// inherited returns what keys have by themselves.
func (e *Entry) inherited() *keys.Inherited {
	return &keys.Inherited{OS: e.OS, Preferred: e.Preferred()}
}

// firmware sets what differs, EFI always, since the guest is installed for it, and the
// identity as it is: the guest identifies itself by it.
func (e *Entry) firmware(f *kubevirtv1.Firmware) {
	kind, persistent := e.Bootloader()
	inherited, persists := e.inheritedFirmware()
	has := node.Map{}
	if kind != inherited || kind != "bios" {
		has.Set("type", kind)
	}
	if persistent != persists && kind != "bios" && kind != "" {
		has.Put("persistent", node.Bool(persistent))
	}
	if f != nil {
		keys.Firmware.Get(&has, f, e.inherited())
	}
	e.Keys.Set("firmware", has.Short("type"))
}

// Bootloader returns the type of the VM's firmware; see [keys.Bootloader].
func (e *Entry) Bootloader() (kind string, persistent bool) {
	return keys.Bootloader(e.Live.Spec().Domain.Firmware, e.Preferred())
}

// inheritedFirmware returns the firmware of the operating system's entry, which a
// preference takes the place of.
func (e *Entry) inheritedFirmware() (kind string, persistent bool) {
	if e.Preferred() {
		return "", false
	}
	f := e.OS.Defaults.Get("firmware")
	return cmp.Or(f.Get("type").Str(), "bios"), node.IsTrue(f.Get("persistent"))
}

// Preferred reports whether a preference sets hardware that the VM does not name.
func (e *Entry) Preferred() bool { return e.Live.VM.Spec.Preference != nil }

// tpm sets the TPM if it differs.
func (e *Entry) tpm(t *kubevirtv1.TPMDevice) {
	inherited := e.OS.Defaults.Get("tpm")
	if e.Preferred() {
		inherited = nil
	}
	mode := keys.TPM(t)
	has, persistent := mode != machine.TPMNone, mode == machine.TPMPersistent
	persists := node.Map{}
	persists.Put("persistent", node.Bool(persistent))
	switch {
	case has == inherited.IsSet() && persistent == node.IsTrue(inherited.Get("persistent")):
	case persistent || has && inherited.IsSet():
		e.Keys.Put("tpm", persists.Node())
	default:
		e.Keys.Put("tpm", node.Bool(has))
	}
}

// placement sets where the VM runs, and how it is taken from there: what the format
// has in the words of Kubernetes and KubeVirt.
func (e *Entry) placement() {
	spec := e.Live.Spec()
	keys.VM.Get(&e.Keys, spec, e.inherited())
	for i := range keys.Verbatim {
		e.Keys.Set(keys.Verbatim[i].Key, keys.Verbatim[i].Get(spec))
	}
	e.grace(spec.TerminationGracePeriodSeconds)
}

// grace sets the grace period if it differs from that of the operating system's entry.
func (e *Entry) grace(seconds *int64) {
	const key = "terminationGracePeriodSeconds"
	inherited := e.OS.Defaults.Get(key)
	if e.Preferred() {
		inherited = nil
	}
	switch {
	case seconds == nil && inherited.IsSet():
		e.Keys.Put(key, node.Null())
	case seconds != nil:
		if v := node.Number(decimal(*seconds)); !inherited.IsSet() || inherited.Text != v.Text {
			e.Keys.Put(key, v)
		}
	}
}

// metadata sets the labels that the VM and its pods have, those that its pods have otherwise, and annotations. Labels
// of the VM only are a residue.
func (e *Entry) metadata() {
	vm := e.Live.VM
	ofPods := maps.Clone(vm.Spec.Template.ObjectMeta.Labels)
	maps.DeleteFunc(ofPods, func(key, _ string) bool {
		return IsOurs(key) || !e.Plain && (key == labelDomain || key == labelSize)
	})
	shared := maps.Clone(vm.Labels)
	maps.DeleteFunc(shared, func(key, value string) bool {
		_, ok := ofPods[key]
		return !ok || key == labelApp && value == e.Live.Name // which the VM gets by itself
	})
	maps.DeleteFunc(ofPods, func(key, value string) bool { of, ok := shared[key]; return ok && of == value })
	if vm.Labels[labels.BlockTracking] == "true" && shared[labels.BlockTracking] == "" {
		e.Keys.Put("backup", node.Bool(true))
	}
	e.Keys.Set("labels", texts(shared))
	e.Keys.Set("podLabels", texts(ofPods))
	e.Keys.Set("annotations", texts(vm.Annotations))
	pod := maps.Clone(vm.Spec.Template.ObjectMeta.Annotations)
	if w := pod[annotationWorkload]; w != "" && w != e.OS.Workload && !e.Plain {
		e.Keys.Set("workload", w)
		delete(pod, annotationWorkload)
	}
	maps.DeleteFunc(pod, func(key, value string) bool { return value == e.consoleAnnotation(key) })
	e.Keys.Set("podAnnotations", texts(pod))
}

// consoleAnnotation returns the value that is rendered for an annotation of the pods, or
// "" for annotations that are not.
func (e *Entry) consoleAnnotation(key string) string {
	if e.Plain {
		return ""
	}
	switch key {
	case annotationOS:
		return cmp.Or(e.OS.Label, e.OS.Name)
	case annotationFlavor:
		return e.flavorName()
	case annotationWorkload:
		return e.OS.Workload
	}
	return ""
}
