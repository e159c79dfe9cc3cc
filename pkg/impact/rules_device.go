package impact

// Sources of the rules.
const (
	sourceVolumes   = "KubeVirt v1.8.4, pkg/virt-controller/watch/vm/vm.go, validLiveUpdateVolumes"
	sourceHotplug   = "KubeVirt v1.8.4, pkg/virt-controller/watch/vm/vm.go, handleDeclarativeVolumeHotplug"
	sourceMigration = "KubeVirt v1.8.4, pkg/virt-controller/watch/vm/vm.go, handleVolumeUpdateRequest"
	sourceNICs      = "KubeVirt v1.8.4, pkg/network/vmliveupdate/restart.go"
	sourceUnplug    = "KubeVirt v1.8.4, pkg/network/controllers/vm.go, clearDetachedIfacesFromVM"
	sourceTemplates = "KubeVirt v1.8.4, pkg/virt-controller/watch/vm/vm.go, handleDataVolumes"
)

// unplugged holds for a volume that KubeVirt neither plugs nor copies.
var unplugged = both(migratesVolumes, not(otherClaim, "no other claim"))

// rulesUnpluggable are the rules of volumes that no version of KubeVirt can plug.
var rulesUnpluggable = []Rule{
	{
		Path: "spec.template.spec.volumes[*].**", If: both(hotpluggable, hotplugs, not(unplugged, "KubeVirt plugs"), added, not(pluggableDisk, "on a bus that cannot be plugged"), not(stopped, "the VM may run")), Level: Refused, Code: "unpluggable-bus",
		Reason: "KubeVirt plugs disks and LUNs on the buses scsi and virtio only; the VM's webhook accepts others, but the instance's rejects them, and with them every later live change",
		Advice: "set the disk's bus to scsi or virtio", Key: "disks[*]", Source: sourceHotplug,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(hotpluggable, hotplugs, not(unplugged, "KubeVirt plugs"), diskless, not(stopped, "the VM may run")), Level: Refused, Code: "no-disk",
		Reason: "the VM's webhook accepts a volume without a disk, but the instance's refuses to plug it in, and with it every later live change",
		Advice: "keep the disk, or also remove its volume", Key: "disks[*]", Source: sourceHotplug,
	},
}

