package keys_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/keys"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

const template = "spec.template.spec."

// tables calls a test for each table, with values for all of its keys, the type of the format that has them, and where
// its fields are in a VirtualMachine; "" if they are elsewhere.
func tables(t *testing.T, of func(t *testing.T, table any)) {
	one := func(name string, table any) { t.Run(name, func(t *testing.T) { of(t, table) }) }
	one("NIC", tested[kubevirtv1.Interface, machine.NIC]{
		table: &keys.NIC, format: values.NIC{}, at: template + "domain.devices.interfaces.[lan].", plan: "nics",
		value: machine.NIC{NIC: values.NIC{
			Name: "lan", Binding: "passt", Model: "e1000e", MAC: "02:00:00:00:00:01", State: "down", BootOrder: new(uint(2)),
			Ports: []values.Port{{Port: 80}},
		}},
		want: map[string]any{
			"binding": "passt", "model": "e1000e", "mac": "02:00:00:00:00:01", "state": "down", "bootOrder": 2,
			"ports": []any{80},
		},
	})
	one("Port", tested[kubevirtv1.Port, values.Port]{
		table: &keys.Port, format: values.Port{}, value: values.Port{Name: "http", Port: 80, Protocol: "TCP"},
		want: map[string]any{"name": "http", "port": 80, "protocol": "TCP"},
	})
	one("Disk", tested[kubevirtv1.Disk, machine.Disk]{
		table: &keys.Disk, format: values.Disk{}, at: template + "domain.devices.disks.[data].", plan: "disks",
		value: machine.Disk{
			Volume: "data", Type: "lun", Bus: "scsi", BootOrder: new(uint(2)), Cache: "none", IO: "native", Serial: "S1",
			ReadOnly: true, Shareable: true,
		},
		want: map[string]any{
			"type": "lun", "bus": "scsi", "bootOrder": 2, "cache": "none", "io": "native", "serial": "S1", "readOnly": true,
			"shareable": true,
		},
	})
	one("Storage", tested[cdiv1.StorageSpec, machine.Disk]{
		table: &keys.Storage, format: values.Disk{},
		value: machine.Disk{StorageClass: "fast", AccessMode: "ReadWriteMany", VolumeMode: "Block"},
		want:  map[string]any{"storageClass": "fast", "accessMode": "ReadWriteMany", "volumeMode": "Block"},
	})
	one("DataVolume", tested[cdiv1.DataVolumeSpec, machine.Disk]{
		table: &keys.DataVolume, format: values.Disk{},
		value: machine.Disk{Preallocation: new(true)}, want: map[string]any{"preallocation": true},
	})
	one("Topology", tested[kubevirtv1.CPU, values.CPU]{
		table: &keys.Topology, format: values.CPU{}, at: template + "domain.cpu.", plan: "cpu",
		value: values.CPU{Sockets: 2, Cores: 3, Threads: 4}, want: map[string]any{"sockets": 2, "cores": 3, "threads": 4},
	})
	one("CPU", tested[kubevirtv1.CPU, values.CPU]{
		table: &keys.CPU, format: values.CPU{}, at: template + "domain.cpu.", plan: "cpu",
		value: values.CPU{
			Model: "host-model", MaxSockets: 8, Dedicated: new(true), IsolateEmulator: new(true), NUMA: new(true),
			Realtime: new(true), Features: []values.CPUFeature{{Name: "vmx"}, {Name: "svm", Policy: "forbid"}},
		},
		want: map[string]any{
			"model": "host-model", "maxSockets": 8, "dedicated": true, "isolateEmulator": true, "numa": true,
			"realtime": true, "features": []any{"vmx", map[string]any{"name": "svm", "policy": "forbid"}},
		},
	})
	one("Memory", tested[kubevirtv1.Memory, values.Memory]{
		table: &keys.Memory, format: values.Memory{}, at: template + "domain.memory.", plan: "memory",
		value: values.Memory{Guest: "4Gi", Max: "8Gi", Hugepages: "2Mi"},
		want:  map[string]any{"guest": "4Gi", "max": "8Gi", "hugepages": "2Mi"},
	})
	one("Resources", tested[kubevirtv1.ResourceRequirements, values.Resources]{
		table: &keys.Resources, format: values.Resources{}, at: template + "domain.resources.", plan: "resources",
		value: values.Resources{
			Requests: map[string]values.Amount{"memory": "2Gi"}, Limits: map[string]values.Amount{"cpu": "2"},
			OvercommitGuestOverhead: new(true),
		},
		want: map[string]any{
			"requests": map[string]any{"memory": "2Gi"}, "limits": map[string]any{"cpu": "2"}, "overcommitGuestOverhead": true,
		},
	})
	moreTables(one)
}

