package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// The conditions of the rules. Each compares the two sides of a change, or asks the
// cluster's settings.
var (
	added   = Condition{"added", func(e *edit) bool { return manifest.At(e.old, e.item()...) == nil }, exactly("!before.hasValue()")}
	removed = Condition{"removed", func(e *edit) bool { return manifest.At(e.new, e.item()...) == nil }, exactly("!after.hasValue()")}
	raised  = Condition{"raised", func(e *edit) bool { return size(e.was).Cmp(*size(e.now)) < 0 }, unseen}
	lowered = Condition{"lowered", func(e *edit) bool { return size(e.was).Cmp(*size(e.now)) > 0 }, exactly("quantity(string(was.orValue(1))).isGreaterThan(quantity(string(now.orValue(0))))")}

	staging = Condition{"vmRolloutStrategy is Stage", func(e *edit) bool { return e.cluster.stages() }, kubeVirtSays("Stage")}

	cannotMigrate = Condition{"the VM cannot live-migrate", func(e *edit) bool { return e.migratable() == no }, atMost("!variables.migratable")}
	cannotCopy    = Condition{
		"the VM cannot live-migrate, or a disk that is not copied is ReadWriteOnce",
		func(e *edit) bool { return e.copyable() == no }, atMost("!variables.migratable"),
	}
	evicts = Condition{
		"workloadUpdateMethods has Evict, and KubeVirt does not migrate the VM instead",
		func(e *edit) bool {
			canMigrate := e.migratable() != no && e.cluster.updatesBy("LiveMigrate")
			return e.cluster.updatesBy("Evict") && !canMigrate && isEvictable(e.subject)
		},
		atMost(kubeVirtSays("Evict").may),
	}
	// migrates holds if KubeVirt migrates the VM for a change: for LiveMigrate, or
	// because an eviction of its pod ends in a migration.
	migrates = Condition{"workloadUpdateMethods has LiveMigrate, or its Evict ends in a migration", func(e *edit) bool {
		evacuates := e.cluster.updatesBy("Evict") && strings.HasPrefix(e.evictionStrategy(), "LiveMigrate")
		return e.cluster.updatesBy("LiveMigrate") || evacuates
	}, celForm{may: kubeVirtSays("LiveMigrate").may + " || " + kubeVirtSays("Evict").may, must: kubeVirtSays("LiveMigrate").must}}

	isARM   = architecture("arm64")
	isAMD   = architecture("amd64", "")
	running = Condition{"the VM runs", func(e *edit) bool { return e.runs() == yes }, exactly("variables.strategies[0] == 'Always'")}
	stopped = Condition{"the VM is stopped", func(e *edit) bool { return e.runs() == no }, exactly("variables.strategies[0] == 'Halted'")}
)

func architecture(names ...string) Condition {
	return Condition{"architecture is " + names[0], func(e *edit) bool {
		return slices.Contains(names, manifest.Text(world.Spec(e.old), "architecture"))
	}, exactly("variables.from.?architecture.orValue('') in " + celList(names))}
}

// isEvictable reports whether the eviction of a VM's pod shuts the VM down
// (KubeVirt v1.8.4, pkg/virt-api/webhooks/validating-webhook/admitters/pod-eviction-admitter.go).
func isEvictable(s *subject) bool {
	switch s.evictionStrategy() {
	case "", "None":
		return true
	case "LiveMigrateIfPossible":
		return s.migratable() == no
	}
	return false
}

// Conditions of power and of what KubeVirt fills in.
var (
	// staysEnded holds for an instance that has ended and that the strategy does not
	// start again (KubeVirt v1.8.4, pkg/virt-controller/watch/vm/vm.go, syncRunStrategy).
	staysEnded = Condition{"its guest has shut down", func(e *edit) bool {
		if e.live == nil || e.live.instance == nil {
			return false
		}
		phase := manifest.Text(e.live.instance, "status", "phase")
		return phase == "Succeeded" && e.now == "RerunOnFailure" || slices.Contains(final, phase) && e.now == "Once"
	}, unseen}
	filledIn    = Condition{"added or removed", func(e *edit) bool { return e.was == nil || e.now == nil }, exactly("!was.hasValue() || !now.hasValue()")}
	misfits     = Condition{"the machine type does not fit", func(e *edit) bool { return !fits(e.subject) }, unseen}
	isEmpty     = Condition{"empty or absent", func(e *edit) bool { return nothing(e.was) && nothing(e.now) }, exactly("was.orValue({}) == {} && now.orValue({}) == {}")}
	hasFeatures = Condition{"with other features", func(e *edit) bool {
		return manifest.At(world.Spec(e.old), "domain", "features") != nil && manifest.At(world.Spec(e.new), "domain", "features") != nil
	}, exactly("variables.from.?domain.?features.hasValue() && variables.to.?domain.?features.hasValue()")}
)

