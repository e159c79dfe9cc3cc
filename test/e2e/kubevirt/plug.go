package kubevirt

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// plug plugs what its instance requests into a running guest: at its start, and when the
// controller of VirtualMachines has added to the instance.
func (s *stage) plug(ctx context.Context, vmi *unstructured.Unstructured) error {
	disks, err := s.pluggedDisks(ctx, vmi)
	if err != nil {
		return err
	}
	has := map[string]any{"volumeStatus": disks, "interfaces": pluggedNICs(vmi), "conditions": copying(vmi)}
	if guest := nested[string](vmi, "spec", "domain", "memory", "guest"); guest != "" { // else its instance type has it
		if has["memory"], err = guestMemory(vmi, guest); err != nil {
			return err
		}
	}
	return s.setStatus(ctx, Instances, vmi, has)
}

// pluggedDisks returns the hotpluggable disks of the guest: those that the instance names
// and that are filled (pkg/virt-controller/watch/vmi/storage.go, updateVolumeStatus, and
// pkg/virt-handler/vm.go, updateHotplugVolumeStatus).
func (s *stage) pluggedDisks(ctx context.Context, vmi *unstructured.Unstructured) ([]any, error) {
	plugged := []any{}
	for _, volume := range elements(vmi, "spec", "volumes") {
		if !nested[bool](volume, "dataVolume", "hotpluggable") && !nested[bool](volume, "persistentVolumeClaim", "hotpluggable") {
			continue
		}
		there, err := s.diskThere(ctx, vmi.GetNamespace(), claimOf(volume))
		if err != nil {
			return nil, err
		}
		if there {
			plugged = append(plugged, map[string]any{
				"name": nested[string](volume, "name"), "phase": "Ready", "target": "sda", "hotplugVolume": map[string]any{},
			})
		}
	}
	return plugged, nil
}

// pluggedNICs returns the interfaces of the guest (pkg/network/setup/netstat.go), with
// the names of those in its Pod (pkg/network/namescheme). A cluster migrates the instance
// to plug and unplug one.
func pluggedNICs(vmi *unstructured.Unstructured) []any {
	plugged := []any{}
	for _, nic := range elements(vmi, "spec", "domain", "devices", "interfaces") {
		if name := nested[string](nic, "name"); nested[string](nic, "state") != "absent" {
			plugged = append(plugged, map[string]any{
				"name": name, "infoSource": "domain", "podInterfaceName": fmt.Sprintf("pod%x", sha256.Sum256([]byte(name)))[:14],
			})
		}
	}
	return plugged
}

// copying returns the conditions of an instance, with the one that its volumes are about to be copied
// (pkg/virt-controller/watch/vmi/storage.go, requireVolumesUpdate). A copy has no end here: a cluster migrates the
// instance.
func copying(vmi *unstructured.Unstructured) []any {
	conditions := nested[[]any](vmi, "status", "conditions")
	isSet := slices.ContainsFunc(conditions, func(c any) bool {
		condition, ok := c.(map[string]any)
		return ok && condition["type"] == "VolumesChange"
	})
	if isSet || len(nested[[]any](vmi, "status", "migratedVolumes")) == 0 {
		return conditions
	}
	return append(conditions, condition("VolumesChange", "True", ""))
}

// guestMemory returns the memory of the guest (pkg/virt-handler/vm.go, updateMemoryInfo).
// A cluster migrates the instance to plug in more.
func guestMemory(vmi *unstructured.Unstructured, guest string) (map[string]any, error) {
	memory := nested[map[string]any](vmi, "status", "memory")
	if memory == nil {
		memory = map[string]any{"guestAtBoot": guest}
		if err := setMaxGuest(vmi, guest); err != nil {
			return nil, err
		}
	}
	memory["guestRequested"], memory["guestCurrent"] = guest, guest
	return memory, nil
}

// hotplugRatio is the maximum memory of an instance as a multiple of its initial memory
// (pkg/virt-config/virt-config.go, DefaultMaxHotplugRatio).
const hotplugRatio = 4

// setMaxGuest plays the part of virt-api's mutating webhook of instances that limits how
// much memory can be plugged in (pkg/defaults/defaults.go, setupMemoryHotplug).
func setMaxGuest(vmi *unstructured.Unstructured, guest string) error {
	most, err := resource.ParseQuantity(guest)
	if err != nil {
		return err
	}
	most.Mul(hotplugRatio)
	return unstructured.SetNestedField(vmi.Object, most.String(), "spec", "domain", "memory", "maxGuest")
}
