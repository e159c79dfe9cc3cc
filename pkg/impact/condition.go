package impact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// The conditions of the rules. Each compares the two sides of a change, or asks the
// cluster's settings.
var (
	added   = Condition{"added", func(e *Edit) bool { return manifest.At(e.Old, e.item()...) == nil }, Exactly("!before.hasValue()")}
	removed = Condition{"removed", func(e *Edit) bool { return manifest.At(e.New, e.item()...) == nil }, Exactly("!after.hasValue()")}
	raised  = Condition{"raised", func(e *Edit) bool { return quantities.Size(e.Was).Cmp(*quantities.Size(e.Now)) < 0 }, unseen}
	lowered = Condition{"lowered", func(e *Edit) bool { return quantities.Size(e.Was).Cmp(*quantities.Size(e.Now)) > 0 }, Exactly("quantity(string(was.orValue(1))).isGreaterThan(quantity(string(now.orValue(0))))")}

	staging = Condition{"vmRolloutStrategy is Stage", func(e *Edit) bool { return e.Cluster.Stages() }, KubeVirtSays("Stage")}

	cannotMigrate = Condition{"the VM cannot live-migrate", func(e *Edit) bool { return e.Migratable() == cluster.No }, atMost("!variables.migratable")}
	cannotCopy    = Condition{
		"the VM cannot live-migrate, or a disk that is not copied is ReadWriteOnce",
		func(e *Edit) bool { return e.copyable() == cluster.No }, atMost("!variables.migratable"),
	}
	evicts = Condition{
		"workloadUpdateMethods has Evict, and KubeVirt does not migrate the VM instead",
		func(e *Edit) bool {
			canMigrate := e.Migratable() != cluster.No && e.Cluster.UpdatesBy("LiveMigrate")
			return e.Cluster.UpdatesBy("Evict") && !canMigrate && isEvictable(e.Subject)
		},
		atMost(KubeVirtSays("Evict").May),
	}
	// migrates holds if KubeVirt migrates the VM for a change: for LiveMigrate, or
	// because an eviction of its pod ends in a migration.
	migrates = Condition{"workloadUpdateMethods has LiveMigrate, or its Evict ends in a migration", func(e *Edit) bool {
		evacuates := e.Cluster.UpdatesBy("Evict") && strings.HasPrefix(e.EvictionStrategy(), "LiveMigrate")
		return e.Cluster.UpdatesBy("LiveMigrate") || evacuates
	}, Form{May: KubeVirtSays("LiveMigrate").May + " || " + KubeVirtSays("Evict").May, Must: KubeVirtSays("LiveMigrate").Must}}

	isARM   = architecture("arm64")
	isAMD   = architecture("amd64", "")
	running = Condition{"the VM runs", func(e *Edit) bool { return e.Runs() == cluster.Yes }, Exactly("variables.strategies[0] == 'Always'")}
	stopped = Condition{"the VM is stopped", func(e *Edit) bool { return e.Runs() == cluster.No }, Exactly("variables.strategies[0] == 'Halted'")}
)

func architecture(names ...string) Condition {
	return Condition{"architecture is " + names[0], func(e *Edit) bool {
		return slices.Contains(names, manifest.Text(world.Spec(e.Old), "architecture"))
	}, Exactly("variables.from.?architecture.orValue('') in " + CELList(names))}
}

// isEvictable reports whether the eviction of a VM's pod shuts the VM down
// (KubeVirt v1.8.4, pkg/virt-api/webhooks/validating-webhook/admitters/pod-eviction-admitter.go).
func isEvictable(s *Subject) bool {
	switch s.EvictionStrategy() {
	case "", "None":
		return true
	case "LiveMigrateIfPossible":
		return s.Migratable() == cluster.No
	}
	return false
}

