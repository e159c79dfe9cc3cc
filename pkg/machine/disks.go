package machine

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// rootVolume is the name of the root disk's volume.
const rootVolume = "rootdisk"

// reservedVolumes are the volume names that vmrender itself uses.
var reservedVolumes = map[string]string{
	rootVolume: "the root disk", "cloudinitdisk": "cloud-init", "sysprep": "the answer file",
	driversDisk: "the drivers",
}

// disks returns the disks, root first if there is one, then in the order written.
func (d *draft) disks() []Disk {
	names := d.diskNames()
	disks := make([]Disk, 0, len(names))
	for _, name := range names {
		if disk := d.vm.Disks[name]; disk != nil {
			disks = append(disks, d.disk(name, disk))
		}
	}
	return append(disks, d.drivers()...)
}

// diskNames returns the keys of `disks`, root first, then in the order written.
func (d *draft) diskNames() []string {
	disks := d.entry.Keys.Get("disks").Entries()
	names := make([]string, 0, len(disks))
	for _, f := range disks {
		names = append(names, f.Key)
	}
	if i := slices.Index(names, values.RootDisk); i > 0 {
		copy(names[1:i+1], names[:i])
		names[0] = values.RootDisk
	}
	return names
}

// checkBoot reports a VM without a root disk, if there is nothing else to boot from: another disk, a NIC in the boot
// order, or what is patched, such as `kernelBoot`.
func (d *draft) checkBoot(m *Machine) {
	inOrder := func(n NIC) bool { return n.BootOrder != nil }
	inserted := func(disk Disk) bool { return disk.Kind != DiskEjected }
	if d.vm.Disks[values.RootDisk] != nil || slices.ContainsFunc(m.Disks, inserted) ||
		slices.ContainsFunc(m.NICs, inOrder) || len(m.Patches) > 0 || d.bootsKernel(m) {
		return
	}
	d.errorf(d.entry.KeyAt("disks", values.RootDisk), rule.NoRoot, "disks."+values.RootDisk,
		"the disk is removed, and nothing else is there to boot from; set `bootOrder` of a NIC (PXE), "+
			"or `overrides` with `firmware.kernelBoot`")
}

// bootsKernel reports whether an override sets a kernel that the VM boots.
func (d *draft) bootsKernel(m *Machine) bool {
	return slices.ContainsFunc(m.Overrides, func(o *source.Node) bool {
		return o.Get("spec", "template", "spec", "domain", "firmware", "kernelBoot").IsSet()
	})
}

func (d *draft) disk(name string, in *values.Disk) Disk {
	out := Disk{
		Name: name, Volume: name, Size: in.Size, Bus: in.Bus, Type: cmp.Or(in.Type, "disk"), BootOrder: in.BootOrder,
		Cache: in.Cache, IO: in.IO, Serial: in.Serial, ReadOnly: isTrue(in.ReadOnly), Shareable: isTrue(in.Shareable),
		Hotpluggable: isTrue(in.Hotpluggable), Preallocation: in.Preallocation, ExpandTo: in.ExpandTo,
		Pos: d.entry.At("disks", name), Overrides: in.Overrides, DataVolume: in.DataVolume,
	}
	if name == values.RootDisk {
		out.Volume = rootVolume
	}
	if in.Revision != nil {
		out.Revision = *in.Revision
	}
	d.checkDiskName(name)
	out.Source, out.Kind = d.diskSource(name, in)
	if isClone(&out.Source) && d.entry.FromOS("disks", name, "size") && !d.entry.FromOS("disks", name, "source") {
		out.Size = "" // the operating system's is that of its own image
	}
	d.diskClass(&out, in)
	d.diskBus(&out)
	out.Keep = d.keeps(name, in)
	d.diskClaim(&out)
	d.checkDisk(&out)
	return out
}

func (d *draft) checkDiskName(name string) {
	if problem := values.NameProblem(name); problem != "" {
		d.errorf(d.entry.KeyAt("disks", name), rule.BadName, "disks."+name, "%s", problem)
	} else if of, ok := reservedVolumes[name]; ok {
		d.errorf(d.entry.KeyAt("disks", name), rule.BadName, "disks."+name,
			"%q is the volume of %s; choose another name", name, of)
	}
}

