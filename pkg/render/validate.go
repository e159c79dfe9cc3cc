package render

import (
	"strconv"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// validate reports problems that keep a VM from working although KubeVirt accepts
// them or reports them too late. It checks what users patch; everything else is
// right by construction. key is what was applied last: overrides or patches.
func (x *rendering) validate(vm *kubevirtv1.VirtualMachine, tree *source.Node, key string) *source.Diagnostics {
	v := validation{rendering: x, key: key, tree: tree, found: &source.Diagnostics{}}
	v.checkIdentity(vm)
	v.checkRunStrategy(&vm.Spec)
	if vm.Spec.Template == nil {
		v.errorf(rule.MissingKey, "", "missing template", "spec")
		return v.found
	}
	v.spec = &vm.Spec.Template.Spec
	v.checkSelected(vm.Spec.Template.ObjectMeta.Labels[labelDomain])
	v.checkSize()
	v.checkVolumes()
	v.checkNetworks()
	v.checkSecureBoot()
	v.checkDuplicates(vm)
	return v.found
}

type validation struct {
	*rendering
	key   string
	tree  *source.Node
	spec  *kubevirtv1.VirtualMachineInstanceSpec
	found *source.Diagnostics
}

// errorf reports a problem with the value under keys, at the position in the user's file.
func (v *validation) errorf(id rule.ID, name, problem string, keys ...string) {
	v.found.Errorf(v.where(keys), id, v.pathOf(keys), "%s%s", quotedName(name), problem)
}

func quotedName(name string) string {
	if name == "" {
		return ""
	}
	return strconv.Quote(name) + ": "
}

func (v *validation) pathOf(keys []string) string {
	path := v.path(v.key)
	for _, k := range keys {
		path = source.JoinPath(path, k)
	}
	return path
}

// where returns the position of the deepest of keys that an override or patch
// contains. Nodes that were rendered have the position of the VM instead.
func (v *validation) where(keys []string) source.Pos {
	pos := v.overridePos()
	n := v.tree
	for _, k := range keys {
		if n = n.Get(k); n == nil {
			break
		}
		if p := n.Pos(); p != v.Pos && p.Line > 0 {
			pos = p
		}
	}
	return pos
}

// overridePos returns the position of the user's overrides or patches.
func (v *validation) overridePos() source.Pos {
	if v.key == "patches" {
		return v.PatchPos
	}
	if n := len(v.Overrides); n > 0 {
		return v.Overrides[n-1].Pos()
	}
	return v.Pos
}

// checkIdentity checks that the object is still the one that the fleet declares.
func (v *validation) checkIdentity(vm *kubevirtv1.VirtualMachine) {
	for _, f := range []struct{ key, got, want string }{
		{"apiVersion", vm.APIVersion, "kubevirt.io/v1"}, {"kind", vm.Kind, "VirtualMachine"},
	} {
		if f.got != f.want {
			v.errorf(rule.Identity, "", "must not be changed", f.key)
		}
	}
	if vm.Name != v.Name {
		v.errorf(rule.Identity, "", "must not be changed; rename the VM instead", "metadata", "name")
	}
	if vm.Namespace != v.Namespace {
		v.errorf(rule.Identity, "", "must not be changed; set `namespace` instead", "metadata", "namespace")
	}
}

// checkRunStrategy checks that the run strategy is there once: also as `running`, its older form, which KubeVirt still
// takes (kubevirt/kubevirt v1.9.0, pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go,
// validateRunStrategy).
func (v *validation) checkRunStrategy(spec *kubevirtv1.VirtualMachineSpec) {
	switch {
	case spec.Running != nil && spec.RunStrategy != nil:
		v.errorf(rule.Conflict, "", "KubeVirt accepts one of running and runStrategy; set `runStrategy: null` as well",
			"spec", "running")
	case spec.Running == nil && spec.RunStrategy == nil:
		v.errorf(rule.MissingKey, "", "missing; expected a run strategy, or running: true or false", "spec", "runStrategy")
	}
}

// checkSelected checks that the Services of the VM find its pods by their label. Nothing else does.
func (v *validation) checkSelected(domain string) {
	for i := range v.Services {
		if s := &v.Services[i]; !s.Group && domain != v.base {
			v.errorf(rule.Identity, s.Key, "the Service selects the VM by the label, which must not be changed",
				"spec", "template", "metadata", "labels", labelDomain)
		}
	}
}

// leastMemory is the minimum guest memory in bytes. KubeVirt even accepts 0 and 1Ki.
const leastMemory = 1 << 20

func (v *validation) checkSize() {
	domain := []string{"spec", "template", "spec", "domain"}
	if m := v.spec.Domain.Memory; m != nil && m.Guest != nil && m.Guest.CmpInt64(leastMemory) < 0 {
		v.errorf(rule.BelowMinimum, "", "too little for any guest; expected a quantity such as \"4Gi\"",
			append(domain, "memory", "guest")...)
	}
	for _, key := range []string{"sockets", "cores", "threads"} {
		// KubeVirt treats 0 as 1, which the user did not mean.
		if n := v.tree.Get(append(domain, "cpu", key)...); n != nil && n.Text == "0" {
			v.errorf(rule.BelowMinimum, "", "0 is not a valid number of "+key+"; expected at least 1",
				append(domain, "cpu", key)...)
		}
	}
}

// checkVolumes checks that every volume has a device, and every device except an
// ejected CD-ROM a volume. KubeVirt adds a disk for a volume without one: that is meant only
// of a VM without any.
func (v *validation) checkVolumes() {
	used := map[string]bool{}
	for _, d := range v.spec.Domain.Devices.Disks {
		used[d.Name] = true
	}
	for _, f := range v.spec.Domain.Devices.Filesystems {
		used[f.Name] = true
	}
	given := map[string]bool{}
	some := v.tree.Get("spec", "template", "spec", "domain", "devices", "disks") != nil
	for i := range v.spec.Volumes {
		s := &v.spec.Volumes[i]
		given[s.Name] = true
		if some && !used[s.Name] && s.MemoryDump == nil && s.DownwardMetrics == nil && !v.isACPITable(s) {
			v.errorf(rule.Unpaired, s.Name, "volume without a disk of that name", "spec", "template", "spec", "volumes")
		}
	}
	for i := range v.spec.Domain.Devices.Disks {
		if d := &v.spec.Domain.Devices.Disks[i]; !given[d.Name] && d.CDRom == nil {
			v.errorf(rule.Unpaired, d.Name, "disk without a volume of that name",
				"spec", "template", "spec", "domain", "devices", "disks")
		}
	}
}

// isACPITable reports whether the firmware reads a volume (kubevirt/kubevirt v1.8.4,
// virtwrap/converter/compute/os.go).
func (v *validation) isACPITable(s *kubevirtv1.Volume) bool {
	f := v.spec.Domain.Firmware
	return f != nil && f.ACPI != nil && s.Secret != nil && (s.Name == f.ACPI.SlicNameRef || s.Name == f.ACPI.MsdmNameRef)
}

// checkNetworks checks that every network has an interface, and every interface a network.
func (v *validation) checkNetworks() {
	attached, interfaces := map[string]bool{}, map[string]bool{}
	for _, n := range v.spec.Networks {
		attached[n.Name] = true
	}
	for i := range v.spec.Domain.Devices.Interfaces {
		name := v.spec.Domain.Devices.Interfaces[i].Name
		interfaces[name] = true
		if !attached[name] {
			v.errorf(rule.Unpaired, name, "interface without a network of that name",
				"spec", "template", "spec", "domain", "devices", "interfaces")
		}
	}
	for _, n := range v.spec.Networks {
		if !interfaces[n.Name] {
			v.errorf(rule.Unpaired, n.Name, "network without an interface of that name", "spec", "template", "spec", "networks")
		}
	}
}

// checkSecureBoot checks that secure boot has system management mode, which a
// preference may also set.
func (v *validation) checkSecureBoot() {
	f := v.spec.Domain.Firmware
	if v.Preference != nil || f == nil || f.Bootloader == nil || f.Bootloader.EFI == nil {
		return
	}
	if secure := f.Bootloader.EFI.SecureBoot; secure != nil && !*secure {
		return
	}
	features := v.spec.Domain.Features
	if features == nil || features.SMM == nil || features.SMM.Enabled != nil && !*features.SMM.Enabled {
		v.errorf(rule.Conflict, "",
			"secure boot, which is on unless `secureBoot: false`, needs `features: {smm: {enabled: true}}`",
			"spec", "template", "spec", "domain", "firmware", "bootloader", "efi")
	}
}

// checkDuplicates checks that the names in every list are unique.
func (v *validation) checkDuplicates(vm *kubevirtv1.VirtualMachine) {
	devices := &v.spec.Domain.Devices
	checkUnique(v, devices.Disks, func(d *kubevirtv1.Disk) string { return d.Name },
		"spec", "template", "spec", "domain", "devices", "disks")
	checkUnique(v, devices.Interfaces, func(n *kubevirtv1.Interface) string { return n.Name },
		"spec", "template", "spec", "domain", "devices", "interfaces")
	checkUnique(v, v.spec.Volumes, func(s *kubevirtv1.Volume) string { return s.Name },
		"spec", "template", "spec", "volumes")
	checkUnique(v, v.spec.Networks, func(n *kubevirtv1.Network) string { return n.Name },
		"spec", "template", "spec", "networks")
	checkUnique(v, vm.Spec.DataVolumeTemplates, func(d *kubevirtv1.DataVolumeTemplateSpec) string { return d.Name },
		"spec", "dataVolumeTemplates")
}

func checkUnique[T any](v *validation, list []T, name func(*T) string, keys ...string) {
	seen := make(map[string]bool, len(list))
	for i := range list {
		n := name(&list[i])
		if seen[n] {
			v.errorf(rule.Duplicate, n, "duplicate name", keys...)
		}
		seen[n] = true
	}
}