// rulesVolumes are the rules of volumes.
var rulesVolumes = []Rule{
	{
		Path: "spec.template.spec.volumes[*].**", If: both(hotpluggable, hotplugs, migratesVolumes, not(otherClaim, "no other claim")), Level: Staged, Code: "not-plugged",
		Reason: "with updateVolumesStrategy Migration, KubeVirt plugs no volumes in or out", Advice: "remove updateVolumesStrategy, or restart the VM", When: AtNextStart, Key: "disks[*]", Source: sourceHotplug,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(hotpluggable, hotplugs, added, preferred), Level: Live, Code: "plugged",
		Reason: "KubeVirt plugs the disk in; the settings of the preference for disks apply from the next start", Key: "disks[*]", Source: sourceHotplug, Assumes: Types,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(hotpluggable, hotplugs, added), Level: Live, Code: "plugged",
		Reason: "KubeVirt plugs the disk in", Key: "disks[*]", Source: sourceHotplug,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(hotpluggable, hotplugs, removed), Level: Live, Code: "unplugged",
		Reason: "KubeVirt unplugs the disk while the guest runs", Advice: "unmount it in the guest first", Key: "disks[*]", Warning: true, Source: sourceHotplug,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(hotpluggable, hotplugs, otherClaim, wasCDROM, not(migratesVolumes, "updateVolumesStrategy is not Migration")), Level: Live, Code: "swapped-live",
		Reason: "KubeVirt changes the medium of the drive while the guest runs", Key: "disks[*]", Source: sourceHotplug,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(hotpluggable, hotplugs, otherClaim, not(migratesVolumes, "updateVolumesStrategy is not Migration")), Level: Recreate, Code: "swapped-live",
		Reason: "KubeVirt replaces the content of the disk while the guest runs, which can damage file systems", Advice: "unmount it in the guest first, or stop the VM", Key: "disks[*]", Warning: true, Source: sourceHotplug,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(hotpluggable, hotplugs, sameClaim), Level: Live, Code: "swapped-live",
		Reason: "KubeVirt unplugs the disk while the guest runs, and plugs it in again", Advice: "unmount it in the guest first, or stop the VM", Key: "disks[*]", Warning: true, Source: sourceHotplug,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(hotpluggable, not(hotplugs, "without declarative hotplug"), not(copies, "not copied")), Level: Staged, Code: "not-plugged",
		Reason: "the cluster plugs volumes by request only (feature gate DeclarativeHotplugVolumes is off), and requests no restart", Advice: "restart the VM, or plug the disk (virtctl addvolume)",
		When: AtNextStart, Key: "disks[*]", Source: sourceHotplug,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(turnsHotpluggable, sameClaim), Level: Staged, Code: "not-compared",
		Reason: "KubeVirt does not compare it", When: AtNextStart, Key: "disks[*]", Source: sourceVolumes,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(migratesVolumes, keepsClaim), Level: Staged, Code: "not-compared",
		Reason: "with updateVolumesStrategy Migration, KubeVirt compares the claims of volumes only", When: AtNextStart, Key: "disks[*]", Source: sourceVolumes,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(migratesVolumes, otherClaim, stopped), Level: Recreate, Code: "not-copied",
		Reason: "KubeVirt copies the disks of running VMs only: the next start finds the new disk, filled from its source, and the data stays in the old one",
		Advice: "start the VM first (runStrategy), or keep the disk's revision", When: AtNextStart, Key: "disks[*]", Warning: true, Source: sourceMigration,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(migratesVolumes, staging, otherClaim), Level: Recreate, Code: "not-copied",
		Reason: "the cluster's vmRolloutStrategy is Stage, so that KubeVirt copies no volumes: the next start finds the new disk, and the data stays in the old one",
		Advice: "do not restart the VM before its data is copied", When: AtNextStart, Key: "disks[*]", Warning: true, Source: sourceMigration,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(migratesVolumes, isLUN, otherClaim), Level: Recreate, Code: "not-copied",
		Reason: "KubeVirt copies no LUNs: the next start finds the new one", Advice: "copy the data yourself first", When: AtRestart, Key: "disks[*]", Source: sourceMigration, Warning: true,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(migratesVolumes, otherClaim, evicts, not(migrates, "no LiveMigrate")), Level: Recreate, Code: "evicted",
		Reason: "KubeVirt copies the volume by a live migration, which the cluster's workloadUpdateMethods does not enable, but they have Evict: KubeVirt shuts the VM down before its data is copied",
		Advice: "add LiveMigrate to workloadUpdateMethods first", When: "immediately", Key: "disks[*]", Warning: true, Source: sourceUpdater, Copies: true, Handled: true,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(migratesVolumes, otherClaim, not(cannotCopy, "the VM can live-migrate"), not(migrates, "workloadUpdateMethods has no LiveMigrate")), Level: Recreate, Code: "never-migrates",
		Reason: "KubeVirt copies the volume by a live migration, which the cluster's workloadUpdateMethods does not enable: a start before that finds the new disk, without the data",
		Advice: "migrate the VM (virtctl migrate), and do not restart it before its data is copied", When: "at the next migration", Key: "disks[*]", Warning: true, Source: sourceUpdater, Copies: true, Handled: true, Assumes: Copied,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(migratesVolumes, otherClaim, not(cannotCopy, "the VM can live-migrate")), Level: Migrate, Code: "copied",
		Reason: "KubeVirt copies the volume to the new claim by a live migration", Advice: "the old claim stays until you delete it", Key: "disks[*]", Source: sourceMigration, Copies: true, Handled: true, Assumes: Copied,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: hasCloudInit, Level: Restart, Code: "cloud-init",
		Reason: "cloud-init reads it at the next start, and runs the modules of a first boot again only if the instance's identity changes",
		Advice: "keep the data of a VM that has booted: no guest changes by it; in a Secret (`store: secret`), later changes need no restart", When: AtRestart, Key: "cloudInit", Source: "KubeVirt v1.8.4, pkg/cloud-init/cloud-init.go", Compared: true,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(otherClaim, isTemplated), Level: Recreate, Code: "new-disk",
		Reason: "a new disk is filled from its source, and the VM starts from it; the old disk stays until something deletes it",
		When:   AtRestart, Key: "disks[*]", Source: sourceTemplates, Compared: true,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(otherClaim, wasCDROM, hotplugs), Level: Restart, Code: waitsCode,
		Reason: "the drive has another medium after the restart", Advice: "with `hotpluggable: true` from the next restart on, its medium changes while the VM runs", When: AtRestart, Key: "disks[*]", Source: sourceVolumes, Compared: true,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(otherClaim, wasCDROM), Level: Restart, Code: waitsCode,
		Reason: "the drive has another medium after the restart", Advice: AdviceRestart, When: AtRestart, Key: "disks[*]", Source: sourceVolumes, Compared: true,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: otherClaim, Level: Recreate, Code: "other-disk",
		Reason: "the VM will see another disk; the data stays in the old one", Advice: "copy the data (of a running pet KubeVirt does: set disks.NAME.revision), or go back to the old disk",
		When: AtRestart, Key: "disks[*]", Warning: true, Source: sourceVolumes, Compared: true,
	},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(added, hotplugs, hasClaim), Level: Restart, Code: waitsCode, Reason: "the disk is not hotpluggable",
		Advice: "set `hotpluggable: true`, and KubeVirt plugs it in while the VM runs; or plan a restart (virtctl restart)", When: AtRestart, Key: "disks[*]", Source: sourceVolumes, Compared: true,
	},
	{Path: "spec.template.spec.volumes[*].**", If: added, Level: Restart, Code: waitsCode, Reason: "the disk is not hotpluggable", Advice: AdviceRestart, When: AtRestart, Key: "disks[*]", Source: sourceVolumes, Compared: true},
	{
		Path: "spec.template.spec.volumes[*].**", If: both(removed, replaced, not(wasCDROM, "a disk")), Level: Recreate, Code: "other-disk",
		Reason: "the VM will see the new disk in its place; the data stays in the old one", Advice: "keep the disk's name, or add the new disk before you remove this one",
		When: AtRestart, Key: "disks[*]", Warning: true, Source: sourceVolumes, Compared: true,
	},
	{Path: "spec.template.spec.volumes[*].**", If: removed, Level: Restart, Code: waitsCode, Reason: "the disk stays plugged until the VM restarts; its data stays in the cluster", Advice: AdviceRestart, When: AtRestart, Key: "disks[*]", Source: sourceVolumes, Compared: true},
	{Path: "spec.template.spec.volumes[*].**", Level: Restart, Code: waitsCode, Reason: "the volume cannot change while the VM runs", Advice: AdviceRestart, When: AtRestart, Key: "disks[*]", Source: sourceVolumes, Compared: true},
	{Path: "spec.template.spec.volumes[]", Level: None, Code: "order", Reason: "KubeVirt compares volumes by name", Source: sourceVolumes},
}

