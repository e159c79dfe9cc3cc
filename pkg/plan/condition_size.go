package plan

import (
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// Conditions of processors and memory (KubeVirt v1.8.4, pkg/defaults/defaults.go,
// setupCPUHotplug and setupMemoryHotplug).

// hotplugRatio is the default of maxHotplugRatio.
const hotplugRatio = 4

var (
	aboveMaxSockets = Condition{"above maxSockets", func(e *edit) bool {
		most := manifest.At(world.Spec(e.new), "domain", "cpu", "maxSockets")
		return most != nil && count(e.now, 1) > count(most, 1)
	}, unseen}
	firstCPU = Condition{"cpu or its sockets were not set", func(e *edit) bool {
		return manifest.At(world.Spec(e.old), "domain", "cpu") == nil
	}, celForm{may: celSockets + " == 0", must: "!variables.from.?domain.?cpu.hasValue()"}}
	aboveComputedSockets = Condition{"above four times the sockets of the last start", func(e *edit) bool {
		if most := manifest.At(e.instance(), "spec", "domain", "cpu", "maxSockets"); most != nil {
			return count(e.now, 1) > count(most, 1)
		}
		return manifest.At(world.Spec(e.old), "domain", "cpu", "maxSockets") == nil &&
			count(e.now, 1) > hotplugRatio*sockets(e.old)
	}, exactly(celAboveSockets)}
	multiqueue = Condition{"networkInterfaceMultiqueue", func(e *edit) bool {
		return manifest.At(world.Spec(e.old), "domain", "devices", "networkInterfaceMultiqueue") == true
	}, exactly("variables.from.?domain.?devices.?networkInterfaceMultiqueue.orValue(false)")}
	moreSockets   = Condition{"raised", func(e *edit) bool { return count(e.now, 0) > sockets(e.old) }, exactly("int(now.orValue(0)) > " + celSockets)}
	lessSockets   = Condition{"lowered", func(e *edit) bool { return count(e.now, 0) < sockets(e.old) }, exactly("int(now.orValue(0)) < " + celSockets)}
	aboveMaxGuest = Condition{"above maxGuest", func(e *edit) bool {
		most := manifest.At(world.Spec(e.new), "domain", "memory", "maxGuest")
		return most != nil && size(most).Cmp(*size(e.now)) < 0
	}, unseen}
	aboveComputedGuest = Condition{"above four times the memory of the last start", func(e *edit) bool {
		if most := manifest.At(e.instance(), "spec", "domain", "memory", "maxGuest"); most != nil {
			return size(most).Cmp(*size(e.now)) < 0
		}
		most := guest(e.old)
		most.Mul(hotplugRatio)
		return manifest.At(world.Spec(e.old), "domain", "memory", "maxGuest") == nil && most.Cmp(*size(e.now)) < 0
	}, exactly(celAboveGuest)}
	otherGuest = Condition{"another size", func(e *edit) bool { return guest(e.old).Cmp(*guest(e.new)) != 0 }, exactly("variables.guests[0].compareTo(variables.guests[1]) != 0")}
	lessGuest  = Condition{"lower than at the last start", func(e *edit) bool { return e.bootedGuest().Cmp(*guest(e.new)) > 0 }, exactly("variables.guests[0].isGreaterThan(variables.guests[1])")}
	sameGuest  = Condition{"it was requested already", func(e *edit) bool {
		return e.was == nil && guest(e.old).Cmp(*guest(e.new)) == 0
	}, exactly("!was.hasValue() && variables.guests[0].compareTo(variables.guests[1]) == 0")}
	noGuest = Condition{"removed", func(e *edit) bool { return e.now == nil }, exactly("!now.hasValue()")}
	// fixedMemory holds for VMs whose memory KubeVirt cannot plug (v1.8.4,
	// pkg/liveupdate/memory/memory.go, ValidateLiveUpdateMemory).
	fixedMemory = Condition{"realtime, NUMA, launchSecurity, under 1Gi, or an odd size", func(e *edit) bool {
		domain := manifest.At(world.Spec(e.old), "domain")
		return manifest.At(domain, "cpu", "realtime") != nil || manifest.At(domain, "cpu", "numa", "guestMappingPassthrough") != nil ||
			manifest.At(domain, "launchSecurity") != nil || guest(e.old).Cmp(resource.MustParse("1Gi")) < 0 ||
			!aligned(e.now, pageSize(domain))
	}, exactly(celFixedMemory)}
)

// instance returns the running instance of a VM, or nil.
func (s *subject) instance() tree {
	if s.live == nil || s.live.running == no {
		return nil
	}
	return s.live.instance
}

// bootedGuest returns the memory that a VM was started with, as its instance reports it, or else that of the old side:
// KubeVirt unplugs memory down to it (v1.8.4, pkg/virt-controller/watch/vm/vm.go, handleMemoryHotplugRequest).
func (s *subject) bootedGuest() *resource.Quantity {
	if booted := manifest.At(s.instance(), "status", "memory", "guestAtBoot"); booted != nil {
		return size(booted)
	}
	return guest(s.old)
}

// sockets returns the sockets that a side's VM starts with: without any number of
// processors, they are the CPUs that it may use or requests, or one; next to other numbers,
// none (KubeVirt v1.8.4, pkg/defaults/defaults.go, SetDefaultGuestCPUTopology).
func sockets(side tree) int {
	domain := manifest.At(world.Spec(side), "domain")
	if own := count(manifest.At(domain, "cpu", "sockets"), 0); own > 0 {
		return own
	}
	if count(manifest.At(domain, "cpu", "cores"), 0) > 0 || count(manifest.At(domain, "cpu", "threads"), 0) > 0 {
		return 0
	}
	for _, kind := range []string{"limits", "requests"} {
		if v := manifest.At(domain, "resources", kind, "cpu"); v != nil {
			return int(size(v).Value())
		}
	}
	return 1
}

// guest returns the memory of a side's guest: without a number, it is what the VM
// requests, or else its limit (KubeVirt v1.8.4, pkg/defaults/defaults.go,
// setGuestMemory).
func guest(side tree) *resource.Quantity {
	domain := manifest.At(world.Spec(side), "domain")
	if own := manifest.At(domain, "memory", "guest"); own != nil {
		return size(own)
	}
	for _, kind := range []string{"requests", "limits"} {
		if v := manifest.At(domain, "resources", kind, "memory"); v != nil {
			return size(v)
		}
	}
	return &resource.Quantity{}
}

// pageSize returns the alignment of memory that is plugged: 1Gi for hugepages of that
// size, and 2Mi otherwise.
func pageSize(domain any) int64 {
	if manifest.Text(domain, "memory", "hugepages", "pageSize") == "1Gi" {
		return 1 << 30
	}
	return 2 << 20
}

func aligned(v any, to int64) bool { return size(v).Value()%to == 0 }
