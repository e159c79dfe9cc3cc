package render

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/labels"
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
func (x *rendering) dataVolumeTemplates(g *guestData) []kubevirtv1.DataVolumeTemplateSpec {
	if x.Lifecycle.Strategy.Traits().Pooled {
		x.guestHash = g.hash()
	}
	var out []kubevirtv1.DataVolumeTemplateSpec
	for i := range x.Disks {
		d := &x.Disks[i]
		if d.Kind != machine.DiskDataVolume || d.Keep {
			continue
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
var ownedDataVolume = func() map[string]string {
	owned := maps.Clone(ownedMetadata)
	for path, key := range map[string]string{
		"sourceRef": "source", "pvc.dataSource": "source", "pvc.dataSourceRef": "source",
		"storage.dataSource": "source", "storage.dataSourceRef": "source",
		"storage.storageClassName": "storageClass", "storage.accessModes": "accessMode",
		"storage.volumeMode": "volumeMode", "storage.resources.requests": "size", "preallocation": "preallocation",
	} {
		owned["spec."+path] = "set `" + key + "` of the disk instead"
	}
	return owned
}()

// ownedTemplate is what no patch changes of a DataVolume that the VM owns, which nothing finds by its labels.
var ownedTemplate = func() map[string]string {
	owned := maps.Clone(ownedDataVolume)
	delete(owned, "metadata.labels.*")
	return owned
}()

// dataVolume returns the DataVolume of a disk with the user's patch applied.
func (x *rendering) dataVolume(d *machine.Disk, own, annotations map[string]string) *dataVolume {
	v := &dataVolume{Spec: x.dataVolumeSpec(d)}
	meta := &v.Metadata
	meta.Name, meta.Namespace, meta.Labels, meta.Annotations = d.Claim, x.Namespace, own, annotations
	x.checkDataVolume(d)
	if !d.DataVolume.IsSet() {
		return v
	}
	p := partPatch{
		over: d.DataVolume, key: "disks." + d.Name + ".dataVolume", owned: ownedTemplate, allowed: templateKind,
	}
	if d.Keep {
		p.owned = ownedDataVolume
	}
	out := patched(x, v, p)
	if !slices.Equal(contents(&v.Spec), contents(&out.Spec)) {
		x.diags.Errorf(d.DataVolume.Get("spec").Pos(), rule.Identity, x.path(p.key)+".spec.source",
			"must have no other kind of source; set `source` of the disk instead")
	}
	return out
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
	return mapOfPairs(x.templateDiskPairs(nil, d))
}

// templateDiskPairs appends the annotations of a disk that the VM owns, none for
// most. KubeVirt recreates the VMs of a pool if a template of a disk changes
// (virt-controller watch/pool/pool.go, isOutdatedVMI, v1.8.4), so that cloud-init runs
// with changed data. A strategy that deletes VMs does so for another version of the
// content, which is in no other field of the template.
func (x *rendering) templateDiskPairs(to []outcome.Pair, d *machine.Disk) []outcome.Pair {
	traits := x.Lifecycle.Strategy.Traits()
	if traits.DeletesVM {
		to = pair(to, labels.Version, d.Source.Version, "")
	}
	if !traits.Pooled || d.Name != values.RootDisk {
		return to
	}
	return pair(to, labels.UserData, x.guestHash, "")
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
	if d.StorageClass != "" {
		storage.StorageClassName = &d.StorageClass
	}
	if d.AccessMode != "" {
		storage.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.PersistentVolumeAccessMode(d.AccessMode)}
	}
	if d.VolumeMode != "" {
		storage.VolumeMode = new(corev1.PersistentVolumeMode(d.VolumeMode))
	}
	return storage
}

func (x *rendering) dataVolumeSpec(d *machine.Disk) cdiv1.DataVolumeSpec {
	spec := cdiv1.DataVolumeSpec{Storage: x.storageSpec(d), Preallocation: d.Preallocation}
	switch s := &d.Source; {
	case s.DataSource != "":
		spec.SourceRef = dataSourceRef(s.DataSource)
	case s.DataSourceRef.IsSet() && !d.PVC || s.VDDK.IsSet() || s.ImageIO.IsSet():
		x.foreignSource(d, &spec)
	default:
		spec.Source = dataVolumeSource(s)
		x.setPlatform(d, spec.Source)
	}
	return spec
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
	if s.Registry == nil || x.Arch == catalog.DefaultArch {
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

func dataSourceRef(text string) *cdiv1.DataVolumeSourceRef {
	namespace, name := splitReference(text)
	ref := &cdiv1.DataVolumeSourceRef{Kind: cdiv1.DataVolumeDataSource, Name: name}
	if namespace != "" {
		ref.Namespace = &namespace
	}
	return ref
}

func dataVolumeSource(s *catalog.Source) *cdiv1.DataVolumeSource {
	switch {
	case s.Registry != "":
		return &cdiv1.DataVolumeSource{Registry: &cdiv1.DataVolumeSourceRegistry{
			URL: &s.Registry, SecretRef: optional(s.Secret), CertConfigMap: optional(s.CertConfigMap),
		}}
	case s.HTTP != "":
		return &cdiv1.DataVolumeSource{HTTP: &cdiv1.DataVolumeSourceHTTP{
			URL: s.HTTP, SecretRef: s.Secret, CertConfigMap: s.CertConfigMap,
		}}
	case s.S3 != "":
		return &cdiv1.DataVolumeSource{S3: &cdiv1.DataVolumeSourceS3{
			URL: s.S3, SecretRef: s.Secret, CertConfigMap: s.CertConfigMap,
		}}
	case s.GCS != "":
		return &cdiv1.DataVolumeSource{GCS: &cdiv1.DataVolumeSourceGCS{URL: s.GCS, SecretRef: s.Secret}}
	case s.PVC != "":
		namespace, name := splitReference(s.PVC)
		return &cdiv1.DataVolumeSource{PVC: &cdiv1.DataVolumeSourcePVC{Namespace: namespace, Name: name}}
	case s.Snapshot != "":
		namespace, name := splitReference(s.Snapshot)
		return &cdiv1.DataVolumeSource{Snapshot: &cdiv1.DataVolumeSourceSnapshot{Namespace: namespace, Name: name}}
	case s.Upload:
		return &cdiv1.DataVolumeSource{Upload: &cdiv1.DataVolumeSourceUpload{}}
	}
	return &cdiv1.DataVolumeSource{Blank: &cdiv1.DataVolumeBlankImage{}}
}

// splitReference splits "namespace/name"; the namespace may be missing.
func splitReference(text string) (namespace, name string) {
	if namespace, name, ok := strings.Cut(text, "/"); ok {
		return namespace, name
	}
	return "", text
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// capacity returns the size of a scratch disk, which has no source to take a size
// from: it is an error if it is unset.
func (x *rendering) capacity(d *machine.Disk) resource.Quantity {
	if d.Size == "" {
		x.diags.Errorf(d.Pos, rule.MissingKey, x.path("disks."+d.Name+".size"),
			"missing size; expected a quantity such as \"10Gi\"")
	}
	return quantity(d.Size)
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
			ObjectMeta: x.objectMeta(d.Claim, x.syncAnnotations(growth)),
			Spec:       corev1.PersistentVolumeClaimSpec{Resources: x.storage(d.ExpandTo)},
		})
	}
	return objects
}
