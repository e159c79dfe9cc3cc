package rollout

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/labels"
)

// cleanUp removes the root disks of earlier revisions, and reports whether it is
// complete. It skips VMs that do not run with their current disk, because they may
// still need the others.
func (r *run) cleanUp(ctx context.Context, all []observed) (done bool, err error) {
	if err := r.lease.save(ctx, func(of *record) { of.complete(all) }); err != nil {
		return false, err
	}
	inUse := r.view.inUse()
	for _, m := range all {
		keep, err := m.keepOld()
		if err != nil {
			return false, err
		}
		if m.stage != current {
			continue
		}
		for _, disk := range outdatedDisks(m.machine, keep, inUse, r.lease.ran[m.Name]) {
			if held, err := r.hold(ctx); err != nil || !held {
				return false, err
			}
			if err := r.removeDisk(ctx, m.machine, disk); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

func (r *run) removeDisk(ctx context.Context, m *machine, disk *cdiv1.DataVolume) error {
	if err := r.cluster.remove(ctx, dataVolumes, r.Namespace, disk.Name, disk.UID); err != nil {
		return fmt.Errorf("%s: removing disk %s: %w", m.Name, disk.Name, err)
	}
	r.say(m.Name, "removed disk %s of an earlier revision", disk.Name)
	r.record(ctx, m, normal, "RolloutDiskRemoved", "Removed disk "+disk.Name+" of an earlier revision")
	return nil
}

// outdatedDisks returns the root disks of earlier revisions that are no longer
// needed: the VM owns them, they are not among those in use, and not among those that
// are kept: the disks that ran last, in the order given, and then the newest.
func outdatedDisks(m *machine, keep int, inUse map[string]bool, ran []string) []*cdiv1.DataVolume {
	var old []*cdiv1.DataVolume
	for _, disk := range m.disks {
		if m.ownsRoot(disk) && disk.DeletionTimestamp == nil && !inUse[disk.Name] {
			old = append(old, disk)
		}
	}
	turn := func(d *cdiv1.DataVolume) int {
		if i := slices.Index(ran, d.Name); i >= 0 {
			return i
		}
		return len(ran)
	}
	slices.SortFunc(old, func(a, b *cdiv1.DataVolume) int {
		return cmp.Or(cmp.Compare(turn(a), turn(b)),
			b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return old[min(keep, len(old)):]
}

// rootDisks returns the names of the VM's own root disks that it refers to.
func (m *machine) rootDisks() []string {
	claims := map[string]bool{}
	addClaims(claims, m.Spec.Template.Spec.Volumes)
	var out []string
	for _, disk := range m.disks {
		if m.ownsRoot(disk) && claims[disk.Name] {
			out = append(out, disk.Name)
		}
	}
	slices.Sort(out)
	return out
}

// ownsRoot reports whether a disk is a root disk that the VM owns.
func (m *machine) ownsRoot(disk *cdiv1.DataVolume) bool {
	if disk.Labels[labels.Disk] != labels.RootDisk {
		return false
	}
	for _, owner := range disk.OwnerReferences {
		if owner.UID == m.UID {
			return true
		}
	}
	return false
}

// inUse returns the disks that any VM or running instance of the namespace refers to.
// A disk of one VM can be attached to another, for example to rescue its files.
func (v *view) inUse() map[string]bool {
	claims := map[string]bool{}
	for _, vm := range all[kubevirtv1.VirtualMachine](v.machines) {
		for i := range vm.Spec.DataVolumeTemplates {
			claims[vm.Spec.DataVolumeTemplates[i].Name] = true
		}
		if vm.Spec.Template != nil {
			addClaims(claims, vm.Spec.Template.Spec.Volumes)
		}
	}
	for _, instance := range all[kubevirtv1.VirtualMachineInstance](v.instances) {
		addClaims(claims, instance.Spec.Volumes)
	}
	return claims
}

func addClaims(claims map[string]bool, volumes []kubevirtv1.Volume) {
	for i := range volumes {
		if claim := claimOf(&volumes[i]); claim != "" {
			claims[claim] = true
		}
	}
}