func moreTables(one func(name string, table any)) {
	one("Firmware", tested[kubevirtv1.Firmware, machine.Firmware]{
		table: &keys.Firmware, format: values.Firmware{}, at: template + "domain.firmware.", plan: "firmware",
		value: machine.Firmware{UUID: "u", Serial: "s"}, want: map[string]any{"uuid": "u", "serial": "s"},
	})
	one("GPU", tested[kubevirtv1.GPU, values.Device]{
		table: &keys.GPU, format: values.Device{}, value: values.Device{Name: "a", Device: "b/c"},
		want: map[string]any{"name": "a", "device": "b/c"},
	})
	one("HostDevice", tested[kubevirtv1.HostDevice, values.Device]{
		table: &keys.HostDevice, format: values.Device{}, value: values.Device{Name: "a", Device: "b/c"},
		want: map[string]any{"name": "a", "device": "b/c"},
	})
	one("Sysprep", tested[kubevirtv1.SysprepSource, values.Sysprep]{
		table: &keys.Sysprep, format: values.Sysprep{}, value: values.Sysprep{Secret: "a", ConfigMap: "b"},
		want: map[string]any{"secret": "a", "configMap": "b"},
	})
	one("VM", tested[kubevirtv1.VirtualMachineInstanceSpec, machine.Machine]{
		table: &keys.VM, format: values.VM{}, at: template, plan: "=",
		value: machine.Machine{
			EvictionStrategy: "None", NodeSelector: map[string]string{"a": "b"}, PriorityClassName: "high",
			Metadata: machine.Metadata{Hostname: "web"}, MachineType: "q35", Arch: "arm64",
		},
		want: map[string]any{
			"evictionStrategy": "None", "nodeSelector": map[string]any{"a": "b"}, "priorityClassName": "high",
			"hostname": "web", "machineType": "q35", "arch": "arm64",
		},
	})
}

// tested is a table with values for all of its keys.
type tested[F, V any] struct {
	table  *keys.Table[F, V]
	format any // of the type that has the keys
	value  V
	want   map[string]any // as JSON
	at     string         // the path of the part in a VirtualMachine, with "." at its end; "" if it is elsewhere
	plan   string         // the first key that plans name for its fields; "=" is that of the row
}

func (c tested[F, V]) rows() []keys.Row[F, V] { return c.table.Rows }

var os = &keys.Inherited{OS: &catalog.ResolvedOS{}}

// Each row that is written and read is: with a value for each key, the field has it, and the key is found again.
func (c tested[F, V]) roundTrip(t *testing.T) {
	var field F
	c.table.Set(&field, &c.value)
	var got node.Map
	c.table.Get(&got, &field, os)
	want, err := json.Marshal(c.want)
	require.NoError(t, err)
	assert.JSONEq(t, string(want), jsonOf(got.Node()))
	for _, r := range c.rows() {
		if r.Get != nil {
			assert.Contains(t, c.want, r.Key, "a value for the key is missing here")
		}
	}
	var nothing node.Map
	c.table.Get(&nothing, new(F), os)
	nothing.Remove("model") // which the default is taken for
	nothing.Remove("bus")
	assert.Empty(t, nothing.Fields, "what is unset sets nothing")
}

// The keys are those of the format, and the fields those of KubeVirt.
func (c tested[F, V]) exist(t *testing.T) {
	known := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(c.format)) {
		known[values.Key(f)] = true
	}
	for _, r := range c.rows() {
		assert.True(t, known[r.Key], "the key %q", r.Key)
		for _, path := range append([]string{r.Path}, r.Also...) {
			assert.True(t, path == "" || has(reflect.TypeFor[F](), strings.Split(path, ".")), "the field %q", path)
		}
	}
}

// Plans name the key of the row for a change of its field.
func (c tested[F, V]) planned(t *testing.T) {
	for _, r := range c.rows() {
		if c.at == "" || r.Path == "" || r.Path == "name" {
			continue
		}
		want := c.plan
		if want == "=" {
			want = r.Key
		}
		for _, key := range planned(c.at + r.Path) {
			assert.Equal(t, want, key, r.Path)
		}
	}
}