// Conditions of power and of what KubeVirt fills in.
var (
	// staysEnded holds for an instance that has ended and that the strategy does not
	// start again (KubeVirt v1.8.4, pkg/virt-controller/watch/vm/vm.go, syncRunStrategy).
	staysEnded = Condition{"its guest has shut down", func(e *Edit) bool {
		if e.Live == nil || e.Live.Instance == nil {
			return false
		}
		phase := manifest.Text(e.Live.Instance, "status", "phase")
		return phase == "Succeeded" && e.Now == "RerunOnFailure" || slices.Contains(cluster.Final, phase) && e.Now == "Once"
	}, unseen}
	filledIn    = Condition{"added or removed", func(e *Edit) bool { return e.Was == nil || e.Now == nil }, Exactly("!was.hasValue() || !now.hasValue()")}
	misfits     = Condition{"the machine type does not fit", func(e *Edit) bool { return !fits(e.Subject) }, unseen}
	isEmpty     = Condition{"empty or absent", func(e *Edit) bool { return nothing(e.Was) && nothing(e.Now) }, Exactly("was.orValue({}) == {} && now.orValue({}) == {}")}
	hasFeatures = Condition{"with other features", func(e *Edit) bool {
		return manifest.At(world.Spec(e.Old), "domain", "features") != nil && manifest.At(world.Spec(e.New), "domain", "features") != nil
	}, Exactly("variables.from.?domain.?features.hasValue() && variables.to.?domain.?features.hasValue()")}
)

// Conditions of what KubeVirt keeps of a VM in a claim of its own; see [.world.State].
var (
	losesTPM = Condition{"its persistent state is given up", func(e *Edit) bool {
		return world.StateOf(world.Spec(e.Old)).TPM && !world.StateOf(world.Spec(e.New)).TPM
	}, Exactly(celLoses("devices.?tpm.?persistent"))}
	losesEFI = Condition{"its persistent state is given up", func(e *Edit) bool {
		return world.StateOf(world.Spec(e.Old)).EFI && !world.StateOf(world.Spec(e.New)).EFI
	}, Exactly(celLoses("firmware.?bootloader.?efi.?persistent"))}
	losesAllState = Condition{"nothing of the VM persists any longer", func(e *Edit) bool {
		return !world.StateOf(world.Spec(e.New)).Any()
	}, Exactly("!(variables.to.?domain.?devices.?tpm.?persistent.orValue(false) || " +
		"variables.to.?domain.?firmware.?bootloader.?efi.?persistent.orValue(false))")}
)

// celLoses returns CEL for whether a field of the domain was true and is not any more.
func celLoses(field string) string {
	const on = "variables.%s.?domain.?%s.orValue(false)"
	return fmt.Sprintf(on+" && !"+on, "from", field, "to", field)
}

// nothing reports whether a value is absent or empty.
func nothing(v any) bool { return slices.Contains([]string{"", "{}", "[]", `""`}, manifest.Compact(v)) }

// machineTypes are those that KubeVirt accepts by default (v1.8.4,
// pkg/virt-config/virt-config.go, DefaultAMD64EmulatedMachines and those next to it).
var machineTypes = map[string][]string{
	"amd64": {"q35", "pc-q35"}, "arm64": {"virt"}, "s390x": {"s390-ccw-virtio"},
}

// fits reports whether the machine type is one of the architecture. Without one, KubeVirt
// fills in a new one only if there was one that is removed.
func fits(s *Subject) bool {
	path := []string{"domain", "machine", "type"}
	now := manifest.Text(world.Spec(s.New), path...)
	if now == "" {
		return manifest.At(world.Spec(s.Old), path...) != nil
	}
	return slices.ContainsFunc(machineTypes[manifest.Text(world.Spec(s.New), "architecture")], func(prefix string) bool {
		return strings.HasPrefix(now, prefix)
	})
}

// gateOn returns a condition that holds if a feature gate is on.
func gateOn(name string) Condition {
	return Condition{"feature gate " + name, func(e *Edit) bool { return e.Cluster.Gate(name) }, KubeVirtSays(name)}
}

// turns returns a condition that holds for a change to one of the values.
func turns(values ...string) Condition {
	return Condition{"becomes " + strings.Join(values, " or "), func(e *Edit) bool {
		s, _ := e.Now.(string)
		return slices.Contains(values, s)
	}, Exactly("now.orValue('') in " + CELList(values))}
}