// diskSource returns the source of a disk, and the kind of volume that
// provides it to the VM.
func (d *draft) diskSource(name string, in *values.Disk) (catalog.Source, DiskKind) {
	if isTrue(in.Ejected) {
		if in.Type != "cdrom" {
			d.errorf(d.entry.At("disks", name, "ejected"), rule.Conflict, "disks."+name+".ejected",
				"only a CD-ROM can be ejected; set `type: cdrom` as well")
		}
		return catalog.Source{}, DiskEjected
	}
	var src catalog.Source
	if in.Source != nil {
		src = catalog.Source(*in.Source)
		d.checkCredentials(name, &src)
	}
	src = d.namedImage(name, src)
	d.checkSource(name, &src)
	if kinds := src.Kinds(); len(kinds) > 0 {
		return src, diskKinds[kinds[0]]
	}
	return src, DiskDataVolume
}

// diskKinds maps the sources that CDI does not fill to the kinds of their disks.
var diskKinds = map[string]DiskKind{
	"claim": DiskClaim, "containerDisk": DiskContainerDisk, "emptyDisk": DiskEmpty,
	"configMap": DiskFiles, "secret": DiskFiles, "serviceAccount": DiskFiles, "downwardMetrics": DiskFiles,
}

// namedImage replaces `image: NAME` by the source in the catalog. A version
// next to the name overrides that of the catalog.
func (d *draft) namedImage(disk string, src catalog.Source) catalog.Source {
	if src.Image == "" {
		return src
	}
	img := d.site.Catalog.Image(src.Image)
	if img == nil {
		written := d.entry.Keys.Get("disks", disk, "source", "image")
		d.reportUnknown(written, ".disks."+disk+".source.image", "image", "images")
		return src
	}
	out := *img
	out.Version = cmp.Or(src.Version, out.Version)
	out.Secret = cmp.Or(src.Secret, out.Secret)
	out.CertConfigMap = cmp.Or(src.CertConfigMap, out.CertConfigMap)
	out.PullPolicy, out.Path = cmp.Or(src.PullPolicy, out.PullPolicy), cmp.Or(src.Path, out.Path)
	out.VolumeLabel = cmp.Or(src.VolumeLabel, out.VolumeLabel)
	return out
}

func (d *draft) checkSource(disk string, src *catalog.Source) {
	path := "disks." + disk
	kinds := src.Kinds()
	switch {
	case len(kinds) > 1:
		d.errorf(d.lastOf(d.entry.Keys.Get("disks", disk, "source"), kinds), rule.Conflict, path+".source",
			"got %s; expected exactly one source", strings.Join(kinds, " and "))
	case len(kinds) == 0 && disk == values.RootDisk:
		d.errorf(d.entry.KeyAt("disks", disk), rule.MissingKey, path+".source",
			"%s has no image of its own%s; name the `source` of the root disk", d.entry.OS.Name, d.ownImageWhere())
	case len(kinds) == 0:
		src.Blank = true
	case catalog.IsBootSource(src) && d.site.Target.Plain():
		d.errorf(d.entry.At("disks", disk, "source", "dataSource"), rule.BadSource, path+".source.dataSource",
			"%q exists on OpenShift only; name an image that the cluster has, such as a `registry`", src.DataSource)
	}
	for _, problem := range src.Problems() {
		d.errorf(d.entry.At("disks", disk, "source", problem.Key), rule.BadSource, path+".source."+problem.Key,
			"%s", problem.Text)
	}
}

// checkCredentials reports credentials in the addresses of a source. Those in the
// catalog are reported where it is read.
func (d *draft) checkCredentials(disk string, src *catalog.Source) {
	for _, key := range src.Credentials() {
		d.reportInlineSecret(values.InlineCredentials, "disks", disk, "source", key)
	}
}

// ownImageWhere returns the place where the operating system has an image, if it has none on the cluster.
func (d *draft) ownImageWhere() string {
	switch {
	case d.site.Target.Plain():
		return " outside OpenShift"
	case d.entry.OS.Arch != catalog.DefaultArch:
		return " for " + d.entry.OS.Arch
	}
	return ""
}

// lastOf returns the position of the last of the given keys in a map.
func (d *draft) lastOf(n *source.Node, keys []string) source.Pos {
	last := d.entry.Pos
	for i := range n.Fields {
		if slices.Contains(keys, n.Fields[i].Key) {
			last = n.Fields[i].Pos()
		}
	}
	return last
}

