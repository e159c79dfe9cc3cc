package resolve

import (
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/values"
)

// The images with the virtio drivers for Windows: KubeVirt's (kubevirt/kubevirt v1.8.4,
// tests/containerdisk/containerdisk.go), and that of OpenShift Virtualization. They are the same for every target: an
// upgrade of the cluster does not change VMs.
const (
	driversImage          = "quay.io/kubevirt/virtio-container-disk:v1.8.0"
	driversImageOpenShift = "registry.redhat.io/container-native-virtualization/virtio-win-rhel9:v4.20"
)

// driversDisk is the name of the CD-ROM with drivers.
const driversDisk = "virtiodrivers"

// drivers returns the CD-ROM with drivers, or nothing.
func (d *draft) drivers() []machine.Disk {
	given := d.vm.DriversDisk
	if given == nil || !given.Enabled {
		return nil
	}
	at := d.entry.At("driversDisk")
	if d.entry.OS.Family == "linux" {
		d.errorf(at, rule.Conflict, "driversDisk", "Linux has the virtio drivers; remove it")
	}
	src := catalog.Source{ContainerDisk: driversImage}
	switch {
	case given.Image != "":
		src.ContainerDisk = given.Image
	case d.site.Target.OnOpenShift():
		src.ContainerDisk = driversImageOpenShift
	}
	for _, problem := range src.Problems() {
		d.errorf(at, rule.BadSource, "driversDisk", "%s", problem.Text)
	}
	disk := machine.Disk{
		Name: driversDisk, Volume: driversDisk, Kind: machine.DiskContainerDisk, Type: "cdrom", Source: src, Pos: at,
	}
	d.diskBus(&disk)
	return []machine.Disk{disk}
}

// filesystems returns the directories that the guest mounts.
func (d *draft) filesystems() []machine.Filesystem {
	out := make([]machine.Filesystem, 0, len(d.vm.Filesystems))
	for _, name := range slices.Sorted(maps.Keys(d.vm.Filesystems)) {
		f := d.vm.Filesystems[name]
		if f == nil {
			continue
		}
		d.checkFilesystem(name, f)
		out = append(out, machine.Filesystem{Name: name, Filesystem: *f})
	}
	return out
}

func (d *draft) checkFilesystem(name string, f *values.Filesystem) {
	at, path := d.entry.KeyAt("filesystems", name), "filesystems."+name
	if problem := values.NameProblem(name); problem != "" {
		d.errorf(at, rule.BadName, path, "%s", problem)
	} else if of, ok := reservedVolumes[name]; ok {
		d.errorf(at, rule.BadName, path, "%q is the volume of %s; choose another name", name, of)
	} else if d.vm.Disks[name] != nil {
		d.errorf(at, rule.Duplicate, path, "the disk %q has the same name; rename one", name)
	}
	var set []string
	for _, c := range []struct{ key, value string }{
		{"claim", f.Claim}, {"configMap", f.ConfigMap}, {"secret", f.Secret}, {"serviceAccount", f.ServiceAccount},
	} {
		if c.value != "" {
			set = append(set, c.key)
		}
	}
	if len(set) != 1 {
		d.errorf(at, rule.Conflict, path, "expected exactly one of claim, configMap, secret and serviceAccount; got %s",
			orNone(set))
	}
}

func orNone(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, " and ")
}
