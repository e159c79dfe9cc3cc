package render

import (
	"maps"
	"reflect"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/cloudinit"
	"github.com/vmrender/vmrender/pkg/keys"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/lifecycle"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/outcome"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

// appendDataVolumes appends the DataVolumes that survive the VM.
func (x *rendering) appendDataVolumes(objects []runtime.Object) []runtime.Object {
	for i := range x.Disks {
		d := &x.Disks[i]
		if d.Kind != machine.DiskDataVolume || !d.Keep {
			continue
		}
		v := x.dataVolume(d, x.owned, x.diskAnnotations())
		meta := x.objectMeta(d.Claim, v.Metadata.Annotations)
		meta.Labels = v.Metadata.Labels
		objects = append(objects, &cdiv1.DataVolume{
			TypeMeta:   metav1.TypeMeta{APIVersion: "cdi.kubevirt.io/v1beta1", Kind: "DataVolume"},
			ObjectMeta: meta,
			Spec:       v.Spec,
		})
	}
	return objects
}

// dataVolumeTemplates returns the disks that the VM owns. A rollout finds the disks
// of earlier revisions by their labels.
func (x *rendering) dataVolumeTemplates(g *keys.GuestData) []kubevirtv1.DataVolumeTemplateSpec {
	if x.Lifecycle.Strategy.Traits().Pooled {
		x.guestHash = cloudinit.Hash(g)
	}
	var out []kubevirtv1.DataVolumeTemplateSpec
	for i := range x.Disks {
		d := &x.Disks[i]
		if d.Kind != machine.DiskDataVolume || d.Keep {
			continue
		}
		if out == nil { // templates are large, and most VMs have two
			out = make([]kubevirtv1.DataVolumeTemplateSpec, 0, len(x.Disks)-i)
		}
		v := x.dataVolume(d, x.diskLabels(d), x.templateDiskAnnotations(d))
		meta := metav1.ObjectMeta{Name: d.Claim, Labels: v.Metadata.Labels, Annotations: v.Metadata.Annotations}
		if d.DataVolume.Get("metadata", "namespace").IsSet() { // which is the VM's, as in exports of older consoles
			meta.Namespace = x.Namespace
		}
		out = append(out, kubevirtv1.DataVolumeTemplateSpec{TypeMeta: v.TypeMeta, ObjectMeta: meta, Spec: v.Spec})
	}
	return out
}

// dataVolume is what users patch of a DataVolume, or of its template.
type dataVolume struct {
	metav1.TypeMeta `json:",inline"`

	Metadata struct {
		Name        string            `json:"name"`
		Namespace   string            `json:"namespace"`
		Labels      map[string]string `json:"labels,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	} `json:"metadata"`
	Spec cdiv1.DataVolumeSpec `json:"spec"`
}

// ownedDataVolume is what no patch on a DataVolume changes: what has a key of its own, which is checked there.
var ownedDataVolume = sync.OnceValue(func() map[string]string {
	owned := maps.Clone(ownedMetadata)
	for path, instead := range keys.DataVolume.Owned() {
		owned["spec."+path] = instead
	}
	for path, instead := range keys.Storage.Owned() {
		owned["spec.storage."+path] = instead
	}
	return owned
})

// ownedTemplate is what no patch changes of a DataVolume that the VM owns, which nothing finds by its labels.
var ownedTemplate = sync.OnceValue(func() map[string]string {
	owned := maps.Clone(ownedDataVolume())
	delete(owned, "metadata.labels.*")
	return owned
})

// dataVolume returns the DataVolume of a disk with the user's patch applied.
func (x *rendering) dataVolume(d *machine.Disk, own, annotations map[string]string) *dataVolume {
	v := new(dataVolume)
	x.setDataVolume(&v.Spec, d)
	meta := &v.Metadata
	meta.Name, meta.Namespace, meta.Labels, meta.Annotations = d.Claim, x.Namespace, own, annotations
	x.checkDataVolume(d)
	if !d.DataVolume.IsSet() {
		meta.Labels = withDiskLabels(own, d)
		return v
	}
	p := partPatch{
		over: d.DataVolume, key: "disks." + d.Name + ".dataVolume", owned: ownedTemplate(), allowed: templateKind,
	}
	if d.Keep {
		p.owned = ownedDataVolume()
	}
	out := patched(x, v, p)
	out.Metadata.Labels = withDiskLabels(out.Metadata.Labels, d)
	if !slices.Equal(contents(&v.Spec), contents(&out.Spec)) {
		x.diags.Errorf(d.DataVolume.Get("spec").Pos(), rule.Identity, x.path(p.key)+".spec.source",
			"must have no other kind of source; set `source` of the disk instead")
	}
	return out
}

// withDiskLabels returns labels of a DataVolume with those that the keys of its disk set. A patch on the DataVolume
// wins over them: it is nearer to what is rendered.
func withDiskLabels(own map[string]string, d *machine.Disk) map[string]string {
	if len(d.Labels) == 0 {
		return own
	}
	return merged(d.Labels, own)
}

// templateKind are the type fields that templates of disks may contain. KubeVirt ignores both, and a
// DataVolume has them anyway.
var templateKind = map[string]string{"apiVersion": `"cdi.kubevirt.io/v1beta1"`, "kind": `"DataVolume"`}

// contents returns the kinds of source of a DataVolume: CDI accepts one.
func contents(s *cdiv1.DataVolumeSpec) []string {
	if s.Source == nil {
		return nil
	}
	var kinds []string
	for field, value := range reflect.ValueOf(s.Source).Elem().Fields() {
		if !value.IsNil() {
			kinds = append(kinds, field.Name)
		}
	}
	return kinds
}

// templateDiskAnnotations returns the annotations of a disk that the VM owns, or nil.
func (x *rendering) templateDiskAnnotations(d *machine.Disk) map[string]string {
	return outcome.MapOf(x.templateDiskPairs(nil, d))
}

// templateDiskPairs appends the annotations of a disk that the VM owns, none for
// most. KubeVirt recreates the VMs of a pool if a template of a disk changes
// (virt-controller watch/pool/pool.go, isOutdatedVMI, v1.8.4), so that cloud-init runs
// with changed data. A strategy that deletes VMs does so for another version of the
// content, which is in no other field of the template.
func (x *rendering) templateDiskPairs(to []outcome.Pair, d *machine.Disk) []outcome.Pair {
	traits := x.Lifecycle.Strategy.Traits()
	if traits.DeletesVM {
		to = outcome.AppendPair(to, labels.Version, d.Source.Version, "")
	}
	if !traits.Pooled || d.Name != values.RootDisk {
		return to
	}
	return outcome.AppendPair(to, labels.UserData, x.guestHash, "")
}

// storageSpec returns CDI's `storage`, or nil if the user's patch puts a `pvc` in its place. Otherwise it is what is
// rendered: CDI then adds the overhead of the file system, and takes unset modes from the StorageProfile of the class.
func (x *rendering) storageSpec(d *machine.Disk) *cdiv1.StorageSpec {
	if d.PVC {
		return nil
	}
	storage := &cdiv1.StorageSpec{}
	if d.Size != "" {
		storage.Resources = x.storage(d.Size)
	}
	keys.Storage.Set(storage, d)
	return storage
}

// setDataVolume writes what the DataVolume of a disk is filled with, and its claim.
func (x *rendering) setDataVolume(spec *cdiv1.DataVolumeSpec, d *machine.Disk) {
	spec.Storage = x.storageSpec(d)
	keys.DataVolume.Set(spec, d)
	s := &d.Source
	if s.DataSource == "" && (s.DataSourceRef.IsSet() && !d.PVC || s.VDDK.IsSet() || s.ImageIO.IsSet()) {
		x.foreignSource(d, spec)
		return
	}
	keys.SetContent(spec, s)
	x.setPlatform(d, spec.Source)
}

// foreignSource sets a source that the user writes in CDI's form.
func (x *rendering) foreignSource(d *machine.Disk, spec *cdiv1.DataVolumeSpec) {
	key := "disks." + d.Name + ".source."
	s := cdiv1.DataVolumeSource{}
	if spec.Storage != nil {
		x.decode(d.Source.DataSourceRef, &spec.Storage.DataSourceRef, key+"dataSourceRef")
	}
	x.decode(d.Source.VDDK, &s.VDDK, key+"vddk")
	x.decode(d.Source.ImageIO, &s.Imageio, key+"imageio")
	if s != (cdiv1.DataVolumeSource{}) {
		spec.Source = &s
	}
}

// setPlatform names the architecture of a container image, which CDI's importer otherwise takes from the node that it
// runs on (containerized-data-importer-api types.go, PlatformOptions). amd64 stays unset: CDI rejects the change of an
// existing DataVolume. It also stays unset if the target drops the field: Argo CD would find it missing in every sync.
func (x *rendering) setPlatform(d *machine.Disk, s *cdiv1.DataVolumeSource) {
	if s == nil || s.Registry == nil || x.Arch == catalog.DefaultArch {
		return
	}
	name := versions.RegistryPlatform
	if !d.Keep {
		name += versions.InTemplate
	}
	feature := versions.Named(name)
	if problem := x.Target.Missing(feature); problem != "" {
		x.diags.Warnf(d.Pos, rule.KubeVirtVersion, x.path("disks."+d.Name+".source"),
			"before %s %s, a container image is imported for the architecture of any node; "+
				"expected an image that is only for %s",
			feature.Product, feature.Since, x.Arch)
		return
	}
	s.Registry.Platform = &cdiv1.PlatformOptions{Architecture: x.Arch}
}

// appendGrowth appends a PersistentVolumeClaim with only the new size for each
// disk that grows. CDI rejects changes to a DataVolume
// (webhooks/datavolume-validate.go, v1.66), so the PVC itself must request the new
// size. With server-side apply, all its other fields stay CDI's.
func (x *rendering) appendGrowth(objects []runtime.Object) []runtime.Object {
	for i := range x.Disks {
		d := &x.Disks[i]
		if d.ExpandTo == "" || d.Claim == "" {
			continue
		}
		objects = append(objects, &corev1.PersistentVolumeClaim{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"},
			ObjectMeta: x.objectMeta(d.Claim, x.syncAnnotations(lifecycle.Growth)),
			Spec:       corev1.PersistentVolumeClaimSpec{Resources: x.storage(d.ExpandTo)},
		})
	}
	return objects
}
