package draft

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/keys"
	"github.com/vmrender/vmrender/pkg/labels"
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
	return v != nil && keys.TypeOf(d) == "disk" && (v.DataVolume != nil || v.PersistentVolumeClaim != nil ||
		v.ContainerDisk != nil || v.Ephemeral != nil || v.HostDisk != nil)
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
		bus := kubevirtv1.DiskBus(e.OS.BusOfDisk("disk", keys.IsHotpluggable(v), e.Preferred()))
		out = append(out, kubevirtv1.Disk{
			Name: v.Name, DiskDevice: kubevirtv1.DiskDevice{Disk: &kubevirtv1.DiskTarget{Bus: bus}},
		})
	}
	return out
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
		want.Disk = &kubevirtv1.DiskTarget{Bus: kubevirtv1.DiskBus(e.OS.BusOfDisk("disk", false, e.Preferred()))}
	case v.Sysprep != nil:
		want.Name = "sysprep"
		want.CDRom = &kubevirtv1.CDRomTarget{Bus: kubevirtv1.DiskBus(e.OS.BusOfDisk("cdrom", false, e.Preferred()))}
	}
	return node.Value(want).Equal(node.Value(d))
}

// disk returns one disk, or nil if no key expresses its volume.
func (e *Entry) disk(d *kubevirtv1.Disk, v *kubevirtv1.Volume, key string) *node.Map {
	n, device, in := node.Map{}, node.Map{}, e.inherited()
	in.Hotpluggable = v != nil && keys.IsHotpluggable(v)
	keys.Disk.Get(&device, d, in)
	n.Replace("type", device.Get("type"))
	if v == nil {
		n.Put("ejected", node.Bool(true))
	} else {
		from := node.Map{}
		if e.volume(&n, &from, v, key); from.IsEmpty() && !e.isOwned(v) {
			return nil
		}
		n.Set("source", ShortSource(&from))
		n.Set("hotpluggable", in.Hotpluggable)
	}
	for _, f := range device.Fields {
		n.Put(f.Key, f.Value)
	}
	return &n
}

// volume sets the source of a disk. Nothing is set for volumes that no key expresses.
func (e *Entry) volume(n, from *node.Map, v *kubevirtv1.Volume, key string) {
	if v.DataVolume != nil {
		if t := e.template(v.DataVolume.Name); t != nil {
			e.owned(n, from, key, t)
			return
		}
	}
	keys.GetVolume(n, from, &v.VolumeSource)
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
	keys.GetContent(from, &t.Spec)
	n.Set("labels", texts(ownLabels(t.Labels)))
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
	keys.Storage.Get(n, s, e.inherited())
	keys.DataVolume.Get(n, &t.Spec, e.inherited())
	if key == values.RootDisk && e.isImage(from) {
		from.Fields = nil
	}
}

// ownLabels returns the labels of a disk that a key can set: those that vmrender does not set itself.
func ownLabels(all map[string]string) map[string]string {
	own := maps.Clone(all)
	maps.DeleteFunc(own, func(k, _ string) bool {
		return labels.IsReserved(k) || k == labels.ManagedBy || k == labels.App
	})
	return own
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
	keys.DataVolume.Get(n, &t.Spec, e.inherited())
}

// treeOf returns a value with a form in JSON as a tree.
func treeOf(v any) tree {
	text, err := manifest.Encode(nil, v)
	if err != nil {
		return nil
	}
	return manifest.Decode(text)
}

// filesystems sets the directories of the cluster that the guest mounts.
func (e *Entry) filesystems(volumes map[string]*kubevirtv1.Volume) {
	all := node.Map{}
	for _, f := range e.Live.Spec().Domain.Devices.Filesystems {
		n := node.Map{}
		if v := volumes[f.Name]; v != nil {
			keys.GetFilesystem(&n, &v.VolumeSource)
		}
		all.Set(f.Name, n.Node())
	}
	e.Keys.Set("filesystems", all.Node())
}
