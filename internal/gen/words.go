package main

import (
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/vmrender/vmrender/pkg/impact"
)

// meanings describe each word that a key accepts, by KEY.WORD. A word without one is
// explained by its key.
var meanings = map[string]string{
	"accessMode.ReadWriteOnce":               "One node can mount the disk: the VM cannot be migrated live.",
	"accessMode.ReadWriteMany":               "Several nodes can mount the disk, as live migration needs.",
	"accessMode.ReadOnlyMany":                "Several nodes can mount the disk, and none can write.",
	"accessMode.ReadWriteOncePod":            "One pod can mount the disk: the VM cannot be migrated live.",
	"action.Apply":                           "Synced automatically, and drift is undone.",
	"action.DryRun":                          "Synced manually, after a look at Argo CD's diff.",
	"action.Ignore":                          "Left alone by Argo CD.",
	"bus.virtio":                             "Fast; the guest needs drivers, which Linux has.",
	"bus.sata":                               "For guests without virtio drivers.",
	"bus.scsi":                               "virtio-scsi, for disks that are plugged in, and LUNs.",
	"bus.usb":                                "A USB storage device.",
	"evictionStrategy.LiveMigrate":           "Drains of the node migrate the VM live, and wait if it cannot be.",
	"evictionStrategy.LiveMigrateIfPossible": "Drains of the node migrate the VM live, or stop it if it cannot be.",
	"evictionStrategy.None":                  "Drains of the node stop the VM.",
	"evictionStrategy.External":              "A controller of yours decides at drains of the node.",
	"protection.full":                        "What protects the VM stays, and is checked.",
	"protection.none":                        "Nothing protects the VM from deletion.",
	"removal.denied":                         "The VM stays in the cluster when it is removed from Git.",
	"removal.approved":                       "The VM is deleted when it is removed from Git.",
	"removal.confirm":                        "Argo CD asks before it deletes the VM.",
	"runStrategy.Always":                     "Runs, and is started again whenever it stops.",
	"runStrategy.Halted":                     "Does not run.",
	"runStrategy.Manual":                     "Is started and stopped manually.",
	"runStrategy.RerunOnFailure":             "Runs, and is started again if it fails.",
	"runStrategy.Once":                       "Runs once.",
	"runStrategy.WaitAsReceiver":             "Waits for another cluster to migrate it here.",
	"scope.vm":                               "A Service for each VM.",
	"scope.group":                            "One Service for all replicas.",
	"state.up":                               "The link is up.",
	"state.down":                             "The cable is pulled.",
	"state.absent":                           "The NIC is unplugged.",
	"strategy.rollout":                       "New root disks, and restarts in batches.",
	"strategy.replace":                       "The VM is deleted and recreated by the sync.",
	"strategy.blue-green":                    "A new VM next to the old one, which goes when the new one is ready.",
	"strategy.pool":                          "A VirtualMachinePool, which KubeVirt rolls.",
	"type.pet":                               "Updated in place; its disks survive it.",
	"type.cattle":                            "Recreated, with its disks.",
	"type.cdrom":                             "A CD-ROM drive.",
	"type.lun":                               "A SCSI device that is passed through.",
	"type.bios":                              "BIOS.",
	"type.efi":                               "EFI without secure boot.",
	"type.secureboot":                        "EFI with secure boot.",
	"volumeMode.Block":                       "A raw device, as most storage for live migration has it.",
	"volumeMode.Filesystem":                  "A disk image in a file system.",
}

// explainWords sets the text that editors show for each word that a key with a description accepts.
func explainWords(p *jsonschema.Schema, description, key string) {
	says := make([]string, len(p.Enum))
	for i, word := range p.Enum {
		says[i] = meaningOf(key, word.(string)) //nolint:forcetypeassert // the words of a tag
		if says[i] == "" {
			says[i] = pageLink().ReplaceAllString(strings.ReplaceAll(description, "`", ""), "$1")
		}
	}
	if p.Extras == nil {
		p.Extras = map[string]any{}
	}
	p.Extras["enumDescriptions"] = says
}

func meaningOf(key, word string) string {
	if key == "approve" || key == "maxImpact" {
		return levelMeaning(word)
	}
	return meanings[key+"."+word]
}

func levelMeaning(word string) string {
	for _, level := range impact.Levels() {
		if level.String() == word {
			return level.Meaning()
		}
	}
	return ""
}
