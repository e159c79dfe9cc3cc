package resolve

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// diskKinds maps the sources that CDI does not fill to the kinds of their disks.
var diskKinds = map[string]machine.DiskKind{
	"claim": machine.DiskClaim, "dataVolume": machine.DiskClaim,
	"containerDisk": machine.DiskContainerDisk, "emptyDisk": machine.DiskEmpty,
	"configMap": machine.DiskFiles, "secret": machine.DiskFiles, "serviceAccount": machine.DiskFiles,
	"downwardMetrics": machine.DiskFiles,
	"cloudInit":       machine.DiskGuestData, "sysprep": machine.DiskGuestData, "volume": machine.DiskVolume,
}

// setSource sets the source of a disk, and the kind of volume that provides it to the VM.
func (d *draft) setSource(out *machine.Disk, in *values.Disk) {
	name, src := out.Name, &out.Source
	if values.IsTrue(in.Ejected) {
		if in.Type != "cdrom" {
			d.errorf(d.entry.At("disks", name, "ejected"), rule.Conflict, out.KeyPath("ejected"),
				"only a CD-ROM can be ejected; set `type: cdrom` as well")
		}
		out.Kind = machine.DiskEjected
		return
	}
	if in.Source != nil {
		*src = catalog.Source(*in.Source)
		d.checkCredentials(name, src)
	}
	d.resolveImage(name, src)
	d.checkSource(out)
	out.Kind = diskKinds[src.Kind()]
}

// resolveImage replaces `image: NAME` by the source in the catalog. A version
// next to the name overrides that of the catalog.
func (d *draft) resolveImage(disk string, src *catalog.Source) {
	if src.Image == "" {
		return
	}
	img := d.site.Catalog.Image(src.Image)
	if img == nil {
		written := d.entry.Keys.Get("disks", disk, "source", "image")
		d.reportUnknown(written, ".disks."+disk+".source.image", "image", "images")
		return
	}
	out := *img
	out.Version = cmp.Or(src.Version, out.Version)
	out.Secret = cmp.Or(src.Secret, out.Secret)
	out.CertConfigMap = cmp.Or(src.CertConfigMap, out.CertConfigMap)
	out.PullPolicy, out.Path = cmp.Or(src.PullPolicy, out.PullPolicy), cmp.Or(src.Path, out.Path)
	out.VolumeLabel = cmp.Or(src.VolumeLabel, out.VolumeLabel)
	*src = out
}

func (d *draft) checkSource(out *machine.Disk) {
	disk, src := out.Name, &out.Source
	kinds := src.Kinds()
	switch {
	case len(kinds) > 1:
		d.errorf(d.lastOf(d.entry.Keys.Get("disks", disk, "source"), kinds), rule.Conflict, out.KeyPath("source"),
			"got %s; expected exactly one source", strings.Join(kinds, " and "))
	case len(kinds) == 0 && disk == values.RootDisk:
		d.errorf(d.entry.KeyAt("disks", disk), rule.MissingKey, out.KeyPath("source"),
			"%s has no image of its own%s; name the `source` of the root disk", d.entry.OS.Name, d.ownImageWhere())
	case len(kinds) == 0:
		src.Blank = true
	case catalog.IsBootSource(src) && d.site.Target.Plain():
		d.errorf(d.entry.At("disks", disk, "source", "dataSource"), rule.BadSource, out.KeyPath("source.dataSource"),
			"%q exists on OpenShift only; name an image that the cluster has, such as a `registry`", src.DataSource)
	}
	for _, problem := range src.Problems() {
		d.errorf(d.entry.At("disks", disk, "source", problem.Key), rule.BadSource, out.KeyPath("source."+problem.Key),
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

// isClone reports whether a disk is cloned in the cluster, where CDI finds out its size.
func isClone(src *catalog.Source) bool {
	return src.DataSource != "" || src.PVC != "" || src.Snapshot != ""
}

// checkImageSize reports a root disk that is smaller than the operating system's own image, which CDI does not clone
// (containerized-data-importer pkg/controller/common/util.go, v1.65.0).
func (d *draft) checkImageSize(disk *machine.Disk, size int64) {
	os := d.entry.OS
	if disk.Name != values.RootDisk || !isClone(&disk.Source) || !d.entry.FromOS("disks", values.RootDisk, "source") {
		return
	}
	image, err := values.ParseQuantity(os.RootSize)
	at, path := d.entry.At(sizeKeys(disk)...), d.entry.KeyPath(sizeKeys(disk)...)
	switch {
	case err != nil || size >= image:
	case d.hasOwnImage():
		d.diags.Warnf(at, rule.BelowMinimum, d.entry.Path+"."+path,
			"%q is smaller than the default of %s, %q, and perhaps than its image; "+
				"set `catalog.os.%[2]s.rootSize` to the size of the image", disk.Size, os.Name, os.RootSize)
	default:
		d.reportNew(at, rule.BelowMinimum, path,
			"%q is smaller than the image of %s; expected at least %q, or another `catalog.os.%[2]s.rootSize`",
			disk.Size, os.Name, os.RootSize)
	}
}

// hasOwnImage reports whether the fleet names the image of the operating system, of which only the built-in root size
// is known.
func (d *draft) hasOwnImage() bool {
	builtin := func(n *source.Node) bool { return n != nil && catalog.IsBuiltin(n.Pos()) }
	image := d.entry.OS.Node.Get("image")
	own := func(f source.Field) bool { return f.Value.IsSet() && !builtin(f.Value) }
	return slices.ContainsFunc(image.Entries(), own) && builtin(d.entry.OS.Node.Get("rootSize"))
}