// rulesDisks are the rules of the disks that show the volumes to the guest.
var rulesDisks = []Rule{
	{
		Path: "spec.template.spec.domain.devices.disks[*].**", If: both(removed, wasCDROM), From: "1.6.4", Level: Restart, Code: waitsCode,
		Reason: "a CD-ROM drive cannot be unplugged", Advice: AdviceRestart, When: AtRestart, Key: "disks[*]", Source: sourceVolumes, Compared: true,
	},
	{Path: "spec.template.spec.domain.devices.disks[*].**", If: both(added, hasVolume), Level: None, Code: "with-volume", Reason: "it comes with its volume", Key: "disks[*]", Source: sourceVolumes},
	{Path: "spec.template.spec.domain.devices.disks[*].**", If: both(hasVolume, hotpluggable), Level: None, Code: "with-volume", Reason: "it goes with its volume", Key: "disks[*]", Source: sourceHotplug},
	{
		Path: "spec.template.spec.domain.devices.disks[*].**", If: both(hotpluggable, turnsHotpluggable), Level: Staged, Code: "not-compared",
		Reason: "KubeVirt does not compare the disks of hotpluggable volumes", When: AtNextStart, Key: "disks[*]", Source: sourceVolumes,
	},
	{
		Path: "spec.template.spec.domain.devices.disks[*].**", If: hotpluggable, Level: Staged, Code: "not-compared",
		Reason: "KubeVirt does not compare the disks of hotpluggable volumes", When: AtNextStart, Key: "disks[*]", Source: sourceVolumes,
	},
	{Path: "spec.template.spec.domain.devices.disks[*].**", Level: Restart, Code: waitsCode, Reason: "how the guest sees the disk cannot change while the VM runs", Advice: AdviceRestart, When: AtRestart, Key: "disks[*]", Source: sourceVolumes, Compared: true},
	{
		Path: "spec.template.spec.domain.devices.disks[]", Level: Staged, Code: "order",
		Reason: "the order of disks without bootOrder determines the disk that the VM starts from", Advice: "set bootOrder", When: AtNextStart, Key: "disks", Source: sourceVolumes,
	},
}

