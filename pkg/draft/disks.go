package draft

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// drives sets the disks in their order, and the directories of the cluster that the guest
// mounts. The root disk is the first, if it is a disk with content; a VM without one
// has `root: null`.
func (e *Entry) drives() {
	spec := e.Live.Spec()
	volumes := map[string]*kubevirtv1.Volume{}
	for i := range spec.Volumes {
		volumes[spec.Volumes[i].Name] = &spec.Volumes[i]
	}
	e.Disks = map[string]string{}
	disks, devices := node.Map{}, e.devices()
	if len(devices) == 0 || !isRoot(&devices[0], volumes[devices[0].Name]) {
		disks.Put(values.RootDisk, node.Null())
	}
	for i := range devices {
		d := &devices[i]
		if v := volumes[d.Name]; !e.isGuestDisk(d, v, i == len(devices)-1) {
			e.addDisk(&disks, d, v, i == 0 && disks.IsEmpty())
		}
	}
	if len(e.Disks) == 0 && len(devices) > 0 {
		e.override(pathDisks)
		e.override(PathVolumes)
	}
	if root := disks.Get(values.RootDisk); root != nil && root.Kind == source.Map && len(root.Fields) == 0 {
		disks.Remove(values.RootDisk)
	}
	e.Keys.Set("disks", disks.Node())
	e.filesystems(volumes)
}

// addDisk adds a disk under a key: its own name, except for the root disk.
func (e *Entry) addDisk(disks *node.Map, d *kubevirtv1.Disk, v *kubevirtv1.Volume, root bool) {
	key, named := d.Name, rootVolume
	if root {
		key = values.RootDisk
	} else if named = d.Name; key == rootVolume || key == values.RootDisk {
		key, named = "boot", ""
	}
	n := e.disk(d, v, key)
	if n == nil {
		return
	}
	if d.Name != named {
		n = node.From(n.Short("size"), "size")
		n.Fields = slices.Insert(n.Fields, 0, source.Field{Key: "name", Value: node.Value(d.Name)})
	}
	e.Disks[d.Name] = key
	disks.Put(key, n.Short("size"))
}

// isRoot reports whether a disk is one that a VM boots from, without looking at its
// content.
func isRoot(d *kubevirtv1.Disk, v *kubevirtv1.Volume) bool {
	return v != nil && targetOf(d).kind == "disk" &&
		(v.DataVolume != nil || v.PersistentVolumeClaim != nil || v.ContainerDisk != nil)
}

// devices returns the disks of the VM, and those that KubeVirt adds for volumes that
// have none (kubevirt/kubevirt v1.8.4, pkg/defaults/defaults.go, setDefaultVolumeDisk). An adopted VM with disks keeps
// its other volumes as they are.
func (e *Entry) devices() []kubevirtv1.Disk {
	spec := e.Live.Spec()
	out := slices.Clone(spec.Domain.Devices.Disks)
	if e.OS.Adopted && len(out) > 0 {
		return out
	}
	for i := range spec.Volumes {
		v := &spec.Volumes[i]
		isDisk := func(d kubevirtv1.Disk) bool { return d.Name == v.Name }
		isDirectory := func(f kubevirtv1.Filesystem) bool { return f.Name == v.Name }
		if slices.ContainsFunc(out, isDisk) || slices.ContainsFunc(spec.Domain.Devices.Filesystems, isDirectory) {
			continue
		}
		bus := kubevirtv1.DiskBus(e.diskBus("disk", isHotpluggable(v)))
		out = append(out, kubevirtv1.Disk{
			Name: v.Name, DiskDevice: kubevirtv1.DiskDevice{Disk: &kubevirtv1.DiskTarget{Bus: bus}},
		})
	}
	return out
}

func isHotpluggable(v *kubevirtv1.Volume) bool {
	return v.DataVolume != nil && v.DataVolume.Hotpluggable ||
		v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.Hotpluggable
}

// isGuestDisk reports whether a disk is the one that package render creates for cloud-init
// or for the answer file by itself: the last, with the name and the bus of ours.
func (e *Entry) isGuestDisk(d *kubevirtv1.Disk, v *kubevirtv1.Volume, last bool) bool {
	if v == nil || !last {
		return false
	}
	want := kubevirtv1.Disk{Name: d.Name}
	switch {
	case v.CloudInitNoCloud != nil || v.CloudInitConfigDrive != nil:
		want.Name = "cloudinitdisk"
		want.Disk = &kubevirtv1.DiskTarget{Bus: kubevirtv1.DiskBus(e.diskBus("disk", false))}
	case v.Sysprep != nil:
		want.Name = "sysprep"
		want.CDRom = &kubevirtv1.CDRomTarget{Bus: kubevirtv1.DiskBus(e.diskBus("cdrom", false))}
	}
	return node.Value(want).Equal(node.Value(d))
}