// Conditions of volumes and disks.
var (
	hotpluggable = Condition{"hotpluggable", func(e *Edit) bool {
		name := entry(e.Path)
		was, now := world.Volume(e.Old, name), world.Volume(e.New, name)
		return (was == nil || cluster.IsHotpluggable(was)) && (now == nil || cluster.IsHotpluggable(now)) && (was != nil || now != nil)
	}, Exactly(celHotpluggable)}
	diskless = Condition{"without a disk", func(e *Edit) bool {
		name := entry(e.Path)
		return world.Volume(e.New, name) != nil && manifest.At(world.Spec(e.New), "domain", "devices", "disks", name) == nil
	}, unseen}
	turnsHotpluggable = Condition{"hotpluggable is turned on", func(e *Edit) bool {
		name := entry(e.Path)
		return !cluster.IsHotpluggable(world.Volume(e.Old, name)) && cluster.IsHotpluggable(world.Volume(e.New, name))
	}, Exactly("!" + sideHas("volumes", 0, celPlugs) + " && " + sideHas("volumes", 1, celPlugs))}
	sameClaim = Condition{"the same claim", func(e *Edit) bool {
		name := entry(e.Path)
		return world.ClaimOf(world.Volume(e.Old, name)) == world.ClaimOf(world.Volume(e.New, name))
	}, Exactly(CELClaim(0) + " == " + CELClaim(1))}
	// otherClaim holds for a volume that stays and has another claim.
	otherClaim = Condition{"another claim", func(e *Edit) bool { return MovesClaim(e.Subject, entry(e.Path)) }, Exactly(sideHas("volumes", 0, "true") + " && " + sideHas("volumes", 1, "true") + " && " + CELClaim(0) + " != " + CELClaim(1))}
	// replaced holds for a claim that goes while another one comes.
	replaced = Condition{"another claim is added", func(e *Edit) bool {
		return world.ClaimOf(world.Volume(e.Old, entry(e.Path))) != "" && slices.ContainsFunc(manifest.List(world.Spec(e.New), "volumes"), func(v any) bool {
			return world.ClaimOf(v) != "" && world.Volume(e.Old, "["+manifest.EntryName(v)+"]") == nil
		})
	}, Exactly(CELClaim(0) + " != '' && variables.volumes[1].exists(v, v.?dataVolume.?name.or(v.?persistentVolumeClaim.?claimName).hasValue() && !variables.volumes[0].exists(e, e.name == v.name))")}
	// otherClaims holds for a VM with claims that stay the same.
	otherClaims = Condition{"other claims stay", func(e *Edit) bool {
		return slices.ContainsFunc(manifest.List(world.Spec(e.New), "volumes"), func(v any) bool {
			return world.ClaimOf(v) != "" && world.ClaimOf(v) == world.ClaimOf(world.Volume(e.Old, "["+manifest.EntryName(v)+"]"))
		})
	}, unseen}
	hotplugs = Condition{"feature gate DeclarativeHotplugVolumes, and not HotplugVolumes", func(e *Edit) bool {
		return e.Cluster.Gate("DeclarativeHotplugVolumes") && !e.Cluster.Gate("HotplugVolumes")
	}, Exactly(KubeVirtSays("DeclarativeHotplugVolumes").May + " && !(" + KubeVirtSays("HotplugVolumes").May + ")")}
	// pluggableDisk holds for what the instance's webhook accepts (KubeVirt v1.8.4,
	// pkg/storage/admitters).
	pluggableDisk = Condition{"a disk or LUN on bus scsi or virtio, or a CD-ROM drive that was there", func(e *Edit) bool {
		disk := manifest.At(world.Spec(e.New), "domain", "devices", "disks", entry(e.Path))
		if manifest.At(disk, "cdrom") != nil && wasCDROM.Holds(e) {
			return true
		}
		for _, kind := range []string{"disk", "lun"} {
			if d := manifest.At(disk, kind); d != nil {
				return slices.Contains([]string{"scsi", "virtio"}, manifest.Text(d, "bus"))
			}
		}
		return false // the default is SATA
	}, unseen}
	wasCDROM = Condition{"a CD-ROM drive", func(e *Edit) bool {
		return manifest.At(world.Spec(e.Old), "domain", "devices", "disks", entry(e.Path), "cdrom") != nil
	}, Exactly(sideHas("disks", 0, "has(e.cdrom)"))}
	isLUN = Condition{"a LUN", func(e *Edit) bool {
		return manifest.At(world.Spec(e.New), "domain", "devices", "disks", entry(e.Path), "lun") != nil
	}, Exactly(sideHas("disks", 1, "has(e.lun)"))}
	unknownStrategy = Condition{"neither Migration nor Replacement", func(e *Edit) bool {
		return !slices.Contains([]any{nil, "", "Migration", "Replacement"}, e.Now)
	}, Exactly("!(now.orValue('') in ['', 'Migration', 'Replacement'])")}
	migratesVolumes = Condition{"updateVolumesStrategy is Migration", func(e *Edit) bool {
		return manifest.Text(e.New, "spec", "updateVolumesStrategy") == "Migration"
	}, Exactly("object.spec.?updateVolumesStrategy.orValue('') == 'Migration'")}
	isTemplated = Condition{"its name is that of a DataVolume template", func(e *Edit) bool {
		return manifest.At(e.New, "spec", "dataVolumeTemplates", "["+world.ClaimOf(world.Volume(e.New, entry(e.Path)))+"]") != nil
	}, Exactly("object.spec.?dataVolumeTemplates.orValue([]).exists(t, t.?metadata.?name.orValue('') == " + CELClaim(1) + ")")}
	hasCloudInit = Condition{"a cloud-init volume", func(e *Edit) bool {
		now := world.Volume(e.New, entry(e.Path))
		return manifest.At(now, "cloudInitNoCloud") != nil || manifest.At(now, "cloudInitConfigDrive") != nil
	}, Exactly(sideHas("volumes", 1, "has(e.cloudInitNoCloud) || has(e.cloudInitConfigDrive)"))}
	// copies holds for a volume that KubeVirt copies.
	copies     = both(migratesVolumes, otherClaim)
	keepsClaim = both(sameClaim, hasClaim)
	hasClaim   = Condition{"a claim", func(e *Edit) bool {
		return world.ClaimOf(world.Volume(e.New, entry(e.Path))) != ""
	}, Exactly(CELClaim(1) + " != ''")}
	preferred   = Condition{"with a preference", func(e *Edit) bool { return manifest.At(e.New, "spec", "preference") != nil }, Exactly("object.spec.?preference.hasValue()")}
	standsAlone = Condition{"a disk of its own has the name", func(e *Edit) bool {
		name := strings.Trim(entry(e.Path), "[]")
		return e.Disks[name] != nil || released.Holds(e)
	}, unseen}
	unreferenced = Condition{"no volume uses it", func(e *Edit) bool {
		return !slices.Contains(world.Claims(world.Spec(e.New)), strings.Trim(entry(e.Path), "[]"))
	}, unseen}
)