// Conditions of what KubeVirt keeps of a VM in a claim of its own; see [world.State].
var (
	losesTPM = Condition{"its persistent state is given up", func(e *edit) bool {
		return world.StateOf(world.Spec(e.old)).TPM && !world.StateOf(world.Spec(e.new)).TPM
	}, exactly(celLoses("devices.?tpm.?persistent"))}
	losesEFI = Condition{"its persistent state is given up", func(e *edit) bool {
		return world.StateOf(world.Spec(e.old)).EFI && !world.StateOf(world.Spec(e.new)).EFI
	}, exactly(celLoses("firmware.?bootloader.?efi.?persistent"))}
)

// celLoses returns CEL for whether a field of the domain was true and is not any more.
func celLoses(field string) string {
	const on = "variables.%s.?domain.?%s.orValue(false)"
	return fmt.Sprintf(on+" && !"+on, "from", field, "to", field)
}

// nothing reports whether a value is absent or empty.
func nothing(v any) bool { return slices.Contains([]string{"", "{}", "[]", `""`}, compact(v)) }

// machineTypes are those that KubeVirt accepts by default (v1.8.4,
// pkg/virt-config/virt-config.go, DefaultAMD64EmulatedMachines and those next to it).
var machineTypes = map[string][]string{
	"amd64": {"q35", "pc-q35"}, "arm64": {"virt"}, "s390x": {"s390-ccw-virtio"},
}

// fits reports whether the machine type is one of the architecture. Without one, KubeVirt
// fills in a new one only if there was one that is removed.
func fits(s *subject) bool {
	path := []string{"domain", "machine", "type"}
	now := manifest.Text(world.Spec(s.new), path...)
	if now == "" {
		return manifest.At(world.Spec(s.old), path...) != nil
	}
	return slices.ContainsFunc(machineTypes[manifest.Text(world.Spec(s.new), "architecture")], func(prefix string) bool {
		return strings.HasPrefix(now, prefix)
	})
}

// gateOn returns a condition that holds if a feature gate is on.
func gateOn(name string) Condition {
	return Condition{"feature gate " + name, func(e *edit) bool { return e.cluster.gate(name) }, kubeVirtSays(name)}
}

