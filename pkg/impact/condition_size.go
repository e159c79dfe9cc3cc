package impact

import (
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/internal/sizes"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// Conditions of processors and memory (KubeVirt v1.8.4, pkg/defaults/defaults.go,
// setupCPUHotplug and setupMemoryHotplug).

var (
	aboveMaxSockets = Condition{"above maxSockets", func(e *Edit) bool {
		most := manifest.At(world.Spec(e.New), "domain", "cpu", "maxSockets")
		return most != nil && quantities.Count(e.Now, 1) > quantities.Count(most, 1)
	}, unseen}
	firstCPU = Condition{"cpu or its sockets were not set", func(e *Edit) bool {
		return manifest.At(world.Spec(e.Old), "domain", "cpu") == nil
	}, Form{May: celSockets + " == 0", Must: "!variables.from.?domain.?cpu.hasValue()"}}
	aboveComputedSockets = Condition{"above four times the sockets of the last start", func(e *Edit) bool {
		if most := manifest.At(e.Instance(), "spec", "domain", "cpu", "maxSockets"); most != nil {
			return quantities.Count(e.Now, 1) > quantities.Count(most, 1)
		}
		return manifest.At(world.Spec(e.Old), "domain", "cpu", "maxSockets") == nil &&
			quantities.Count(e.Now, 1) > sizes.HotplugRatio*sockets(e.Old)
	}, Exactly(celAboveSockets)}
	multiqueue = Condition{"networkInterfaceMultiqueue", func(e *Edit) bool {
		return manifest.At(world.Spec(e.Old), "domain", "devices", "networkInterfaceMultiqueue") == true
	}, Exactly("variables.from.?domain.?devices.?networkInterfaceMultiqueue.orValue(false)")}
	moreSockets   = Condition{"raised", func(e *Edit) bool { return quantities.Count(e.Now, 0) > sockets(e.Old) }, Exactly("int(now.orValue(0)) > " + celSockets)}
	lessSockets   = Condition{"lowered", func(e *Edit) bool { return quantities.Count(e.Now, 0) < sockets(e.Old) }, Exactly("int(now.orValue(0)) < " + celSockets)}
	aboveMaxGuest = Condition{"above maxGuest", func(e *Edit) bool {
		most := manifest.At(world.Spec(e.New), "domain", "memory", "maxGuest")
		return most != nil && quantities.Size(most).Cmp(*quantities.Size(e.Now)) < 0
	}, unseen}
	aboveComputedGuest = Condition{"above four times the memory of the last start", func(e *Edit) bool {
		if most := manifest.At(e.Instance(), "spec", "domain", "memory", "maxGuest"); most != nil {
			return quantities.Size(most).Cmp(*quantities.Size(e.Now)) < 0
		}
		most := cluster.Guest(e.Old)
		most.Mul(sizes.HotplugRatio)
		return manifest.At(world.Spec(e.Old), "domain", "memory", "maxGuest") == nil && most.Cmp(*quantities.Size(e.Now)) < 0
	}, Exactly(celAboveGuest)}
	otherGuest = Condition{"another size", func(e *Edit) bool { return cluster.Guest(e.Old).Cmp(*cluster.Guest(e.New)) != 0 }, Exactly("variables.guests[0].compareTo(variables.guests[1]) != 0")}
	lessGuest  = Condition{"lower than at the last start", func(e *Edit) bool { return e.bootedGuest().Cmp(*cluster.Guest(e.New)) > 0 }, Exactly("variables.guests[0].isGreaterThan(variables.guests[1])")}
	sameGuest  = Condition{"it was requested already", func(e *Edit) bool {
		return e.Was == nil && cluster.Guest(e.Old).Cmp(*cluster.Guest(e.New)) == 0
	}, Exactly("!was.hasValue() && variables.guests[0].compareTo(variables.guests[1]) == 0")}
	noGuest = Condition{"removed", func(e *Edit) bool { return e.Now == nil }, Exactly("!now.hasValue()")}
	// fixedMemory holds for VMs whose memory KubeVirt cannot plug (v1.8.4,
	// pkg/liveupdate/memory/memory.go, ValidateLiveUpdateMemory).
	fixedMemory = Condition{"realtime, NUMA, launchSecurity, under 1Gi, or an odd size", func(e *Edit) bool {
		domain := manifest.At(world.Spec(e.Old), "domain")
		return manifest.At(domain, "cpu", "realtime") != nil || manifest.At(domain, "cpu", "numa", "guestMappingPassthrough") != nil ||
			manifest.At(domain, "launchSecurity") != nil || cluster.Guest(e.Old).Cmp(resource.MustParse("1Gi")) < 0 ||
			!aligned(e.Now, pageSize(domain))
	}, Exactly(celFixedMemory)}
)

// Instance returns the running instance of a VM, or nil.
func (s *Subject) Instance() manifest.Tree {
	if s.Live == nil || s.Live.Running == cluster.No {
		return nil
	}
	return s.Live.Instance
}

// bootedGuest returns the memory that a VM was started with, as its instance reports it, or else that of the old side:
// KubeVirt unplugs memory down to it (v1.8.4, pkg/virt-controller/watch/vm/vm.go, handleMemoryHotplugRequest).
func (s *Subject) bootedGuest() *resource.Quantity {
	if booted := manifest.At(s.Instance(), "status", "memory", "guestAtBoot"); booted != nil {
		return quantities.Size(booted)
	}
	return cluster.Guest(s.Old)
}

// sockets returns the sockets that a side's VM starts with: without any number of
// processors, they are the CPUs that it may use or requests, or one; next to other numbers,
// none (KubeVirt v1.8.4, pkg/defaults/defaults.go, SetDefaultGuestCPUTopology).
func sockets(side manifest.Tree) int {
	domain := manifest.At(world.Spec(side), "domain")
	if own := quantities.Count(manifest.At(domain, "cpu", "sockets"), 0); own > 0 {
		return own
	}
	if quantities.Count(manifest.At(domain, "cpu", "cores"), 0) > 0 || quantities.Count(manifest.At(domain, "cpu", "threads"), 0) > 0 {
		return 0
	}
	for _, kind := range []string{"limits", "requests"} {
		if v := manifest.At(domain, "resources", kind, "cpu"); v != nil {
			return int(quantities.Size(v).Value())
		}
	}
	return 1
}

// pageSize returns the alignment of memory that is plugged: 1Gi for hugepages of that
// size, and 2Mi otherwise.
func pageSize(domain any) int64 {
	if manifest.Text(domain, "memory", "hugepages", "pageSize") == "1Gi" {
		return 1 << 30
	}
	return 2 << 20
}

func aligned(v any, to int64) bool { return quantities.Size(v).Value()%to == 0 }
