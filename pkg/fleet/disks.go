package fleet

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/source"
)

// rootDisk is the key of the boot disk.
const rootDisk = "root"

// reservedVolumes are volume names that vmrender gives away itself.
var reservedVolumes = map[string]string{"rootdisk": "the root disk", "cloudinitdisk": "cloud-init", "sysprep": "the answer file"}

func (s *subject) disks() {
	names := s.diskNames()
	s.m.Disks = make([]MachineDisk, 0, len(names))
	for _, name := range names {
		if d := s.vm.Disks[name]; d != nil {
			s.m.Disks = append(s.m.Disks, s.disk(name, d))
		}
	}
	s.checkBootOrder()
}

// diskNames are the keys of `disks`, root first, then in the order written.
func (s *subject) diskNames() []string {
	var names []string
	if n := s.node.Get("disks"); n != nil {
		for i := range n.Fields {
			names = append(names, n.Fields[i].Key)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(boolInt(a != rootDisk), boolInt(b != rootDisk))
	})
	if s.vm.Disks[rootDisk] == nil {
		s.errorf(s.keyAt("disks", rootDisk), "no-root", "disks."+rootDisk, "the disk is removed; a VM boots from it")
	}
	return names
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *subject) disk(name string, d *Disk) MachineDisk {
	out := MachineDisk{
		Name: name, Volume: name, Size: d.Size, Bus: d.Bus, Type: or(d.Type, "disk"), BootOrder: d.BootOrder,
		Cache: d.Cache, IO: d.IO, Serial: d.Serial, ReadOnly: isTrue(d.ReadOnly), Shareable: isTrue(d.Shareable),
		Hotpluggable: isTrue(d.Hotpluggable), Preallocation: d.Preallocation, ExpandTo: d.ExpandTo, Pos: s.at("disks", name),
	}
	if name == rootDisk {
		out.Volume = "rootdisk"
	}
	s.checkDiskName(name)
	out.Source, out.Kind = s.diskSource(name, d)
	s.diskClass(&out, d)
	s.diskBus(&out)
	out.Keep = s.keeps(name, d)
	s.diskClaim(&out)
	s.checkDisk(&out)
	return out
}

func (s *subject) checkDiskName(name string) {
	if problem := nameProblem(name); problem != "" {
		s.errorf(s.keyAt("disks", name), "bad-name", "disks."+name, "%s", problem)
	} else if of, ok := reservedVolumes[name]; ok {
		s.errorf(s.keyAt("disks", name), "bad-name", "disks."+name, "%q is the volume of %s; choose another name", name, of)
	}
}

// diskSource looks up the content of a disk, and how the machine gets at it.
func (s *subject) diskSource(name string, d *Disk) (catalog.Source, DiskKind) {
	if isTrue(d.Ejected) {
		if d.Type != "cdrom" {
			s.errorf(s.at("disks", name, "ejected"), "conflict", "disks."+name+".ejected", "only a CD-ROM can be ejected; set `type: cdrom` as well")
		}
		return catalog.Source{}, DiskEjected
	}
	var src catalog.Source
	if d.Source != nil {
		src = catalog.Source(*d.Source)
	}
	src = s.namedImage(name, src)
	s.checkSource(name, &src)
	switch {
	case src.Claim != "":
		return src, DiskClaim
	case src.ContainerDisk != "":
		return src, DiskContainerDisk
	case src.EmptyDisk:
		return src, DiskEmpty
	}
	return src, DiskDataVolume
}

// namedImage replaces `image: NAME` by the catalogue's source; a version beside the name wins.
func (s *subject) namedImage(disk string, src catalog.Source) catalog.Source {
	if src.Image == "" {
		return src
	}
	img := s.set.Image(src.Image)
	if img == nil {
		unknownName(s.diags, s.node.Get("disks", disk, "source", "image"), s.path+".disks."+disk+".source.image", "image", s.set.Names("images"))
		return src
	}
	out := *img
	out.Version = or(src.Version, out.Version)
	out.Secret = or(src.Secret, out.Secret)
	out.CertConfigMap = or(src.CertConfigMap, out.CertConfigMap)
	return out
}