// planned returns the first key that plans name for each cause that a change of a field has.
func planned(path string) []string {
	at := func(value any) manifest.Tree { return treeAt(strings.Split(path, "."), value) }
	s := &impact.Subject{Old: at("a"), New: at("b")}
	s.ID = manifest.ID{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachine", Namespace: "prod", Name: "db"}
	var all []string
	for _, cause := range impact.CausesOf(s, impact.MachineRules()) {
		first, _, _ := strings.Cut(cause.Key, ".")
		all = append(all, first)
	}
	return all
}

// has reports whether a type has a field, by its keys in JSON.
func has(of reflect.Type, path []string) bool {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if len(path) == 0 || of.Kind() == reflect.Map {
		return true
	}
	for _, f := range reflect.VisibleFields(of) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name == path[0] {
			return has(f.Type, path[1:])
		}
	}
	return false
}

// treeAt returns a tree with a value at a path. An entry of a list is written [NAME].
func treeAt(path []string, value any) manifest.Tree {
	for _, key := range slices.Backward(path) {
		if name, ok := strings.CutPrefix(key, "["); ok {
			entry := maps.Clone(value.(manifest.Tree))
			entry["name"] = strings.TrimSuffix(name, "]")
			value = []any{entry}
			continue
		}
		value = manifest.Tree{key: value}
	}
	return value.(manifest.Tree)
}

func TestRowsAreReadAsTheyAreWritten(t *testing.T) {
	tables(t, func(t *testing.T, c any) { c.(interface{ roundTrip(*testing.T) }).roundTrip(t) })
}

func TestRowsNameWhatExists(t *testing.T) {
	tables(t, func(t *testing.T, c any) { c.(interface{ exist(*testing.T) }).exist(t) })
}

func TestPlansNameTheKeys(t *testing.T) {
	tables(t, func(t *testing.T, c any) { c.(interface{ planned(*testing.T) }).planned(t) })
}

// What has no table, or no field in one, is named, too; what has no key has none in plans.
func TestPlansNameOtherKeys(t *testing.T) {
	for path, key := range map[string]string{
		"domain.devices.gpus.[a].deviceName": "gpus", "domain.devices.hostDevices.[a].deviceName": "hostDevices",
		"domain.devices.filesystems.[a].virtiofs": "filesystems", "domain.devices.tpm.persistent": "tpm",
		"domain.firmware.bootloader.efi.secureBoot": "firmware", "domain.features.acpi.enabled": "", "dnsPolicy": "",
	} {
		require.Equal(t, []string{key}, planned(template+path), path)
	}
	for _, w := range keys.Verbatim {
		require.Equal(t, []string{w.Key}, planned(template+w.Key), w.Key)
	}
}

// What users write in Kubernetes' own form is in a field of the same name.
func TestVerbatim(t *testing.T) {
	for _, w := range keys.Verbatim {
		require.True(t, has(reflect.TypeFor[kubevirtv1.VirtualMachineInstanceSpec](), []string{w.Key}), w.Key)
		tree := node.Of([]any{})
		var m machine.Machine
		m.Tolerations = []*source.Node{tree}
		m.Affinity, m.TopologySpreadConstraints, m.AccessCredentials = tree, tree, tree
		m.ReadinessProbe, m.LivenessProbe = tree, tree
		var asked []string
		w.Set(new(kubevirtv1.VirtualMachineInstanceSpec), &m, func(n *source.Node, into any, key string) {
			require.NotNil(t, into)
			require.NotNil(t, n)
			asked = append(asked, key)
		})
		require.Equal(t, []string{w.Key}, asked)
	}
}

// The kinds of content come back, each with its keys.
func TestContents(t *testing.T) {
	for _, text := range []string{
		`{dataSource: a/b}`, `{dataSource: b}`, `{registry: "docker://a", secret: s, certConfigMap: c}`,
		`{http: "https://a", secret: s, certConfigMap: c}`, `{s3: "s3://a", secret: s, certConfigMap: c}`,
		`{gcs: "gs://a", secret: s}`, `{pvc: a/b}`, `{snapshot: b}`, `{upload: true}`, `{blank: true}`,
	} {
		n, s := parsed(t, text)
		var spec cdiv1.DataVolumeSpec
		keys.SetContent(&spec, s)
		var got node.Map
		keys.GetContent(&got, &spec)
		require.Equal(t, jsonOf(n), jsonOf(got.Node()), text)
	}
}