// rulesTemplates are the rules of DataVolume templates.
var rulesTemplates = []Rule{
	{
		Path: "spec.dataVolumeTemplates[*].metadata.labels.**", If: ofUser, Level: None, Code: "claim-labels",
		Reason: "KubeVirt uses the template only to create the disk: a claim that exists keeps its labels", Advice: adviceClaimLabels,
		Key: "diskLabels", Warning: true, Source: sourceTemplates,
	},
	{
		Path: "spec.dataVolumeTemplates[*].**", If: both(added, unreferenced), Level: Refused, Code: "unreferenced-template",
		Reason: "KubeVirt refuses a DataVolume template that no volume uses", Key: "disks", Source: sourceAdmitter,
	},
	{
		Path: "spec.dataVolumeTemplates[*].**", If: both(added, standsAlone), Level: Metadata, Code: "adopted",
		Reason: "the VM becomes the owner of the existing disk: from now on it is deleted with the VM", Advice: "keep it (lifecycle.keepDisks, disks.NAME.keep)",
		Key: "disks", Warning: true, Source: "KubeVirt v1.8.4, pkg/virt-controller/watch/controller_ref_manager.go, ClaimObject",
	},
	{
		Path: "spec.dataVolumeTemplates[*].**", If: both(added, isOwned), Level: None, Code: "disk-found",
		Reason: "the disk exists and belongs to the VM: it is not filled again", Key: "disks", Source: sourceTemplates,
	},
	{Path: "spec.dataVolumeTemplates[*].**", If: added, Level: Create, Code: "disk-created", Reason: "KubeVirt creates and fills the disk immediately, also while the VM runs; until it is filled, KubeVirt applies no other change to the VM", Key: "disks", Source: sourceTemplates},
	{
		Path: "spec.dataVolumeTemplates[*].**", If: both(removed, released), Level: Metadata, Code: "old-disk-stays",
		Reason: "the disk stays, and does not belong to the VM in the cluster", Key: "disks", Source: sourceTemplates,
	},
	{
		Path: "spec.dataVolumeTemplates[*].**", If: both(removed, not(unreferenced, "a volume uses it")), Level: None, Code: "still-owned",
		Reason: "the disk still belongs to the VM: Kubernetes deletes it with the VM, regardless of the options of Argo CD", Advice: "remove the owner reference of the DataVolume (docs/reference/lifecycle.md)",
		Key: "disks", Warning: true, Source: sourceTemplates,
	},
	{
		Path: "spec.dataVolumeTemplates[*].**", If: removed, Level: Metadata, Code: "old-disk-stays",
		Reason: "the old disk stays, and still belongs to the VM", Key: "disks", Source: sourceTemplates,
	},
	{
		Path: "spec.dataVolumeTemplates[*].**", Level: None, Code: "template-ignored",
		Reason: "KubeVirt looks a disk up by its name only: an existing disk is neither resized nor filled again", Advice: "a new disk needs a new name; to grow one, use disks.NAME.expandTo",
		Key: "disks", Warning: true, Source: sourceTemplates,
	},
	{Path: "spec.dataVolumeTemplates[]", Level: None, Code: "order", Reason: "KubeVirt looks disks up by name", Source: sourceTemplates},
}