// turns returns a condition that holds for a change to one of the values.
func turns(values ...string) Condition {
	return Condition{"becomes " + strings.Join(values, " or "), func(e *edit) bool {
		s, _ := e.now.(string)
		return slices.Contains(values, s)
	}, exactly("now.orValue('') in " + celList(values))}
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

// Conditions of volumes and disks.
var (
	hotpluggable = Condition{"hotpluggable", func(e *edit) bool {
		name := entry(e.path)
		was, now := world.Volume(e.old, name), world.Volume(e.new, name)
		return (was == nil || isHotpluggable(was)) && (now == nil || isHotpluggable(now)) && (was != nil || now != nil)
	}, exactly(celHotpluggable)}
	diskless = Condition{"without a disk", func(e *edit) bool {
		name := entry(e.path)
		return world.Volume(e.new, name) != nil && manifest.At(world.Spec(e.new), "domain", "devices", "disks", name) == nil
	}, unseen}
	turnsHotpluggable = Condition{"hotpluggable is turned on", func(e *edit) bool {
		name := entry(e.path)
		return !isHotpluggable(world.Volume(e.old, name)) && isHotpluggable(world.Volume(e.new, name))
	}, exactly("!" + sideHas("volumes", 0, celPlugs) + " && " + sideHas("volumes", 1, celPlugs))}
	sameClaim = Condition{"the same claim", func(e *edit) bool {
		name := entry(e.path)
		return world.ClaimOf(world.Volume(e.old, name)) == world.ClaimOf(world.Volume(e.new, name))
	}, exactly(celClaim(0) + " == " + celClaim(1))}
	// otherClaim holds for a volume that stays and has another claim.
	otherClaim = Condition{"another claim", func(e *edit) bool { return movesClaim(e.subject, entry(e.path)) }, exactly(sideHas("volumes", 0, "true") + " && " + sideHas("volumes", 1, "true") + " && " + celClaim(0) + " != " + celClaim(1))}
	// replaced holds for a claim that goes while another one comes.
	replaced = Condition{"another claim is added", func(e *edit) bool {
		return world.ClaimOf(world.Volume(e.old, entry(e.path))) != "" && slices.ContainsFunc(manifest.List(world.Spec(e.new), "volumes"), func(v any) bool {
			return world.ClaimOf(v) != "" && world.Volume(e.old, "["+manifest.EntryName(v)+"]") == nil
		})
	}, exactly(celClaim(0) + " != '' && variables.volumes[1].exists(v, v.?dataVolume.?name.or(v.?persistentVolumeClaim.?claimName).hasValue() && !variables.volumes[0].exists(e, e.name == v.name))")}
	// otherClaims holds for a VM with claims that stay the same.
	otherClaims = Condition{"other claims stay", func(e *edit) bool {
		return slices.ContainsFunc(manifest.List(world.Spec(e.new), "volumes"), func(v any) bool {
			return world.ClaimOf(v) != "" && world.ClaimOf(v) == world.ClaimOf(world.Volume(e.old, "["+manifest.EntryName(v)+"]"))
		})
	}, unseen}
	hotplugs = Condition{"feature gate DeclarativeHotplugVolumes, and not HotplugVolumes", func(e *edit) bool {
		return e.cluster.gate("DeclarativeHotplugVolumes") && !e.cluster.gate("HotplugVolumes")
	}, exactly(kubeVirtSays("DeclarativeHotplugVolumes").may + " && !(" + kubeVirtSays("HotplugVolumes").may + ")")}
	// pluggableDisk holds for what the instance's webhook accepts (KubeVirt v1.8.4,
	// pkg/storage/admitters).
	pluggableDisk = Condition{"a disk or LUN on bus scsi or virtio, or a CD-ROM drive that was there", func(e *edit) bool {
		disk := manifest.At(world.Spec(e.new), "domain", "devices", "disks", entry(e.path))
		if manifest.At(disk, "cdrom") != nil && wasCDROM.holds(e) {
			return true
		}
		for _, kind := range []string{"disk", "lun"} {
			if d := manifest.At(disk, kind); d != nil {
				return slices.Contains([]string{"scsi", "virtio"}, manifest.Text(d, "bus"))
			}
		}
		return false // the default is SATA
	}, unseen}
	wasCDROM = Condition{"a CD-ROM drive", func(e *edit) bool {
		return manifest.At(world.Spec(e.old), "domain", "devices", "disks", entry(e.path), "cdrom") != nil
	}, exactly(sideHas("disks", 0, "has(e.cdrom)"))}
	isLUN = Condition{"a LUN", func(e *edit) bool {
		return manifest.At(world.Spec(e.new), "domain", "devices", "disks", entry(e.path), "lun") != nil
	}, exactly(sideHas("disks", 1, "has(e.lun)"))}
	unknownStrategy = Condition{"neither Migration nor Replacement", func(e *edit) bool {
		return !slices.Contains([]any{nil, "", "Migration", "Replacement"}, e.now)
	}, exactly("!(now.orValue('') in ['', 'Migration', 'Replacement'])")}
	migratesVolumes = Condition{"updateVolumesStrategy is Migration", func(e *edit) bool {
		return manifest.Text(e.new, "spec", "updateVolumesStrategy") == "Migration"
	}, exactly("object.spec.?updateVolumesStrategy.orValue('') == 'Migration'")}
	isTemplated = Condition{"its name is that of a DataVolume template", func(e *edit) bool {
		return manifest.At(e.new, "spec", "dataVolumeTemplates", "["+world.ClaimOf(world.Volume(e.new, entry(e.path)))+"]") != nil
	}, exactly("object.spec.?dataVolumeTemplates.orValue([]).exists(t, t.?metadata.?name.orValue('') == " + celClaim(1) + ")")}
	hasCloudInit = Condition{"a cloud-init volume", func(e *edit) bool {
		now := world.Volume(e.new, entry(e.path))
		return manifest.At(now, "cloudInitNoCloud") != nil || manifest.At(now, "cloudInitConfigDrive") != nil
	}, exactly(sideHas("volumes", 1, "has(e.cloudInitNoCloud) || has(e.cloudInitConfigDrive)"))}
	// copies holds for a volume that KubeVirt copies.
	copies     = both(migratesVolumes, otherClaim)
	keepsClaim = both(sameClaim, Condition{"a claim", func(e *edit) bool {
		return world.ClaimOf(world.Volume(e.new, entry(e.path))) != ""
	}, exactly(celClaim(1) + " != ''")})
	preferred   = Condition{"with a preference", func(e *edit) bool { return manifest.At(e.new, "spec", "preference") != nil }, exactly("object.spec.?preference.hasValue()")}
	standsAlone = Condition{"a disk of its own has the name", func(e *edit) bool {
		name := strings.Trim(entry(e.path), "[]")
		return e.disks[name] != nil || released.holds(e)
	}, unseen}
	unreferenced = Condition{"no volume uses it", func(e *edit) bool {
		return !slices.Contains(world.Claims(world.Spec(e.new)), strings.Trim(entry(e.path), "[]"))
	}, unseen}
)

// movesClaim reports whether a volume is on both sides, with different claims.
func movesClaim(s *subject, name string) bool {
	was, now := world.Volume(s.old, name), world.Volume(s.new, name)
	return was != nil && now != nil && world.ClaimOf(was) != world.ClaimOf(now)
}

// Conditions of NICs.
var (
	// plugs holds for NICs that KubeVirt plugs: bridge and SR-IOV on a network of Multus
	// (v1.8.4, pkg/network/vmliveupdate/restart.go).
	plugs = Condition{"bridge or SR-IOV on a Multus network", func(e *edit) bool {
		name := entry(e.path)
		nic := manifest.At(world.Spec(e.new), "domain", "devices", "interfaces", name)
		return (manifest.At(nic, "bridge") != nil || manifest.At(nic, "sriov") != nil) && manifest.At(world.Spec(e.new), "networks", name, "multus") != nil
	}, exactly(sideHas("interfaces", 1, "has(e.bridge) || has(e.sriov)") + " && " + sideHas("networks", 1, "has(e.multus)"))}
	firstNIC = Condition{"there was none", func(e *edit) bool {
		return len(manifest.List(world.Spec(e.old), "domain", "devices", "interfaces")) == 0
	}, exactly("variables.interfaces[0].size() == 0")}
	preferredModel = Condition{"with a preference, without a model", func(e *edit) bool {
		nic := manifest.At(world.Spec(e.new), "domain", "devices", "interfaces", entry(e.path))
		return manifest.At(e.new, "spec", "preference") != nil && manifest.Text(nic, "model") == ""
	}, exactly("object.spec.?preference.hasValue() && !" + sideHas("interfaces", 1, "e.?model.orValue('') != ''"))}
	isPodNetwork = Condition{"the pod network", func(e *edit) bool {
		return manifest.At(world.Spec(e.new), "networks", entry(e.path), "pod") != nil
	}, exactly(sideHas("networks", 1, "has(e.pod)"))}
	isSRIOV = Condition{"SR-IOV", func(e *edit) bool {
		return manifest.At(world.Spec(e.new), "domain", "devices", "interfaces", entry(e.path), "sriov") != nil
	}, exactly(sideHas("interfaces", 1, "has(e.sriov)"))}
	isBridge = Condition{"bridge", func(e *edit) bool {
		return manifest.At(world.Spec(e.new), "domain", "devices", "interfaces", entry(e.path), "bridge") != nil
	}, exactly(sideHas("interfaces", 1, "has(e.bridge)"))}
	isAbsent = Condition{"state is absent", func(e *edit) bool {
		return manifest.Text(world.Spec(e.new), "domain", "devices", "interfaces", entry(e.path), "state") == "absent"
	}, exactly(sideHas("interfaces", 1, "e.?state.orValue('') == 'absent'"))}
	sameNetwork = Condition{"the same network, with its namespace or without", func(e *edit) bool {
		return attachment(e.was, e.id.Namespace) == attachment(e.now, e.id.Namespace)
	}, exactly(celSameNetwork)}
	hasInterface = Condition{"with its interface", func(e *edit) bool {
		path := []string{"domain", "devices", "interfaces", entry(e.path)}
		return (manifest.At(world.Spec(e.old), path...) == nil) != (manifest.At(world.Spec(e.new), path...) == nil)
	}, exactly(sideHas("interfaces", 0, "true") + " != " + sideHas("interfaces", 1, "true"))}
	hasVolume = Condition{"with its volume", func(e *edit) bool {
		return (world.Volume(e.old, entry(e.path)) == nil) != (world.Volume(e.new, entry(e.path)) == nil)
	}, exactly(sideHas("volumes", 0, "true") + " != " + sideHas("volumes", 1, "true"))}
)

// attachment returns the name of a NetworkAttachmentDefinition with its namespace.
func attachment(name any, namespace string) string {
	s, _ := name.(string)
	if strings.Contains(s, "/") {
		return s
	}
	return namespace + "/" + s
}

// Conditions of sync options.
var (
	losesProtection = Condition{"Prune or Delete no longer protects", func(e *edit) bool {
		return weaker(e, "Prune") || weaker(e, "Delete")
	}, unseen}
	gainsReplace = Condition{"gains Force=true or Replace=true", func(e *edit) bool {
		return gains(e, "Replace") || gains(e, "Force")
	}, unseen}
)

// dropsOldDisks holds for a VM of which a rollout keeps fewer old root disks than before.
var dropsOldDisks = Condition{"lowered", func(e *edit) bool {
	return keepOld(e.new) < keepOld(e.old)
}, exactly("[[was, now].map(n, n.orValue('0')).map(n, n.matches('^[0-9]{1,9}$') ? int(n) : 0)].all(n, n[1] < n[0])")}

// weaker reports whether a sync option protects the object less than before.
func weaker(e *edit, name string) bool {
	strength := map[string]int{"false": 2, "confirm": 1}
	return strength[syncOption(e.new, name)] < strength[syncOption(e.old, name)]
}

func gains(e *edit, name string) bool {
	return syncOption(e.new, name) == "true" && syncOption(e.old, name) != "true"
}