// diskClass sets the storage class, whose modes are the defaults of the
// disk's.
func (d *draft) diskClass(out *Disk, in *values.Disk) {
	out.StorageClass, out.AccessMode, out.VolumeMode = in.StorageClass, in.AccessMode, in.VolumeMode
	if in.StorageClass == "" {
		return
	}
	if class := d.site.Catalog.StorageClass(in.StorageClass); class != nil {
		out.StorageClass = class.Name
		out.AccessMode, out.VolumeMode = cmp.Or(in.AccessMode, class.AccessMode), cmp.Or(in.VolumeMode, class.VolumeMode)
		return
	}
	if len(d.site.Catalog.Names("storageClasses")) > 0 {
		written := d.entry.Keys.Get("disks", out.Name, "storageClass")
		d.reportUnknown(written, ".disks."+out.Name+".storageClass", "storage class", "storageClasses")
	}
}

func (d *draft) diskBus(out *Disk) {
	switch {
	case out.Source.DownwardMetrics:
		d.metricsBus(out)
	case out.Bus != "" || d.vm.Preference != nil:
	case out.Hotpluggable && out.Type == "disk":
		out.Bus = "scsi"
	case out.Type == "cdrom":
		out.Bus = d.cdromBus()
	default:
		out.Bus = cmp.Or(d.entry.OS.DiskBus, "virtio")
	}
}

// metricsBus sets the bus of the disk with metrics (kubevirt/kubevirt v1.8.4,
// pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
func (d *draft) metricsBus(out *Disk) {
	for _, c := range []struct{ key, got, want string }{{"bus", out.Bus, "virtio"}, {"type", out.Type, "disk"}} {
		if c.got != "" && c.got != c.want {
			d.errorf(d.entry.At("disks", out.Name, c.key), rule.Conflict, "disks."+out.Name+"."+c.key,
				"a disk with metrics has %q; remove it", c.want)
		}
	}
	if out.Type == "disk" {
		out.Bus = "virtio"
	}
}

// checkSingles reports disks of which KubeVirt accepts one for each VM (kubevirt/kubevirt v1.8.4,
// pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
func (d *draft) checkSingles(disks []Disk, filesystems []Filesystem) {
	first := map[string]string{}
	for _, f := range filesystems {
		if other, ok := first["serviceAccount"]; ok && f.ServiceAccount != "" {
			d.errorf(d.entry.KeyAt("filesystems", f.Name), rule.Conflict, "filesystems."+f.Name,
				"a VM has one serviceAccount, and %s is it; remove one of them", other)
		}
		if f.ServiceAccount != "" {
			first["serviceAccount"] = "filesystems." + f.Name
		}
	}
	for i := range disks {
		kind := strings.Join(disks[i].Source.Kinds(), "")
		if kind != "serviceAccount" && kind != "downwardMetrics" {
			continue
		}
		if other, ok := first[kind]; ok {
			d.errorf(disks[i].Pos, rule.Conflict, "disks."+disks[i].Name,
				"a VM has one %s, and %s is it; remove one of them", kind, other)
		}
		first[kind] = "disks." + disks[i].Name
	}
}

// cdromBus returns the bus of CD-ROMs that specify none.
func (d *draft) cdromBus() string { return cmp.Or(d.entry.OS.CDROMBus, "sata") }

// keeps reports whether the disk survives its VM. A strategy that creates a
// new root disk for a change deletes the old one, even with `keepDisks: true`.
func (d *draft) keeps(name string, in *values.Disk) bool {
	switch lc := d.vm.Lifecycle; {
	case in.Keep != nil:
		return *in.Keep
	case name == values.RootDisk && !d.traits.KeepsRoot:
		return false
	case lc != nil && lc.KeepDisks != nil:
		return *lc.KeepDisks
	}
	return d.strategy == values.InPlace
}

// diskClaim sets the name of the DataVolume or PVC.
func (d *draft) diskClaim(out *Disk) {
	switch {
	case out.Kind == DiskClaim:
		out.Claim = out.Source.Claim
	case out.Kind != DiskDataVolume:
	case out.Name != values.RootDisk:
		out.Claim = d.name + "-" + out.Name
	case d.traits.ContentNamedRoot && !out.Keep:
		out.Claim = d.name + "-root-" + contentHash(out)
	case out.Revision > 1: // not the claim of the VM NAME-2
		out.Claim = d.name + "-" + values.RootDisk
	default:
		out.Claim = d.name
	}
	if out.Kind == DiskDataVolume && out.Revision > 1 {
		out.Claim += "-" + strconv.FormatUint(uint64(out.Revision), 10)
	}
}

