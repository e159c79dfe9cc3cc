package explain

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/internal/sizes"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/resolve"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/template"
	"github.com/vmrender/vmrender/pkg/values"
)

// The origins of values that no level sets.
const (
	byDefault  = "default"
	byIdentity = "identity"
)

// decisions collects the values that are decided for a VM.
type decisions struct {
	site  *resolve.Site
	entry *fleet.Entry
	m     *machine.Machine
	rows  []fleet.Explained
}

// decided returns the values of a VM by the keys that would set them, each with what
// decides it. Only those of templates can be secrets.
func decided(s *resolve.Site, e *fleet.Entry, m *machine.Machine) []fleet.Explained {
	d := decisions{site: s, entry: e, m: m}
	d.sizing()
	for i := range m.Disks {
		d.disk(&m.Disks[i])
	}
	for i := range m.NICs {
		d.nic(&m.NICs[i], machine.NICPath(i))
	}
	d.guest()
	d.metadata()
	d.services()
	return d.rows
}

// add adds a value, unless it is empty.
func (d *decisions) add(key, value, level string) {
	if value != "" {
		d.rows = append(d.rows, fleet.Explained{Key: key, Value: value, Level: level})
	}
}

// byOS returns the origin of values that the operating system decides.
func (d *decisions) byOS() string { return "catalog entry " + d.m.OS.Name }

func (d *decisions) sizing() {
	for _, part := range []struct {
		key   string
		value uint32
	}{{"sockets", d.m.CPU.Sockets}, {"cores", d.m.CPU.Cores}, {"threads", d.m.CPU.Threads}} {
		if part.value > 0 && d.m.Given == nil {
			d.add("cpu."+part.key, strconv.FormatUint(uint64(part.value), 10), d.byOS())
		}
	}
	d.growth()
}

// growth adds up to where the VM grows while it runs.
func (d *decisions) growth() {
	const level = "KubeVirt: four times that of the start"
	if d.m.Arch != catalog.DefaultArch || d.site.Target.VMRolloutStrategy == "Stage" || values.IsTrue(d.m.CPU.NUMA) {
		return
	}
	cpu := &d.m.CPU
	if n := uint64(cpu.Sockets) * sizes.HotplugRatio; n > 0 && n*uint64(cpu.Cores)*uint64(cpu.Threads) <= sizes.MostCPUs {
		d.add("cpu.maxSockets", strconv.FormatUint(n, 10), level)
	}
	const least = 1 << 30 // of memory that can be plugged
	guest, err := quantities.Parse(d.m.Memory.Guest)
	if err == nil && guest.Value() >= least && !values.IsTrue(cpu.Realtime) {
		guest.Mul(sizes.HotplugRatio)
		d.add("memory.max", guest.String(), level)
	}
}

func (d *decisions) disk(disk *machine.Disk) {
	path := source.JoinPath("disks", disk.Name)
	if image := d.entry.Keys.Get("disks", disk.Name, "source", "image").Str(); image != "" {
		kind, value, _ := strings.Cut(disk.Source.String(), " ")
		d.add(path+".source."+kind, cmp.Or(value, "true"), "image "+image)
	}
	if disk.Migrated {
		d.add(path+".source.claim", disk.Claim, "migrate")
	}
	d.add(path+".type", disk.Type, byDefault)
	d.add(path+".bus", disk.Bus, d.byOS())
	if disk.Hotpluggable {
		d.add(path+".hotpluggable", "true", "hotpluggable of the VM")
	}
	class := "storage class " + disk.StorageClass
	d.add(path+".accessMode", disk.AccessMode, class)
	d.add(path+".volumeMode", disk.VolumeMode, class)
	if template.Is(d.entry.Keys.Get("disks", disk.Name, "claimName").Str()) {
		d.add(path+".claimName", disk.Claim, byDefault)
	}
	for _, key := range slices.Sorted(maps.Keys(disk.Labels)) {
		d.add(source.JoinPath(path+".labels", key), disk.Labels[key], "diskLabels of the VM")
	}
	if disk.Kind == machine.DiskDataVolume {
		d.add(path+".keep", strconv.FormatBool(disk.Keep), byDefault)
	}
}

func (d *decisions) nic(nic *machine.NIC, path string) {
	network, byNetwork := d.site.Catalog.Network(nic.Network), "network "+nic.Network
	if network == nil {
		network = new(catalog.Network)
	}
	byModel := d.byOS()
	if network.Model != "" {
		byModel = byNetwork
	}
	if nic.Written == nil {
		d.add(path+".network", nic.Network, byDefault)
	}
	d.add(path+".name", nic.Name, byNetwork)
	d.add(path+".binding", nic.Binding, byNetwork)
	d.add(path+".model", nic.Model, byModel)
	d.add(path+".mac", nic.MAC, byIdentity)
	d.add(path+".ip", nic.IP, byNetwork)
	d.add(path+".gateway", nic.Gateway, byNetwork)
	for i, server := range nic.DNS {
		d.add(source.IndexPath(path+".dns", i), server, byNetwork)
	}
}

func (d *decisions) guest() {
	m := d.m
	d.add("arch", m.Arch, byDefault)
	d.add("firmware.type", m.Firmware.Type, d.byOS())
	d.add("firmware.uuid", m.Firmware.UUID, byIdentity)
	d.add("firmware.serial", m.Firmware.Serial, byIdentity)
	d.add("hostname", cmp.Or(m.Hostname, m.Name), byDefault)
	d.add("lifecycle.type", d.kind(), byDefault)
	d.add("namespace", m.Namespace, "--namespace")
	d.add("runStrategy", m.RunStrategy, byDefault)
	if m.CloudInit != nil {
		d.add("cloudInit.user", m.CloudInit.User, d.byOS())
		d.add("cloudInit.hostname", m.CloudInit.Hostname, byDefault)
		d.add("cloudInit.datasource", m.CloudInit.Datasource, byDefault)
	}
}

func (d *decisions) kind() string {
	if d.m.Lifecycle.Cattle() {
		return "cattle"
	}
	return "pet"
}

func (d *decisions) metadata() {
	d.strings("labels", d.m.Labels)
	d.strings("podLabels", d.m.PodLabels)
	d.strings("annotations", d.m.Annotations)
	d.strings("podAnnotations", d.m.PodAnnotations)
}

// strings adds a map of labels or annotations, of which the templates are expanded.
func (d *decisions) strings(path string, of map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(of)) {
		d.add(source.JoinPath(path, key), of[key], byDefault)
	}
}

func (d *decisions) services() {
	for i := range d.m.Services {
		s := &d.m.Services[i]
		path := source.JoinPath("services", s.Key)
		several := d.entry.Keys.Get("services", s.Key, "ports").IsSet()
		for i := range s.Ports {
			at := path
			if several {
				at = source.IndexPath(path+".ports", i)
			}
			d.add(at+".targetPort", strconv.Itoa(int(cmp.Or(s.Ports[i].TargetPort, s.Ports[i].Port))), byDefault)
			d.add(at+".protocol", s.Ports[i].Protocol, byDefault)
		}
		d.add(path+".type", s.Type, byDefault)
	}
}