// disk returns one disk, or nil if no key expresses its volume.
func (e *Entry) disk(d *kubevirtv1.Disk, v *kubevirtv1.Volume, key string) *node.Map {
	n := node.Map{}
	target := targetOf(d)
	if target.kind != "disk" {
		n.Set("type", target.kind)
	}
	if v == nil {
		n.Put("ejected", node.Bool(true))
	} else {
		from := node.Map{}
		if e.volume(&n, &from, v, key); from.IsEmpty() && !e.isOwned(v) {
			return nil
		}
		n.Set("source", ShortSource(&from))
		n.Set("hotpluggable", isHotpluggable(v))
	}
	if target.bus != e.diskBus(target.kind, v != nil && isHotpluggable(v)) {
		n.Set("bus", target.bus)
	}
	n.Set("bootOrder", pointed(d.BootOrder))
	n.Set("cache", string(d.Cache))
	n.Set("io", string(d.IO))
	n.Set("serial", d.Serial)
	n.Set("readOnly", target.readOnly)
	n.Set("shareable", d.Shareable)
	return &n
}

// target is a disk as the guest sees it.
type target struct {
	kind, bus string
	readOnly  bool
}

func targetOf(d *kubevirtv1.Disk) target {
	switch {
	case d.CDRom != nil:
		return target{"cdrom", string(d.CDRom.Bus), false}
	case d.LUN != nil:
		return target{"lun", string(d.LUN.Bus), d.LUN.ReadOnly}
	case d.Disk != nil:
		return target{"disk", string(d.Disk.Bus), d.Disk.ReadOnly}
	}
	return target{kind: "disk"}
}

// diskBus returns the bus of disks that name none.
func (e *Entry) diskBus(kind string, hotpluggable bool) string {
	switch {
	case e.Preferred():
		return ""
	case hotpluggable && kind == "disk":
		return "scsi"
	case kind == "cdrom":
		return cmp.Or(e.OS.CDROMBus, "sata")
	}
	return cmp.Or(e.OS.DiskBus, "virtio")
}

// volume sets the source of a disk. Nothing is set for volumes that no key expresses.
func (e *Entry) volume(n, from *node.Map, v *kubevirtv1.Volume, key string) {
	switch s := &v.VolumeSource; {
	case s.DataVolume != nil:
		if t := e.template(s.DataVolume.Name); t != nil {
			e.owned(n, from, key, t)
		} else {
			from.Set("dataVolume", s.DataVolume.Name)
		}
	case s.PersistentVolumeClaim != nil:
		from.Set("claim", s.PersistentVolumeClaim.ClaimName)
	case s.ContainerDisk != nil:
		from.Set("containerDisk", s.ContainerDisk.Image)
		from.Set("secret", s.ContainerDisk.ImagePullSecret)
		from.Set("pullPolicy", string(s.ContainerDisk.ImagePullPolicy))
		from.Set("path", s.ContainerDisk.Path)
	case s.EmptyDisk != nil:
		n.Set("size", s.EmptyDisk.Capacity.String())
		from.Set("emptyDisk", true)
	case s.ConfigMap != nil:
		from.Set("configMap", s.ConfigMap.Name)
		from.Set("volumeLabel", s.ConfigMap.VolumeLabel)
	case s.Secret != nil:
		from.Set("secret", s.Secret.SecretName)
		from.Set("volumeLabel", s.Secret.VolumeLabel)
	case s.ServiceAccount != nil:
		from.Set("serviceAccount", s.ServiceAccount.ServiceAccountName)
	case s.DownwardMetrics != nil:
		from.Set("downwardMetrics", true)
	case s.CloudInitNoCloud != nil || s.CloudInitConfigDrive != nil:
		from.Set("cloudInit", true)
	case s.Sysprep != nil:
		from.Set("sysprep", true)
	}
}

// ShortSource returns the `source` of a disk, in its short form "blank" if it is an empty disk.
func ShortSource(from *node.Map) *source.Node {
	if len(from.Fields) == 1 && from.Fields[0].Key == "blank" {
		return &source.Node{Kind: source.String, Text: "blank"}
	}
	return from.Node()
}

// template returns the template of a DataVolume that the VM owns, or nil.
func (e *Entry) template(name string) *kubevirtv1.DataVolumeTemplateSpec {
	for i := range e.Live.VM.Spec.DataVolumeTemplates {
		if t := &e.Live.VM.Spec.DataVolumeTemplates[i]; t.Name == name {
			return t
		}
	}
	return nil
}

// isOwned reports whether the VM owns the DataVolume of a volume.
func (e *Entry) isOwned(v *kubevirtv1.Volume) bool {
	return v.DataVolume != nil && e.template(v.DataVolume.Name) != nil
}