func (s *subject) checkSource(disk string, src *catalog.Source) {
	path := "disks." + disk
	kinds := src.Kinds()
	switch {
	case len(kinds) > 1:
		s.errorf(s.lastOf(s.node.Get("disks", disk, "source"), kinds), "conflict", path+".source", "got %s; expected exactly one source", strings.Join(kinds, " and "))
	case len(kinds) == 0 && disk == rootDisk:
		s.errorf(s.keyAt("disks", disk), "missing-key", path+".source", "%s has no image of its own; name the `source` of the root disk", s.os.Name)
	case len(kinds) == 0:
		src.Blank = true
	}
	for _, problem := range src.Problems() {
		s.errorf(s.at("disks", disk, "source", problem.Key), "bad-source", path+".source."+problem.Key, "%s", problem.Text)
	}
}

// lastOf is where the last of some keys of a map was written.
func (s *subject) lastOf(n *source.Node, keys []string) source.Pos {
	last := s.key
	for i := range n.Fields {
		if slices.Contains(keys, n.Fields[i].Key) {
			last = n.Fields[i].Pos()
		}
	}
	return last
}

// diskClass looks up the storage class; its modes serve where the disk sets none.
func (s *subject) diskClass(out *MachineDisk, d *Disk) {
	out.StorageClass, out.AccessMode, out.VolumeMode = d.StorageClass, d.AccessMode, d.VolumeMode
	if d.StorageClass == "" {
		return
	}
	if class := s.set.StorageClass(d.StorageClass); class != nil {
		out.StorageClass = class.Name
		out.AccessMode, out.VolumeMode = or(d.AccessMode, class.AccessMode), or(d.VolumeMode, class.VolumeMode)
		return
	}
	if known := s.set.Names("storageClasses"); len(known) > 0 {
		unknownName(s.diags, s.node.Get("disks", out.Name, "storageClass"), s.path+".disks."+out.Name+".storageClass", "storage class", known)
	}
}

func (s *subject) diskBus(out *MachineDisk) {
	switch {
	case out.Bus != "" || s.m.Preference != nil:
	case out.Hotpluggable && out.Type == "disk":
		out.Bus = "scsi"
	case out.Type == "cdrom":
		out.Bus = or(s.os.CDROMBus, "sata")
	default:
		out.Bus = or(s.os.DiskBus, "virtio")
	}
}

// keeps tells whether the disk survives its VM. The root disk of cattle is made
// anew, whatever is said of the VM's disks; only a VM that is replaced can boot
// from the same disk again.
func (s *subject) keeps(name string, d *Disk) bool {
	strategy := s.strategy()
	switch lc := s.vm.Lifecycle; {
	case d.Keep != nil:
		return *d.Keep
	case name == rootDisk && strategy != "" && strategy != Replace:
		return false
	case lc != nil && lc.KeepDisks != nil:
		return *lc.KeepDisks
	}
	return strategy == ""
}

// diskClaim names the DataVolume or the claim.
func (s *subject) diskClaim(out *MachineDisk) {
	switch {
	case out.Kind == DiskClaim:
		out.Claim = out.Source.Claim
	case out.Kind != DiskDataVolume:
	case out.Name != rootDisk:
		out.Claim = s.m.Name + "-" + out.Name
	case s.strategy() == Rollout && !out.Keep:
		out.Claim = s.m.Name + "-root-" + contentHash(out)
	default:
		out.Claim = s.m.Name
	}
}

// contentHash is a name for what a root disk is made of: another content,
// size, class or mode is another disk.
func contentHash(d *MachineDisk) string {
	src := d.Source
	return Hash(append(src.Parts(), d.Size, d.StorageClass, d.AccessMode, d.VolumeMode)...)
}

