package world

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/manifest"
)

type tree = manifest.Tree

// Template returns the VM of a VirtualMachinePool's template in the form of a VirtualMachine, or a VirtualMachine as
// it is.
func Template(object manifest.Tree) manifest.Tree {
	vm, ok := manifest.At(object, "spec", "virtualMachineTemplate").(tree)
	if !ok {
		return object
	}
	return tree{"metadata": object["metadata"], "spec": vm["spec"]}
}

// Spec returns the spec of the instance of a VirtualMachine, or nil.
func Spec(vm tree) any { return manifest.At(vm, "spec", "template", "spec") }

// Volume returns a volume of a VirtualMachine by its name in brackets, such as "[data]", or nil.
func Volume(vm tree, entry string) any { return manifest.At(Spec(vm), "volumes", entry) }

// ClaimOf returns the name of a volume's claim, or "": that of a DataVolume is its own.
func ClaimOf(volume any) string {
	if name := manifest.Text(volume, "dataVolume", "name"); name != "" {
		return name
	}
	return manifest.Text(volume, "persistentVolumeClaim", "claimName")
}

// Claims returns the names of the claims and DataVolumes of the volumes of an instance's spec, in their order.
func Claims(spec any) []string {
	var out []string
	for _, v := range manifest.List(spec, "volumes") {
		if name := ClaimOf(v); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// Written returns the names of the claims and DataVolumes that an instance of this spec writes to as the only VM: no
// CD-ROM, and neither read-only nor shareable.
func Written(spec any) []string {
	var out []string
	for _, v := range manifest.List(spec, "volumes") {
		if ClaimOf(v) != "" && !IsReadOnly(spec, v) && manifest.At(deviceOf(spec, v), "shareable") != true {
			out = append(out, ClaimOf(v))
		}
	}
	return out
}

// IsReadOnly reports whether an instance of a spec only reads a volume: from a CD-ROM, or a disk that is read-only.
func IsReadOnly(spec, volume any) bool {
	device := deviceOf(spec, volume)
	return manifest.At(device, "cdrom") != nil ||
		manifest.At(device, "disk", "readonly") == true || manifest.At(device, "lun", "readonly") == true
}

// deviceOf returns the disk of a volume, or nil.
func deviceOf(spec, volume any) any {
	return manifest.At(spec, "domain", "devices", "disks", "["+manifest.EntryName(volume)+"]")
}

// RunStrategy returns the run strategy of a VirtualMachine; `running` is its older form.
func RunStrategy(vm tree) string {
	if s := manifest.Text(vm, "spec", "runStrategy"); s != "" {
		return s
	}
	switch running, _ := manifest.At(vm, "spec", "running").(bool); {
	case running:
		return "Always"
	case manifest.At(vm, "spec", "running") != nil:
		return "Halted"
	}
	return ""
}

// State is what KubeVirt keeps of a VM in a claim of its own, "persistent-state-for-NAME-…", which belongs to the VM:
// Kubernetes deletes it with the VM, regardless of the options of Argo CD (KubeVirt v1.8.4,
// pkg/storage/backend-storage/backend-storage.go, CreatePVCForVMI and HasPersistentTPMDevice).
type State struct {
	// TPM and EFI are true if the state of the TPM, or the variables of the firmware, survive a restart.
	TPM, EFI bool
}

// StateOf returns what KubeVirt keeps of an instance of this spec.
func StateOf(spec any) State {
	domain := manifest.At(spec, "domain")
	tpm := manifest.At(domain, "devices", "tpm")
	return State{
		TPM: manifest.At(tpm, "persistent") == true && manifest.At(tpm, "enabled") != false,
		EFI: manifest.At(domain, "firmware", "bootloader", "efi", "persistent") == true,
	}
}

// Any reports whether there is a state.
func (s State) Any() bool { return s.TPM || s.EFI }

// Pinned returns why no instance of this VirtualMachine can live-migrate, in a few words, or "" (KubeVirt v1.8.4,
// pkg/virt-handler/vm.go, calculateLiveMigrationCondition). What depends on claims and nodes is not considered.
func Pinned(vm tree) string {
	spec := Spec(vm)
	domain := manifest.At(spec, "domain")
	for _, p := range []struct {
		holds bool
		why   string
	}{
		{len(manifest.List(domain, "devices", "gpus")) > 0, "it has GPUs"},
		{len(manifest.List(domain, "devices", "hostDevices")) > 0, "it has host devices"},
		{manifest.At(domain, "launchSecurity") != nil, "its memory is encrypted (launchSecurity)"},
		{manifest.At(domain, "features", "hypervPassthrough", "enabled") == true, "it uses hypervPassthrough"},
		{reserves(domain), "a LUN has a persistent reservation"},
		{bridgesPods(vm), "a NIC is bridged to the pod network"},
	} {
		if p.holds {
			return p.why
		}
	}
	return ""
}

// reserves reports whether a LUN has a persistent reservation.
func reserves(domain any) bool {
	return slices.ContainsFunc(manifest.List(domain, "devices", "disks"), func(d any) bool {
		return manifest.At(d, "lun", "reservation") == true
	})
}

// bridgesPods reports whether a NIC is bridged to the pod network, which an annotation of the instance allows to
// migrate.
func bridgesPods(vm tree) bool {
	const allowed = "kubevirt.io/allow-pod-bridge-network-live-migration"
	spec := Spec(vm)
	if manifest.At(vm, "spec", "template", "metadata", "annotations", allowed) != nil {
		return false
	}
	return slices.ContainsFunc(manifest.List(spec, "domain", "devices", "interfaces"), func(nic any) bool {
		network := "[" + manifest.EntryName(nic) + "]"
		return manifest.At(nic, "bridge") != nil && manifest.At(spec, "networks", network, "pod") != nil
	})
}

// GetsNIC reports whether KubeVirt gives an instance of this VirtualMachine a NIC on the pod network, because it has
// none (KubeVirt v1.8.4, pkg/defaults/defaults.go, SetDefaultNetworkInterface).
func GetsNIC(vm tree) bool {
	devices := manifest.At(Spec(vm), "domain", "devices")
	return Spec(vm) != nil && len(manifest.List(devices, "interfaces")) == 0 &&
		manifest.At(devices, "autoattachPodInterface") != false
}