// rulesNICs are the rules of interfaces and networks.
var rulesNICs = []Rule{
	{Path: "spec.template.spec.domain.devices.interfaces[*].**", If: both(added, isAbsent, stopped), Before: "1.6", Level: Staged, Code: "dropped", Reason: "this KubeVirt starts the VM with the NIC that is absent", Advice: "remove the NIC", When: AtNextStart, Key: "nics", Source: "KubeVirt v1.5.2, pkg/network/controllers/vm.go"},
	{Path: "spec.template.spec.domain.devices.interfaces[*].**", If: both(added, isAbsent), Level: Metadata, Code: "dropped", Reason: "KubeVirt removes a new NIC that is absent from the VM: Git and cluster differ until it is also removed from Git", Advice: "remove the NIC", Key: "nics", Source: sourceUnplug},
	{Path: "spec.template.spec.domain.devices.interfaces[*].**", If: both(added, plugs, evicts), From: "1.6", Level: Power, Code: "evicted", Reason: "the VM cannot live-migrate, and the cluster's workloadUpdateMethods has Evict: KubeVirt shuts it down", When: "immediately", Key: "nics", Source: sourceUpdater},
	{Path: "spec.template.spec.domain.devices.interfaces[*].**", If: both(added, firstNIC), Level: Restart, Code: waitsCode, Reason: "the VM was started with the default NIC of KubeVirt", Advice: AdviceRestart, When: AtRestart, Key: "nics", Source: sourceNICs, Compared: true},
	{Path: "spec.template.spec.domain.devices.interfaces[*].**", If: both(added, preferredModel), Level: Restart, Code: waitsCode, Reason: "KubeVirt regards the model that a preference adds to a NIC as a change", Advice: "write the NIC's model", When: AtRestart, Key: "nics", Source: sourceNICs, Compared: true},
	{Path: "spec.template.spec.domain.devices.interfaces[*].**", If: both(added, plugs), Before: "1.6", Level: Staged, Code: "never-migrates", Reason: "the NIC is plugged by a live migration, which this KubeVirt does not request", Advice: "migrate the VM (virtctl migrate)", When: "at the next migration or start", Key: "nics", Source: "KubeVirt v1.5.3, pkg/virt-controller/watch/workload-updater/workload-updater.go, doesRequireMigration"},
	{Path: "spec.template.spec.domain.devices.interfaces[*].**", If: both(added, plugs, cannotMigrate), Level: Staged, Code: "never-migrates", Reason: "the NIC is plugged by a live migration, which this VM cannot do, and no condition reports it", Advice: AdviceRestart, When: AtRestart, Key: "nics", Source: sourceNICs},
	{Path: "spec.template.spec.domain.devices.interfaces[*].**", If: both(added, plugs, not(migrates, "workloadUpdateMethods has no LiveMigrate")), Level: Staged, Code: "never-migrates", Reason: "the NIC is plugged by a live migration, which the cluster's workloadUpdateMethods does not enable", Advice: "migrate the VM (virtctl migrate)", When: "at the next migration or start", Key: "nics", Source: sourceNICs},
	{Path: "spec.template.spec.domain.devices.interfaces[*].**", If: both(added, plugs), Level: Migrate, Code: "plugged", Reason: "KubeVirt plugs the NIC by a live migration", Advice: adviceMigrate, Key: "nics", Source: sourceNICs, Assumes: Migratable},
	{Path: "spec.template.spec.domain.devices.interfaces[*].**", If: both(added, isPodNetwork, isBridge), Level: Staged, Code: "not-plugged", Reason: "KubeVirt writes the NIC into the running instance, but plugs nothing into the pod network, and requests no restart", Advice: "restart the VM", When: AtNextStart, Key: "nics", Source: sourceNICs},
	{Path: "spec.template.spec.domain.devices.interfaces[*].**", If: both(added, isPodNetwork), From: "1.8", Level: Restart, Code: waitsCode, Reason: "the pod network cannot be plugged", Advice: AdviceRestart, When: AtRestart, Key: "nics", Source: sourceNICs, Compared: true},
	{Path: "spec.template.spec.domain.devices.interfaces[*].**", If: added, Level: Staged, Code: "not-plugged", Reason: "KubeVirt neither plugs a NIC with this binding nor requests a restart", Advice: "restart the VM", When: AtNextStart, Key: "nics", Source: sourceNICs},
	{Path: "spec.template.spec.domain.devices.interfaces[*].**", If: removed, Level: Restart, Code: waitsCode, Reason: "the NIC stays plugged until the VM restarts", Advice: "to unplug it now, set `state: absent` first, and remove it in a later commit", When: AtRestart, Key: "nics", Source: sourceNICs, Compared: true},
	{Path: "spec.template.spec.domain.devices.interfaces[*].state", If: both(turns("absent"), isBridge, evicts), From: "1.6", Level: Power, Code: "evicted", Reason: "KubeVirt finishes the unplugging by a live migration, which is not possible, and the cluster's workloadUpdateMethods has Evict: KubeVirt shuts the VM down", Advice: "stop the VM first, and remove the NIC", When: "immediately", Key: "nics", Source: sourceUpdater},
	{Path: "spec.template.spec.domain.devices.interfaces[*].state", If: both(turns("absent"), isBridge), Before: "1.6", Level: Staged, Code: "never-migrates", Reason: "KubeVirt removes the NIC from the guest, and finishes the unplugging by a live migration, which this KubeVirt does not request", Advice: "migrate the VM (virtctl migrate)", When: "at the next migration or start", Key: "nics", Source: "KubeVirt v1.5.3, pkg/virt-controller/watch/workload-updater/workload-updater.go, doesRequireMigration"},
	{Path: "spec.template.spec.domain.devices.interfaces[*].state", If: both(turns("absent"), isBridge, cannotMigrate), Level: Staged, Code: "never-migrates", Reason: "KubeVirt removes the NIC from the guest, and finishes the unplugging by a live migration, which this VM cannot do", Advice: AdviceRestart, When: AtRestart, Key: "nics", Source: sourceNICs},
	{Path: "spec.template.spec.domain.devices.interfaces[*].state", If: both(turns("absent"), isBridge, not(migrates, "workloadUpdateMethods has no LiveMigrate")), Level: Staged, Code: "never-migrates", Reason: "KubeVirt removes the NIC from the guest, and finishes the unplugging by a live migration, which the cluster's workloadUpdateMethods does not enable", Advice: "migrate the VM (virtctl migrate)", When: "at the next migration or start", Key: "nics", Source: sourceNICs},
	{Path: "spec.template.spec.domain.devices.interfaces[*].state", If: both(turns("absent"), isBridge), Level: Migrate, Code: "unplugged", Reason: "KubeVirt unplugs the NIC by a live migration, and then removes it from the VM: Git and cluster differ until it is also removed from Git", Advice: "remove the NIC in the next commit", Key: "nics", Source: sourceNICs, Assumes: Migratable},
	{Path: "spec.template.spec.domain.devices.interfaces[*].state", If: turns("absent"), Level: Refused, Code: "invalid", Reason: "KubeVirt unplugs bridge NICs only", Key: "nics", Source: sourceAdmitter},
	{Path: "spec.template.spec.domain.devices.interfaces[*].state", If: isSRIOV, Level: Refused, Code: "invalid", Reason: "KubeVirt refuses a link state of SR-IOV NICs", Key: "nics", Source: sourceAdmitter},
	{Path: "spec.template.spec.domain.devices.interfaces[*].state", Level: Live, Code: "link-state", Reason: "KubeVirt sets the link of the running VM", Key: "nics", Source: sourceNICs},
	{Path: "spec.template.spec.domain.devices.interfaces[*].macAddress", Level: Restart, Code: "identity", Reason: "the guest sees another NIC: names, leases and firewall rules by MAC address change", Advice: "keep the MAC address", When: AtRestart, Key: "nics", Source: sourceNICs, Compared: true},
	{Path: "spec.template.spec.domain.devices.interfaces[*].**", Level: Restart, Code: waitsCode, Reason: "a NIC cannot change while the VM runs", Advice: AdviceRestart, When: AtRestart, Key: "nics", Source: sourceNICs, Compared: true},
	{Path: "spec.template.spec.domain.devices.interfaces[]", Level: Staged, Code: "order", Reason: "the order of NICs determines their addresses on the bus, and their names in some guests", When: AtNextStart, Key: "nics", Source: sourceNICs},
	{Path: "spec.template.spec.networks[*].**", If: hasInterface, Level: None, Code: "with-interface", Reason: "it is removed with its interface", Key: "nics", Source: sourceNICs},
	{Path: "spec.template.spec.networks[*].multus.networkName", If: not(gateOn("LiveUpdateNADRef"), "without feature gate LiveUpdateNADRef"), Level: Restart, Code: waitsCode, Reason: "this KubeVirt cannot move a NIC to another network while the VM runs", Advice: AdviceRestart, When: AtRestart, Key: "nics", Source: sourceNICs, Compared: true},
	{Path: "spec.template.spec.networks[*].multus.networkName", If: sameNetwork, Level: Live, Code: "same-network", Reason: "it is the same network, with its namespace or without", Key: "nics", Source: "KubeVirt v1.8.4, pkg/network/migration/evaluator.go"},
	{Path: "spec.template.spec.networks[*].multus.networkName", If: evicts, Level: Power, Code: "evicted", Reason: "the VM cannot live-migrate, and the cluster's workloadUpdateMethods has Evict: KubeVirt shuts it down", When: "immediately", Key: "nics", Source: sourceUpdater},
	{Path: "spec.template.spec.networks[*].multus.networkName", If: cannotMigrate, Level: Staged, Code: "never-migrates", Reason: "the NIC moves to the other network by a live migration, which this VM cannot do, and no condition reports it", Advice: AdviceRestart, When: AtRestart, Key: "nics", Source: "KubeVirt v1.9.0, pkg/network/vmliveupdate/restart.go"},
	{Path: "spec.template.spec.networks[*].multus.networkName", If: not(migrates, "workloadUpdateMethods has no LiveMigrate"), Level: Staged, Code: "never-migrates", Reason: "the NIC moves to the other network by a live migration, which the cluster's workloadUpdateMethods does not enable", Advice: "migrate the VM (virtctl migrate)", When: "at the next migration or start", Key: "nics", Source: "KubeVirt v1.8.4, pkg/network/migration/evaluator.go"},
	{Path: "spec.template.spec.networks[*].multus.networkName", Level: Migrate, Code: "moved-network", Reason: "KubeVirt moves the NIC to the other network by a live migration; the link drops briefly", Advice: adviceMigrate, Key: "nics", Source: "KubeVirt v1.9.0, pkg/network/vmliveupdate/restart.go", Assumes: Migratable},
	{Path: "spec.template.spec.networks[*].**", Level: Restart, Code: waitsCode, Reason: "a network cannot change while the VM runs", Advice: AdviceRestart, When: AtRestart, Key: "nics", Source: sourceNICs, Compared: true},
	{Path: "spec.template.spec.networks[]", Level: None, Code: "order", Reason: "KubeVirt compares networks by name", Source: sourceNICs},
}

// MachineRules are the rules of VMs, in the order in which they are tried.
var MachineRules = compile(
	rulesUnpluggable, rulesVersions, rulesReplaced, rulesGate, rulesMetadata, rulesPower, rulesTemplates, rulesVolumes, rulesDisks, rulesNICs, rulesProcessors, rulesMemory, rulesPlacement, rulesRest,
)
