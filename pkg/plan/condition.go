package plan

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// The conditions of the rules. Each compares the two sides of a change, or asks the
// cluster's settings.
var (
	added   = Condition{"added", func(e *edit) bool { return at(e.old, e.item()...) == nil }}
	removed = Condition{"removed", func(e *edit) bool { return at(e.new, e.item()...) == nil }}
	raised  = Condition{"raised", func(e *edit) bool { return size(e.was).Cmp(*size(e.now)) < 0 }}
	lowered = Condition{"lowered", func(e *edit) bool { return size(e.was).Cmp(*size(e.now)) > 0 }}

	staging = Condition{"vmRolloutStrategy is Stage", func(e *edit) bool { return e.cluster.stages() }}

	cannotMigrate = Condition{"the machine cannot live-migrate", func(e *edit) bool { return e.migratable() == no }}
	evicts        = Condition{"workloadUpdateMethods has Evict, and no migration is possible", func(e *edit) bool {
		return e.cluster.updatesBy("Evict") && (e.migratable() == no || !e.cluster.updatesBy("LiveMigrate"))
	}}
	migrates = Condition{"workloadUpdateMethods has LiveMigrate", func(e *edit) bool {
		return e.cluster.updatesBy("LiveMigrate")
	}}

	isARM   = architecture("arm64")
	isAMD   = architecture("amd64", "")
	running = Condition{"the machine runs", func(e *edit) bool { return e.runs() == yes }}
	stopped = Condition{"the machine is stopped", func(e *edit) bool { return e.runs() == no }}
)

func architecture(names ...string) Condition {
	return Condition{"architecture is " + names[0], func(e *edit) bool {
		return slices.Contains(names, text(spec(e.old), "architecture"))
	}}
}

// gateOn holds if a feature gate is on.
func gateOn(name string) Condition {
	return Condition{"feature gate " + name, func(e *edit) bool { return e.cluster.gate(name) }}
}

// turns holds for a change to one of the values.
func turns(values ...string) Condition {
	return Condition{"becomes " + strings.Join(values, " or "), func(e *edit) bool {
		s, _ := e.now.(string)
		return slices.Contains(values, s)
	}}
}

// size returns a number or quantity; 0 for what is neither.
func size(v any) *resource.Quantity {
	q, ok := quantity(v)
	if !ok {
		q = resource.Quantity{}
	}
	return &q
}

// count returns a small number, or the default for nil.
func count(v any, otherwise int) int {
	if n, ok := v.(json.Number); ok {
		if i, err := strconv.Atoi(n.String()); err == nil {
			return i
		}
	}
	return otherwise
}

// Conditions of processors and memory (KubeVirt v1.8.4, pkg/defaults/defaults.go,
// setupCPUHotplug and setupMemoryHotplug).

// hotplugRatio is the default of maxHotplugRatio.
const hotplugRatio = 4

var (
	aboveMaxSockets = Condition{"above maxSockets", func(e *edit) bool {
		most := at(spec(e.old), "domain", "cpu", "maxSockets")
		return most != nil && count(e.now, 1) > count(most, 1)
	}}
	firstCPU = Condition{"there was no cpu, or no sockets", func(e *edit) bool {
		return at(spec(e.old), "domain", "cpu") == nil
	}}
	aboveComputedSockets = Condition{"above four times the sockets", func(e *edit) bool {
		return at(spec(e.old), "domain", "cpu", "maxSockets") == nil &&
			count(e.now, 1) > hotplugRatio*count(e.was, 1)
	}}
	aboveMaxGuest = Condition{"above maxGuest", func(e *edit) bool {
		most := at(spec(e.old), "domain", "memory", "maxGuest")
		return most != nil && size(most).Cmp(*size(e.now)) < 0
	}}
	aboveComputedGuest = Condition{"above four times the memory", func(e *edit) bool {
		most := size(e.was)
		most.Mul(hotplugRatio)
		return at(spec(e.old), "domain", "memory", "maxGuest") == nil && most.Cmp(*size(e.now)) < 0
	}}
	// fixedMemory holds for machines whose memory KubeVirt cannot plug (v1.8.4,
	// pkg/liveupdate/memory/memory.go, ValidateLiveUpdateMemory).
	fixedMemory = Condition{"realtime, NUMA, launchSecurity, under 1Gi, or an odd size", func(e *edit) bool {
		domain := at(spec(e.old), "domain")
		return at(domain, "cpu", "realtime") != nil || at(domain, "cpu", "numa", "guestMappingPassthrough") != nil ||
			at(domain, "launchSecurity") != nil || size(e.was).Cmp(resource.MustParse("1Gi")) < 0 ||
			!aligned(e.now, pageSize(domain))
	}}
)

// pageSize returns the alignment of memory that is plugged: 1Gi for hugepages of that
// size, and 2Mi otherwise.
func pageSize(domain any) int64 {
	if text(domain, "memory", "hugepages", "pageSize") == "1Gi" {
		return 1 << 30
	}
	return 2 << 20
}

func aligned(v any, to int64) bool { return size(v).Value()%to == 0 }

