package rollout

import (
	"cmp"
	"slices"

	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/labels"
)

// outdatedDisks returns the root disks of earlier revisions that are no longer
// needed: the VM owns them, neither the VM nor its running instance refers to
// them, and they are not among the newest, which are kept.
func outdatedDisks(m *machine, keep int) []*cdiv1.DataVolume {
	named := m.namedClaims()
	var old []*cdiv1.DataVolume
	for _, disk := range m.disks {
		isRoot := disk.Labels[labels.Disk] == labels.RootDisk
		if isRoot && disk.DeletionTimestamp == nil && m.owns(disk) && !named[disk.Name] {
			old = append(old, disk)
		}
	}
	slices.SortFunc(old, func(a, b *cdiv1.DataVolume) int {
		return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return old[min(keep, len(old)):]
}

func (m *machine) owns(disk *cdiv1.DataVolume) bool {
	for _, owner := range disk.OwnerReferences {
		if owner.UID == m.UID {
			return true
		}
	}
	return false
}

// namedClaims returns the disks that the VM or its running instance refers to.
func (m *machine) namedClaims() map[string]bool {
	named := map[string]bool{}
	for i := range m.Spec.DataVolumeTemplates {
		named[m.Spec.DataVolumeTemplates[i].Name] = true
	}
	volumes := m.Spec.Template.Spec.Volumes
	if m.instance != nil {
		volumes = append(slices.Clone(volumes), m.instance.Spec.Volumes...)
	}
	for i := range volumes {
		named[claimOf(&volumes[i])] = true
	}
	return named
}