// checkOwnClaims reports disks of the VM that have the same DataVolume.
func (d *draft) checkOwnClaims(disks []Disk) {
	of := map[string]string{}
	for i := range disks {
		disk := &disks[i]
		if disk.Kind != DiskDataVolume {
			continue
		}
		if other, ok := of[disk.Claim]; ok {
			d.errorf(d.entry.KeyAt("disks", disk.Name), rule.Duplicate, "disks."+disk.Name,
				"its DataVolume %q is also that of disks.%s; rename the disk, or set another `revision`", disk.Claim, other)
		}
		of[disk.Claim] = disk.Name
	}
}

// checkRevision reports disks with revisions that KubeVirt does not copy to another claim (kubevirt/kubevirt v1.8.4,
// pkg/virt-controller/watch/volume-migration/volume-migration.go, ValidateVolumes), and those of cattle, which it does
// not copy.
func (d *draft) checkRevision(disk *Disk) {
	at, path := d.entry.At("disks", disk.Name, "revision"), "disks."+disk.Name+".revision"
	pet := d.strategy == values.InPlace
	switch {
	case disk.Revision == 0:
	case disk.Kind != DiskDataVolume:
		d.errorf(at, rule.Conflict, path, "only disks that CDI fills have revisions; remove it, or name another source")
	case !pet && disk.Name == values.RootDisk:
		d.reportLimit(at, path, "the root disk is named by its content; set `version` of its source instead")
	case !pet && (disk.Keep || d.strategy != values.Rollout):
		d.reportLimit(at, path, "a new claim is filled from the source, and nothing copies the data; remove it")
	case pet && (disk.Type == "lun" || disk.Shareable):
		d.errorf(at, rule.Conflict, path,
			"KubeVirt copies neither LUNs nor shareable disks to another claim; remove it, and copy the data in the guest")
	case pet && len(d.vm.GPUs)+len(d.vm.HostDevices) > 0:
		d.errorf(at, rule.Conflict, path, "KubeVirt copies disks by a live migration, which a VM with devices of its host "+
			"cannot do; remove it, and copy the data in the guest")
	}
}

// contentHash returns a hash of the content of a root disk: different content,
// or a different size, class or mode, is a different disk.
func contentHash(d *Disk) string {
	src := d.Source
	parts := append(src.Parts(), d.Size, d.StorageClass, d.AccessMode, d.VolumeMode)
	if spec := d.DataVolume.Get("spec"); spec.IsSet() {
		parts = append(parts, string(source.AppendJSON(nil, spec)))
	}
	return Hash(parts...)
}

func (d *draft) checkDisk(disk *Disk) {
	path := "disks." + disk.Name
	size, sized := d.diskSize(disk)
	if disk.Size == "" && needsSize(disk) {
		d.errorf(d.entry.KeyAt("disks", disk.Name), rule.MissingKey, path+".size",
			"missing size, which the source does not tell; expected a quantity such as \"30Gi\"")
	}
	if sized {
		d.checkImageSize(disk, size)
	}
	if disk.ExpandTo != "" {
		if to, ok := d.quantity(disk.ExpandTo, "disks", disk.Name, "expandTo"); ok && sized && to < size {
			d.errorf(d.entry.At("disks", disk.Name, "expandTo"), rule.Shrinks, path+".expandTo",
				"%q is below the size %q at %s; a disk can only grow",
				disk.ExpandTo, disk.Size, where(d.entry.Keys.Get("disks", disk.Name, "size").Pos()))
		}
	}
	if disk.Hotpluggable && disk.Type == "disk" && disk.Bus != "" && disk.Bus != "scsi" && disk.Bus != "virtio" {
		d.errorf(d.entry.At("disks", disk.Name, "bus"), rule.Conflict, path+".bus",
			"a hotpluggable disk cannot be on the bus %q; accepted: scsi, virtio", disk.Bus)
	}
	// kubevirt/kubevirt v1.8.4, pkg/storage/admitters/disks.go
	if disk.ReadOnly && disk.Type == "disk" && disk.Bus == "sata" {
		d.errorf(d.entry.At("disks", disk.Name, "readOnly"), rule.Conflict, path+".readOnly",
			"a disk on the bus \"sata\" cannot be read-only; use `bus: virtio` or scsi, or `type: cdrom`")
	}
	hasClaim := disk.Kind == DiskDataVolume || disk.Kind == DiskClaim
	// kubevirt/kubevirt v1.8.4, pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go
	if disk.Type == "lun" && !hasClaim {
		d.errorf(d.entry.At("disks", disk.Name, "type"), rule.Conflict, path+".type",
			"a LUN has a claim, and the source has none; use `type: disk`, or another source")
	}
	d.checkRevision(disk)
	if disk.DataVolume.IsSet() && disk.Kind != DiskDataVolume {
		d.errorf(d.entry.At("disks", disk.Name, "dataVolume"), rule.Conflict, path+".dataVolume",
			"the disk has no DataVolume to patch; remove it, or choose a source that CDI fills")
	}
	if disk.Hotpluggable && !hasClaim {
		d.errorf(d.entry.At("disks", disk.Name, "hotpluggable"), rule.Conflict, path+".hotpluggable",
			"only disks with a claim are hotpluggable")
	}
}