// The kinds of volumes come back, each with its keys.
func TestVolumes(t *testing.T) {
	for text, kind := range map[string]machine.DiskKind{
		`{claim: a}`: machine.DiskClaim, `{dataVolume: a}`: machine.DiskClaim,
		`{containerDisk: a, secret: s, pullPolicy: Always, path: /p}`: machine.DiskContainerDisk,
		`{emptyDisk: true}`: machine.DiskEmpty, `{configMap: a, volumeLabel: l}`: machine.DiskFiles,
		`{secret: a, volumeLabel: l}`: machine.DiskFiles, `{serviceAccount: a}`: machine.DiskFiles,
		`{downwardMetrics: true}`: machine.DiskFiles,
	} {
		n, s := parsed(t, text)
		var to kubevirtv1.VolumeSource
		keys.SetVolume(&to, &machine.Disk{Kind: kind, Source: *s, Claim: "a", Size: "1Gi"})
		var disk, from node.Map
		keys.GetVolume(&disk, &from, &to)
		require.Equal(t, jsonOf(n), jsonOf(from.Node()), text)
		require.Equal(t, kind == machine.DiskEmpty, disk.Get("size").Str() == "1Gi", text)
	}
}

func TestCloudInit(t *testing.T) {
	for text, of := range map[string]struct {
		machine.CloudInit
		keys.GuestData
	}{
		`{"userData":"u","networkData":"n","store":"inline"}`: {
			GuestData: keys.GuestData{User: "u", Network: "n"},
		},
		`{"userData":"u","networkData":"n","store":"base64"}`: {
			CloudInit: machine.CloudInit{CloudInit: values.CloudInit{Store: "base64"}},
			GuestData: keys.GuestData{User: "u", Network: "n"},
		},
		`{"secret":"own","networkDataSecret":"net","datasource":"configDrive"}`: {
			CloudInit: machine.CloudInit{CloudInit: values.CloudInit{
				Secret: "own", NetworkDataSecret: "net", Datasource: "configDrive",
			}},
		},
		`{"secret":"vm-cloudinit"}`: {
			CloudInit: machine.CloudInit{SecretName: "vm-cloudinit"}, GuestData: keys.GuestData{User: "u", Secret: true},
		},
	} {
		var to kubevirtv1.VolumeSource
		keys.SetCloudInit(&to, &of.CloudInit, &of.GuestData)
		require.Equal(t, text, jsonOf(keys.GetCloudInit(&to).Node()))
	}
	require.Nil(t, keys.GetCloudInit(new(kubevirtv1.VolumeSource)))
}

// Data in Base64 is read only if it is rendered back to the same text.
func TestEncodedCloudInit(t *testing.T) {
	for _, text := range []string{"dQ", "dR==", "/w==", "AAAA"} {
		s := kubevirtv1.CloudInitNoCloudSource{UserDataBase64: text}
		require.Empty(t, keys.GetCloudInit(&kubevirtv1.VolumeSource{CloudInitNoCloud: &s}).Fields, text)
	}
	mixed := kubevirtv1.CloudInitNoCloudSource{UserDataBase64: "dQ==", NetworkData: "n"}
	require.Empty(t, keys.GetCloudInit(&kubevirtv1.VolumeSource{CloudInitNoCloud: &mixed}).Fields)
}

func TestHardware(t *testing.T) {
	for _, kind := range []string{"bios", "efi", "secureboot"} {
		for _, adopted := range []bool{false, true} {
			var f kubevirtv1.Firmware
			m := &machine.Machine{Adopted: adopted}
			m.Firmware.Type, m.Firmware.Persistent = kind, kind != "bios"
			keys.SetBootloader(&f, m)
			got, persistent := keys.Bootloader(&f, false)
			require.Equal(t, kind, got)
			require.Equal(t, kind != "bios", persistent)
		}
	}
	for _, mode := range []machine.TPMMode{machine.TPMNone, machine.TPMVolatile, machine.TPMPersistent} {
		var d kubevirtv1.Devices
		keys.SetTPM(&d, mode)
		require.Equal(t, mode, keys.TPM(d.TPM))
	}
}

func parsed(t *testing.T, text string) (*source.Node, *catalog.Source) {
	t.Helper()
	var found source.Diagnostics
	n := source.Parse(&source.File{Name: "a.yaml", Data: []byte(text)}, &found)[0]
	s := new(catalog.Source)
	source.Decode(n, s, "", &found)
	require.False(t, found.HasErrors(), text)
	return n, s
}

func jsonOf(n *source.Node) string { return string(source.AppendJSON(nil, n)) }
