package drill

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// claim is a claim of a VM, with all that backups and replications select it by.
type claim struct {
	namespace, name string
	object          manifest.Tree // the claim or its DataVolume: in the cluster, or else in Git
	labels          manifest.Tree
	vm              *vm // nil if it is of no VM
}

// claimIn returns a claim of a namespace, which is of no VM. CDI gives a claim the labels of its DataVolume (v1.66,
// pkg/controller/datavolume/controller-base.go, newPersistentVolumeClaim).
func (d *driller) claimIn(namespace, name string) *claim {
	c := &claim{namespace: namespace, name: name}
	for _, state := range []*cluster.State{d.Live, d.git} {
		for _, kind := range []string{cluster.KindClaim, cluster.KindDataVolume} {
			if object := state.Get(kind, namespace, name); object != nil && c.object == nil {
				c.object = object
			}
		}
	}
	c.labels = labelsOf(c.object)
	return c
}

// labelsOf returns the labels of an object.
func labelsOf(object manifest.Tree) manifest.Tree {
	return tree(manifest.At(object, "metadata", "labels"))
}

// claimOf returns a claim of a VM.
func (d *driller) claimOf(v *vm, name string) *claim {
	c := d.claimIn(v.id.Namespace, name)
	c.vm = v
	if template := manifest.At(v.is(), "spec", "dataVolumeTemplates", "["+name+"]"); c.object == nil && template != nil {
		c.object = tree(template)
		c.labels = labelsOf(c.object)
	}
	return c
}

// id returns the identity of the claim.
func (c *claim) id() manifest.ID { return idOf(cluster.KindClaim, c.namespace, c.name) }

// size returns the size of a claim in brackets, or "".
func (c *claim) size() string {
	for _, path := range []string{
		"status.capacity", "spec.resources.requests", "spec.storage.resources.requests",
		"spec.pvc.resources.requests",
	} {
		if size := manifest.Text(c.object, append(strings.Split(path, "."), "storage")...); size != "" {
			return " (" + size + ")"
		}
	}
	return ""
}

// diskLosses returns the disks of a VM that a rebuild has without their content, or not at all. A disk whose content a
// backup or replica keeps does not need its image.
func (d *driller) diskLosses(v *vm) []Loss {
	var out []Loss
	names := world.Claims(world.Spec(v.becomes()))
	for _, name := range world.Claims(world.Spec(v.is())) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		for _, l := range d.diskLoss(v, d.claimOf(v, name)) {
			l.Disk = name
			out = append(out, l)
		}
	}
	return out
}

// diskLoss returns the losses of one disk.
func (d *driller) diskLoss(v *vm, c *claim) []Loss {
	saved := d.saved(c)
	if saved.is == cluster.Yes {
		d.kept[saved.by]++
		return nil
	}
	var out []Loss
	content, exists := d.contentOf(v, c.name), d.exists(c)
	switch {
	case content == nil && exists == cluster.No:
		return []Loss{{Kind: Disk, Object: c.id(), Reason: c.name + ": neither Git nor the cluster has the claim"}}
	case content == nil:
		out = append(out, c.lost("Git does not render the claim, and "+saved.why, saved.unknown))
	case exists != cluster.No && !v.refills(c):
		unknown := saved.unknown
		if exists == cluster.Unknown {
			unknown = append(slices.Clone(unknown), "whether the disk exists: the state in the cluster has no disks of "+
				c.namespace)
		}
		out = append(out, c.lost(saved.why, unknown))
	}
	return append(out, d.imageLosses(c.namespace, content)...)
}

// lost returns the loss of the content of a disk.
func (c *claim) lost(why string, unknown []string) Loss {
	return Loss{Kind: Disk, Object: c.id(), Reason: c.name + c.size() + ": " + why, Unknown: unknown}
}

// exists reports whether a disk is in the cluster.
func (d *driller) exists(c *claim) cluster.Truth {
	switch {
	case d.Live.Disk(c.namespace, c.name) != nil:
		return cluster.Yes
	case d.isWhole, d.Live.Covers("cdi.kubevirt.io", "DataVolume", c.namespace), d.hasClaims(c.namespace):
		return cluster.No
	}
	return cluster.Unknown
}

// hasClaims reports whether the state in the cluster has the claims of a namespace.
func (d *driller) hasClaims(namespace string) bool {
	return d.isWhole || d.Live.Covers("", cluster.KindClaim, namespace)
}

// refills reports whether the content of a disk in Git is all that it has: the VM only reads it, or it is a disk of
// cattle that goes with the VM.
func (v *vm) refills(c *claim) bool {
	spec := world.Spec(v.git)
	for _, volume := range manifest.List(spec, "volumes") {
		if world.ClaimOf(volume) == c.name && world.IsReadOnly(spec, volume) {
			return true
		}
	}
	isTemplate := manifest.At(v.git, "spec", "dataVolumeTemplates", "["+c.name+"]") != nil
	return v.isDisposable && (isTemplate || isRoot(c.object))
}

// isRoot reports whether a disk is one that a rollout replaces.
func isRoot(disk manifest.Tree) bool {
	return manifest.Text(disk, "metadata", "labels", labels.Disk) == labels.RootDisk ||
		cluster.Annotation(disk, labels.Version) != ""
}

// stateLabel is the label of the claim with the state of the TPM and EFI of a VM: its value is the name of the VM
// (KubeVirt v1.9.0, pkg/storage/backend-storage/backend-storage.go, PVCPrefix).
const stateLabel = "persistent-state-for"

// stateLosses returns the state of the TPM and of EFI of a VM if no backup or replica keeps it.
func (d *driller) stateLosses(v *vm) []Loss {
	what := v.state()
	if what == "" || v.isDisposable || v.isKnownMissing {
		return nil
	}
	claims := d.stateClaims(v)
	var unknown []string
	if len(claims) == 0 {
		if d.hasClaims(v.id.Namespace) {
			return nil // the VM has never run with it
		}
		c := d.claimOf(v, stateLabel+"-"+v.id.Name)
		c.labels = manifest.Tree{stateLabel: v.id.Name}
		claims = []*claim{c}
		unknown = []string{"whether there is a state: the state in the cluster has no claims of " + v.id.Namespace}
	}
	var out []Loss
	for _, c := range claims {
		saved := d.saved(c)
		if saved.is == cluster.Yes {
			d.kept[saved.by]++
			continue
		}
		out = append(out, Loss{
			Kind: State, Object: c.id(), Disk: c.name, Reason: what + " in " + c.name + ": " + saved.why,
			Unknown: slices.Concat(saved.unknown, unknown),
		})
	}
	return out
}

// state returns what KubeVirt keeps of a VM, for users. A preference can add the devices to the instance alone.
func (v *vm) state() string {
	s := world.StateOf(world.Spec(v.is()))
	also := world.StateOf(manifest.At(v.instance, "spec"))
	var parts []string
	if s.TPM || also.TPM {
		parts = append(parts, "the state of the TPM")
	}
	if s.EFI || also.EFI {
		parts = append(parts, "the variables of EFI")
	}
	return strings.Join(parts, " and ")
}

// stateClaims returns the claims with the state of a VM. Up to KubeVirt 1.3, they have no label, and a name without a
// random end.
func (d *driller) stateClaims(v *vm) []*claim {
	var out []*claim
	for _, e := range d.Live.Of(cluster.KindClaim, v.id.Namespace) {
		if manifest.Text(e.Object, "metadata", "labels", stateLabel) == v.id.Name || e.ID.Name == stateLabel+"-"+v.id.Name {
			out = append(out, d.claimOf(v, e.ID.Name))
		}
	}
	return out
}