// MovesClaim reports whether a volume is on both sides, with different claims.
func MovesClaim(s *Subject, name string) bool {
	was, now := world.Volume(s.Old, name), world.Volume(s.New, name)
	return was != nil && now != nil && world.ClaimOf(was) != world.ClaimOf(now)
}

// Conditions of NICs.
var (
	// plugs holds for NICs that KubeVirt plugs: bridge and SR-IOV on a network of Multus
	// (v1.8.4, pkg/network/vmliveupdate/restart.go).
	plugs = Condition{"bridge or SR-IOV on a Multus network", func(e *Edit) bool {
		name := entry(e.Path)
		nic := manifest.At(world.Spec(e.New), "domain", "devices", "interfaces", name)
		return (manifest.At(nic, "bridge") != nil || manifest.At(nic, "sriov") != nil) && manifest.At(world.Spec(e.New), "networks", name, "multus") != nil
	}, Exactly(sideHas("interfaces", 1, "has(e.bridge) || has(e.sriov)") + " && " + sideHas("networks", 1, "has(e.multus)"))}
	firstNIC = Condition{"there was none", func(e *Edit) bool {
		return len(manifest.List(world.Spec(e.Old), "domain", "devices", "interfaces")) == 0
	}, Exactly("variables.interfaces[0].size() == 0")}
	preferredModel = Condition{"with a preference, without a model", func(e *Edit) bool {
		nic := manifest.At(world.Spec(e.New), "domain", "devices", "interfaces", entry(e.Path))
		return manifest.At(e.New, "spec", "preference") != nil && manifest.Text(nic, "model") == ""
	}, Exactly("object.spec.?preference.hasValue() && !" + sideHas("interfaces", 1, "e.?model.orValue('') != ''"))}
	isPodNetwork = Condition{"the pod network", func(e *Edit) bool {
		return manifest.At(world.Spec(e.New), "networks", entry(e.Path), "pod") != nil
	}, Exactly(sideHas("networks", 1, "has(e.pod)"))}
	isSRIOV = Condition{"SR-IOV", func(e *Edit) bool {
		return manifest.At(world.Spec(e.New), "domain", "devices", "interfaces", entry(e.Path), "sriov") != nil
	}, Exactly(sideHas("interfaces", 1, "has(e.sriov)"))}
	isBridge = Condition{"bridge", func(e *Edit) bool {
		return manifest.At(world.Spec(e.New), "domain", "devices", "interfaces", entry(e.Path), "bridge") != nil
	}, Exactly(sideHas("interfaces", 1, "has(e.bridge)"))}
	isAbsent = Condition{"state is absent", func(e *Edit) bool {
		return manifest.Text(world.Spec(e.New), "domain", "devices", "interfaces", entry(e.Path), "state") == "absent"
	}, Exactly(sideHas("interfaces", 1, "e.?state.orValue('') == 'absent'"))}
	sameNetwork = Condition{"the same network, with its namespace or without", func(e *Edit) bool {
		return attachment(e.Was, e.ID.Namespace) == attachment(e.Now, e.ID.Namespace)
	}, Exactly(celSameNetwork)}
	hasInterface = Condition{"with its interface", func(e *Edit) bool {
		path := []string{"domain", "devices", "interfaces", entry(e.Path)}
		return (manifest.At(world.Spec(e.Old), path...) == nil) != (manifest.At(world.Spec(e.New), path...) == nil)
	}, Exactly(sideHas("interfaces", 0, "true") + " != " + sideHas("interfaces", 1, "true"))}
	hasVolume = Condition{"with its volume", func(e *Edit) bool {
		return (world.Volume(e.Old, entry(e.Path)) == nil) != (world.Volume(e.New, entry(e.Path)) == nil)
	}, Exactly(sideHas("volumes", 0, "true") + " != " + sideHas("volumes", 1, "true"))}
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
	losesProtection = Condition{"Prune or Delete no longer protects", func(e *Edit) bool {
		return weaker(e, "Prune") || weaker(e, "Delete")
	}, unseen}
	gainsReplace = Condition{"gains Force=true or Replace=true", func(e *Edit) bool {
		return gains(e, "Replace") || gains(e, "Force")
	}, unseen}
)