// checkImageSize reports a root disk that is smaller than the operating system's own image, which CDI does not clone
// (containerized-data-importer pkg/controller/common/util.go, v1.65.0).
func (d *draft) checkImageSize(disk *Disk, size int64) {
	os := d.entry.OS
	if disk.Name != values.RootDisk || !isClone(&disk.Source) || !d.entry.FromOS("disks", values.RootDisk, "source") {
		return
	}
	if image, err := values.ParseQuantity(os.RootSize); err == nil && size < image {
		d.errorf(d.entry.At("disks", values.RootDisk, "size"), rule.BelowMinimum,
			d.keyPath([]string{"disks", "root", "size"}),
			"%q is smaller than the image of %s; expected at least %q, or another `catalog.os.%[2]s.rootSize`",
			disk.Size, os.Name, os.RootSize)
	}
}

// isClone reports whether a disk is cloned in the cluster, where CDI finds out its size.
func isClone(src *catalog.Source) bool {
	return src.DataSource != "" || src.PVC != "" || src.Snapshot != ""
}

// writes reports whether the guest can write to a disk.
func (d *Disk) writes() bool { return !d.ReadOnly && d.Type != "cdrom" }

// needsSize reports whether a disk needs a size. CDI can determine it only for
// clones (containerized-data-importer,
// pkg/apiserver/webhooks/datavolume-validate.go, v1.65.0).
func needsSize(d *Disk) bool {
	src := &d.Source
	switch d.Kind {
	case DiskEmpty:
		return true
	case DiskDataVolume:
		return !isClone(src) && len(src.Kinds()) > 0
	}
	return false
}

func (d *draft) diskSize(disk *Disk) (int64, bool) {
	if disk.Size == "" {
		return 0, false
	}
	n, ok := d.quantity(disk.Size, "disks", disk.Name, "size")
	if ok && n < values.LeastBytes {
		d.errorf(d.entry.At("disks", disk.Name, "size"), rule.BadQuantity, "disks."+disk.Name+".size",
			"%q is too little for a disk; expected a quantity such as \"30Gi\"", disk.Size)
		return 0, false
	}
	return n, ok
}

// checkBootOrder checks that disks and NICs together use every position in the
// boot order at most once.
func (d *draft) checkBootOrder(disks []Disk) {
	var taken map[uint]string
	claim := func(order *uint, path string, at source.Pos) {
		if other, ok := taken[*order]; ok {
			d.errorf(at, rule.Duplicate, path+".bootOrder",
				"place %d in the boot order is taken by %s; give it a place of its own", *order, other)
			return
		}
		if taken == nil {
			taken = map[uint]string{}
		}
		taken[*order] = path
	}
	for i := range disks {
		if disk := &disks[i]; disk.BootOrder != nil {
			claim(disk.BootOrder, "disks."+disk.Name, d.entry.At("disks", disk.Name, "bootOrder"))
		}
	}
	for i := range d.vm.NICs {
		if order := d.vm.NICs[i].BootOrder; order != nil {
			claim(order, source.IndexPath("nics", i), d.entry.ItemAt("nics", i))
		}
	}
}