// owned sets a disk that dies with its VM: the values that its DataVolume was created with.
func (e *Entry) owned(n, from *node.Map, key string, t *kubevirtv1.DataVolumeTemplateSpec) {
	n.Put("keep", node.Bool(false))
	if t.Name != claimName(e.Live.Name, key) {
		n.Set("claimName", t.Name)
	}
	contentOf(from, &t.Spec)
	s := t.Spec.Storage
	if s == nil {
		e.oldTemplate(n, t)
		return
	}
	if size, ok := s.Resources.Requests[corev1.ResourceStorage]; ok {
		if text := size.String(); key != values.RootDisk || !e.isRootSize(text, from) {
			n.Set("size", text)
		}
	} else if key == values.RootDisk && e.OS.RootSize != "" {
		n.Put("size", node.Null())
	}
	if s.StorageClassName != nil {
		n.Set("storageClass", *s.StorageClassName)
	}
	if len(s.AccessModes) == 1 {
		n.Set("accessMode", string(s.AccessModes[0]))
	}
	if s.VolumeMode != nil {
		n.Set("volumeMode", string(*s.VolumeMode))
	}
	n.Set("preallocation", t.Spec.Preallocation)
	if key == values.RootDisk && e.isImage(from) {
		from.Fields = nil
	}
}

// claimName returns the name that a disk's DataVolume has by itself.
func claimName(vm, key string) string {
	if key == values.RootDisk {
		return vm
	}
	return vm + "-" + key
}

// isImage reports whether a source is the image of the operating system's entry.
func (e *Entry) isImage(from *node.Map) bool {
	return !from.IsEmpty() && from.Node().Equal(e.OS.Node.Get("image"))
}

// isRootSize reports whether a size is that of the operating system's entry.
func (e *Entry) isRootSize(size string, from *node.Map) bool {
	return e.isImage(from) && sameSize(e.OS.RootSize, size)
}

// oldTemplate sets a DataVolume with a claim as it is written, in the place of CDI's
// storage.
func (e *Entry) oldTemplate(n *node.Map, t *kubevirtv1.DataVolumeTemplateSpec) {
	n.Put("dataVolume", node.Of(tree{"spec": tree{"pvc": treeOf(t.Spec.PVC)}}))
	n.Set("preallocation", t.Spec.Preallocation)
}

// treeOf returns a value with a form in JSON as a tree.
func treeOf(v any) tree {
	text, err := manifest.Encode(nil, v)
	if err != nil {
		return nil
	}
	return manifest.Decode(text)
}

// contentOf sets where the content of a DataVolume comes from.
func contentOf(from *node.Map, s *cdiv1.DataVolumeSpec) {
	if r := s.SourceRef; r != nil {
		namespace := ""
		if r.Namespace != nil {
			namespace = *r.Namespace + "/"
		}
		from.Set("dataSource", namespace+r.Name)
	}
	if s.Storage != nil && s.Storage.DataSourceRef != nil {
		from.Set("dataSourceRef", s.Storage.DataSourceRef)
	}
	if s.Source == nil {
		return
	}
	switch c := s.Source; {
	case c.Registry != nil:
		from.Set("registry", orEmpty(c.Registry.URL))
		from.Set("secret", orEmpty(c.Registry.SecretRef))
		from.Set("certConfigMap", orEmpty(c.Registry.CertConfigMap))
	case c.HTTP != nil:
		from.Set("http", c.HTTP.URL)
		from.Set("secret", c.HTTP.SecretRef)
		from.Set("certConfigMap", c.HTTP.CertConfigMap)
	case c.S3 != nil:
		from.Set("s3", c.S3.URL)
		from.Set("secret", c.S3.SecretRef)
		from.Set("certConfigMap", c.S3.CertConfigMap)
	case c.GCS != nil:
		from.Set("gcs", c.GCS.URL)
		from.Set("secret", c.GCS.SecretRef)
	case c.PVC != nil:
		from.Set("pvc", slashed(c.PVC.Namespace, c.PVC.Name))
	case c.Snapshot != nil:
		from.Set("snapshot", slashed(c.Snapshot.Namespace, c.Snapshot.Name))
	case c.Upload != nil:
		from.Set("upload", true)
	case c.Blank != nil:
		from.Set("blank", true)
	case c.VDDK != nil:
		from.Set("vddk", c.VDDK)
	case c.Imageio != nil:
		from.Set("imageio", c.Imageio)
	}
}

// slashed returns namespace/name, or the name alone.
func slashed(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// orEmpty returns the string that a pointer points to, or "" for nil.
func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// filesystems sets the directories of the cluster that the guest mounts.
func (e *Entry) filesystems(volumes map[string]*kubevirtv1.Volume) {
	all := node.Map{}
	for _, f := range e.Live.Spec().Domain.Devices.Filesystems {
		v, n := volumes[f.Name], node.Map{}
		switch {
		case v == nil:
		case v.PersistentVolumeClaim != nil:
			n.Set("claim", v.PersistentVolumeClaim.ClaimName)
		case v.ConfigMap != nil:
			n.Set("configMap", v.ConfigMap.Name)
		case v.Secret != nil:
			n.Set("secret", v.Secret.SecretName)
		case v.ServiceAccount != nil:
			n.Set("serviceAccount", v.ServiceAccount.ServiceAccountName)
		}
		all.Set(f.Name, n.Node())
	}
	e.Keys.Set("filesystems", all.Node())
}