// dropsOldDisks holds for a VM of which a rollout keeps fewer old root disks than before.
var dropsOldDisks = Condition{"lowered", func(e *Edit) bool {
	return keepOld(e.New) < keepOld(e.Old)
}, Exactly("[[was, now].map(n, n.orValue('0')).map(n, n.matches('^[0-9]{1,9}$') ? int(n) : 0)].all(n, n[1] < n[0])")}

// scheduled holds for a VM that has times at which it is stopped or started, which it did not have.
var scheduled = Condition{"added or changed", func(e *Edit) bool { return e.Now != nil }, Exactly("now.hasValue()")}

// restores holds for a VM that is restored from a snapshot, with the token for that.
var restores = Condition{"with a token", func(e *Edit) bool {
	now, _ := e.Now.(string)
	return approval.ParseRestore(now).Token != ""
}, Exactly("now.orValue('').contains('@')")}

// weaker reports whether a sync option protects the object less than before.
func weaker(e *Edit, name string) bool {
	strength := map[string]int{"false": 2, "confirm": 1}
	return strength[cluster.SyncOption(e.New, name)] < strength[cluster.SyncOption(e.Old, name)]
}

func gains(e *Edit, name string) bool {
	return cluster.SyncOption(e.New, name) == "true" && cluster.SyncOption(e.Old, name) != "true"
}