// Conditions of volumes and disks.
var (
	hotpluggable = Condition{"hotpluggable", func(e *edit) bool {
		name := entry(e.path)
		was, now := volume(e.old, name), volume(e.new, name)
		return (was == nil || isHotpluggable(was)) && (now == nil || isHotpluggable(now)) && (was != nil || now != nil)
	}}
	turnsHotpluggable = Condition{"hotpluggable is turned on", func(e *edit) bool {
		name := entry(e.path)
		return !isHotpluggable(volume(e.old, name)) && isHotpluggable(volume(e.new, name))
	}}
	sameClaim = Condition{"the same claim", func(e *edit) bool {
		name := entry(e.path)
		return claimOf(volume(e.old, name)) == claimOf(volume(e.new, name))
	}}
	hotplugs = Condition{"feature gate DeclarativeHotplugVolumes, and not HotplugVolumes", func(e *edit) bool {
		return e.cluster.gate("DeclarativeHotplugVolumes") && !e.cluster.gate("HotplugVolumes")
	}}
	// pluggableDisk holds for what the instance's webhook accepts (KubeVirt v1.8.4,
	// pkg/storage/admitters).
	pluggableDisk = Condition{"a disk or LUN on bus scsi or virtio", func(e *edit) bool {
		disk := at(spec(e.new), "domain", "devices", "disks", entry(e.path))
		for _, kind := range []string{"disk", "lun"} {
			if d := at(disk, kind); d != nil {
				return slices.Contains([]string{"scsi", "virtio"}, text(d, "bus"))
			}
		}
		return false // the default is SATA
	}}
	wasCDROM = Condition{"a CD-ROM drive", func(e *edit) bool {
		return at(spec(e.old), "domain", "devices", "disks", entry(e.path), "cdrom") != nil
	}}
	isLUN = Condition{"a LUN", func(e *edit) bool {
		return at(spec(e.new), "domain", "devices", "disks", entry(e.path), "lun") != nil
	}}
	migratesVolumes = Condition{"updateVolumesStrategy is Migration", func(e *edit) bool {
		return text(e.new, "spec", "updateVolumesStrategy") == "Migration"
	}}
	isTemplated = Condition{"its name is that of a DataVolume template", func(e *edit) bool {
		return at(e.new, "spec", "dataVolumeTemplates", "["+claimOf(volume(e.new, entry(e.path)))+"]") != nil
	}}
	hasCloudInit = Condition{"a cloud-init volume", func(e *edit) bool {
		now := volume(e.new, entry(e.path))
		return at(now, "cloudInitNoCloud") != nil || at(now, "cloudInitConfigDrive") != nil
	}}
	standsAlone = Condition{"a disk of its own has the name", func(e *edit) bool {
		name := strings.Trim(entry(e.path), "[]")
		return e.disks[name] != nil || released.holds(e)
	}}
	unreferenced = Condition{"no volume uses it", func(e *edit) bool {
		return !slices.Contains(diskNames(e.new), strings.Trim(entry(e.path), "[]"))
	}}
)

// Conditions of NICs.
var (
	// plugs holds for NICs that KubeVirt plugs: bridge and SR-IOV on a network of Multus
	// (v1.8.4, pkg/network/vmliveupdate/restart.go).
	plugs = Condition{"bridge or SR-IOV on a Multus network", func(e *edit) bool {
		name := entry(e.path)
		nic := at(spec(e.new), "domain", "devices", "interfaces", name)
		return (at(nic, "bridge") != nil || at(nic, "sriov") != nil) && at(spec(e.new), "networks", name, "multus") != nil
	}}
	firstNIC = Condition{"there was none", func(e *edit) bool {
		return len(list(spec(e.old), "domain", "devices", "interfaces")) == 0
	}}
	preferredModel = Condition{"without a model, beside a preference", func(e *edit) bool {
		nic := at(spec(e.new), "domain", "devices", "interfaces", entry(e.path))
		return at(e.new, "spec", "preference") != nil && text(nic, "model") == ""
	}}
	isPodNetwork = Condition{"the pod network", func(e *edit) bool {
		return at(spec(e.new), "networks", entry(e.path), "pod") != nil
	}}
	isSRIOV = Condition{"SR-IOV", func(e *edit) bool {
		return at(spec(e.new), "domain", "devices", "interfaces", entry(e.path), "sriov") != nil
	}}
	isBridge = Condition{"bridge", func(e *edit) bool {
		return at(spec(e.new), "domain", "devices", "interfaces", entry(e.path), "bridge") != nil
	}}
	hasInterface = Condition{"with its interface", func(e *edit) bool {
		path := []string{"domain", "devices", "interfaces", entry(e.path)}
		return (at(spec(e.old), path...) == nil) != (at(spec(e.new), path...) == nil)
	}}
	hasVolume = Condition{"with its volume", func(e *edit) bool {
		return (volume(e.old, entry(e.path)) == nil) != (volume(e.new, entry(e.path)) == nil)
	}}
)

// Conditions of sync options.
var (
	losesProtection = Condition{"Prune or Delete protects no more", func(e *edit) bool {
		return weaker(e, "Prune") || weaker(e, "Delete")
	}}
	gainsReplace = Condition{"gains Force=true or Replace=true", func(e *edit) bool {
		return gains(e, "Replace") || gains(e, "Force")
	}}
)

// weaker reports whether a sync option protects the object less than before.
func weaker(e *edit, name string) bool {
	strength := map[string]int{"false": 2, "confirm": 1}
	return strength[syncOption(e.new, name)] < strength[syncOption(e.old, name)]
}

func gains(e *edit, name string) bool {
	return syncOption(e.new, name) == "true" && syncOption(e.old, name) != "true"
}