func (s *subject) checkDisk(d *MachineDisk) {
	path := "disks." + d.Name
	size, sized := s.diskSize(d)
	if d.Size == "" && needsSize(d) {
		s.errorf(s.keyAt("disks", d.Name), "missing-key", path+".size", "missing size, which the source does not tell; expected a quantity such as \"30Gi\"")
	}
	if d.ExpandTo != "" {
		if to, ok := s.quantity(d.ExpandTo, "disks", d.Name, "expandTo"); ok && sized && to < size {
			s.errorf(s.at("disks", d.Name, "expandTo"), "shrinks", path+".expandTo", "%q is below the size %q at %s; a disk can only grow",
				d.ExpandTo, d.Size, where(s.node.Get("disks", d.Name, "size").Pos()))
		}
	}
	if d.Hotpluggable && d.Type == "disk" && d.Bus != "" && d.Bus != "scsi" && d.Bus != "virtio" {
		s.errorf(s.at("disks", d.Name, "bus"), "conflict", path+".bus", "a hotpluggable disk cannot be on the bus %q; accepted: scsi, virtio", d.Bus)
	}
	if d.Type == "cdrom" && d.Bus == "virtio" {
		s.errorf(s.at("disks", d.Name, "bus"), "conflict", path+".bus", "a CD-ROM cannot be on the bus \"virtio\"; accepted: sata, scsi")
	}
	if d.Hotpluggable && d.Kind != DiskDataVolume && d.Kind != DiskClaim {
		s.errorf(s.at("disks", d.Name, "hotpluggable"), "conflict", path+".hotpluggable", "only disks with a claim are hotpluggable")
	}
}

// needsSize tells the sources whose size CDI does not find out by itself: only
// clones may leave it out (containerized-data-importer,
// pkg/apiserver/webhooks/datavolume-validate.go, v1.65.0).
func needsSize(d *MachineDisk) bool {
	src := &d.Source
	switch d.Kind {
	case DiskEmpty:
		return true
	case DiskDataVolume:
		return src.DataSource == "" && src.PVC == "" && src.Snapshot == "" && len(src.Kinds()) > 0
	}
	return false
}

func (s *subject) diskSize(d *MachineDisk) (int64, bool) {
	if d.Size == "" {
		return 0, false
	}
	n, ok := s.quantity(d.Size, "disks", d.Name, "size")
	if ok && n < leastMemory {
		s.errorf(s.at("disks", d.Name, "size"), "bad-quantity", "disks."+d.Name+".size", "%q is too little for a disk; expected a quantity such as \"30Gi\"", d.Size)
		return 0, false
	}
	return n, ok
}

// ordersBoot tells whether anything has a place in the boot order.
func (s *subject) ordersBoot() bool {
	for i := range s.m.Disks {
		if s.m.Disks[i].BootOrder != nil {
			return true
		}
	}
	for i := range s.vm.NICs {
		if s.vm.NICs[i].BootOrder != nil {
			return true
		}
	}
	return false
}

// checkBootOrder wants every place in the boot order to be taken once, by disks and NICs together.
func (s *subject) checkBootOrder() {
	if !s.ordersBoot() {
		return
	}
	taken := map[uint]string{}
	claim := func(order *uint, path string, at source.Pos) {
		if order == nil {
			return
		}
		if other, ok := taken[*order]; ok {
			s.errorf(at, "duplicate", path+".bootOrder", "place %d in the boot order is taken by %s; give it a place of its own", *order, other)
			return
		}
		taken[*order] = path
	}
	for _, d := range s.m.Disks {
		claim(d.BootOrder, "disks."+d.Name, s.at("disks", d.Name, "bootOrder"))
	}
	for i, n := range s.vm.NICs {
		claim(n.BootOrder, source.IndexPath("nics", i), s.itemPos("nics", i))
	}
}
