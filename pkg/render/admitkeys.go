package render

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/admission"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
)

// instanceSpec is the path of the instance in a VirtualMachine.
const instanceSpec = "spec.template.spec."

// keyOfField are the keys of the values files that set the fields of a VirtualMachine. The first that fits counts.
var keyOfField = []struct{ field, key string }{
	{"metadata.labels", "labels"},
	{"spec.runStrategy", "runStrategy"},
	{"spec.instancetype", "instancetype"},
	{"spec.preference", "preference"},
	{"spec.dataVolumeTemplates", "disks"},
	{"spec.template.metadata.labels", "labels"},
	{"spec.template.metadata.annotations", "podAnnotations"},
	{instanceSpec + "architecture", "arch"},
	{instanceSpec + "hostname", "hostname"},
	{instanceSpec + "nodeSelector", "nodeSelector"},
	{instanceSpec + "tolerations", "tolerations"},
	{instanceSpec + "affinity", "affinity"},
	{instanceSpec + "topologySpreadConstraints", "topologySpreadConstraints"},
	{instanceSpec + "readinessProbe", "readinessProbe"},
	{instanceSpec + "livenessProbe", "livenessProbe"},
	{instanceSpec + "accessCredentials", "accessCredentials"},
	{instanceSpec + "evictionStrategy", "evictionStrategy"},
	{instanceSpec + "networks", "nics"},
	{instanceSpec + "volumes", "disks"},
	{instanceSpec + "domain.cpu", "cpu"},
	{instanceSpec + "domain.memory", "memory"},
	{instanceSpec + "domain.resources", "resources"},
	{instanceSpec + "domain.firmware", "firmware"},
	{instanceSpec + "domain.machine", "machineType"},
	{instanceSpec + "domain.devices.disks", "disks"},
	{instanceSpec + "domain.devices.interfaces", "nics"},
	{instanceSpec + "domain.devices.filesystems", "filesystems"},
	{instanceSpec + "domain.devices.gpus", "gpus"},
	{instanceSpec + "domain.devices.hostDevices", "hostDevices"},
	{"", "os"},
}

// keyOf returns the path below the VM's, and the position, of the key that sets the field of a finding.
func (x *rendering) keyOf(f *admission.Finding) (string, source.Pos) {
	sets := func(k struct{ field, key string }) bool { return strings.HasPrefix(f.Path, k.field) }
	i := slices.IndexFunc(keyOfField, sets)
	key, rest := keyOfField[i].key, segments(f.Path[len(keyOfField[i].field):])
	switch key {
	case "disks":
		if path, at := x.diskKey(f.Entry, rest); path != "" {
			return path, at
		}
	case "nics":
		if path, at := x.nicKey(f.Entry, rest); path != "" {
			return path, at
		}
	case "resources": // whose keys have the names of the fields
		if at := x.KeyPos(append([]string{key}, rest...)...); at != x.Pos {
			return key + "." + strings.Join(rest, "."), at
		}
	}
	if n, _ := deepest(x.asWritten(key), rest); n != nil {
		return key + f.Path[len(keyOfField[i].field):], n.Pos()
	}
	return key, x.KeyPos(key)
}

// asWritten returns the value of a key in Kubernetes' own form, or nil.
func (x *rendering) asWritten(key string) *source.Node {
	return map[string]*source.Node{
		"affinity": x.Affinity, "topologySpreadConstraints": x.TopologySpreadConstraints, "readinessProbe": x.ReadinessProbe,
		"livenessProbe": x.LivenessProbe, "accessCredentials": x.AccessCredentials,
	}[key]
}

// diskKey returns the key of a disk or volume, or of a field of it.
func (x *rendering) diskKey(volume string, field []string) (string, source.Pos) {
	for i := range x.Disks {
		d := &x.Disks[i]
		if d.Volume != volume {
			continue
		}
		at := func(key string) source.Pos { return x.KeyPos("disks", d.Name, key) }
		return x.entryKey("disks."+d.Name, d.Pos, d.Overrides, field, at)
	}
	for i := range x.Filesystems {
		if x.Filesystems[i].Name == volume {
			return "filesystems." + volume, x.KeyPos("filesystems", volume)
		}
	}
	if x.CloudInit != nil {
		return "cloudInit", x.KeyPos("cloudInit")
	}
	return "", source.Pos{}
}

// nicKey returns the key of a NIC, or of a field of it.
func (x *rendering) nicKey(name string, field []string) (string, source.Pos) {
	i := slices.IndexFunc(x.NICs, func(n machine.NIC) bool { return n.Name == name })
	if i < 0 {
		return "", source.Pos{}
	}
	n := &x.NICs[i]
	return x.entryKey(source.IndexPath("nics", i), n.Pos, n.Overrides, field, n.At)
}

// keysOfEntry are the keys of disks and NICs by the fields of KubeVirt that they set.
var keysOfEntry = map[string]string{
	"bootOrder": "bootOrder", "serial": "serial", "cache": "cache", "io": "io", "bus": "bus", "model": "model",
	"macAddress": "mac", "state": "state", "ports": "ports", "masquerade": "binding", "bridge": "binding",
	"lun": "type", "cdrom": "ejected",
}

// entryKey returns the key of a field of a disk or NIC: that in its patch, one of its own, or else the entry.
func (x *rendering) entryKey(
	path string, entry source.Pos, over *source.Node, field []string, at func(string) source.Pos,
) (string, source.Pos) {
	field = field[min(1, len(field)):] // without the index
	if n, rest := deepest(over, field); n != over && len(rest) < len(field) {
		return path + ".overrides." + strings.Join(field, "."), n.Pos()
	}
	if len(field) == 0 {
		return path, entry
	}
	key := keysOfEntry[field[len(field)-1]]
	if key == "" || at(key) == entry || at(key) == x.Pos {
		return path, entry
	}
	return path + "." + key, at(key)
}
