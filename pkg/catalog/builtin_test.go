package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	kubevirt "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/source"
)

// strict decodes a node and reports all problems with it.
func strict[T any](n *source.Node, path string) []string {
	var diags source.Diagnostics
	source.Decode(n, new(T), path, &diags)
	return texts(&diags)
}

func texts(diags *source.Diagnostics) []string {
	var lines []string
	for _, d := range diags.Sorted() {
		lines = append(lines, d.String())
	}
	return lines
}

func builtins(t *testing.T) *Set {
	t.Helper()
	var diags source.Diagnostics
	s := New(nil, &diags)
	require.Zero(t, diags.Len())
	return s
}

// The tables split their files themselves. The result must be the same as parsing the
// whole file.
func TestTablesAreTheirFiles(t *testing.T) {
	for kind, text := range map[string]string{
		"os": osText, "traits": traitsText, "flavors": flavorsText, "arch": archText, "public images": imagesText,
	} {
		var diags source.Diagnostics
		docs := source.Parse(&source.File{Name: kind, Data: []byte(text)}, &diags)
		require.Empty(t, texts(&diags))
		require.Len(t, docs, 1)
		require.Len(t, builtin(kind).names, len(docs[0].Fields))
		for i, f := range docs[0].Fields {
			require.Equal(t, f.Key, builtin(kind).names[i])
			require.Equal(t, string(source.AppendJSON(nil, f.Value)), string(source.AppendJSON(nil, builtin(kind).get(f.Key))))
		}
	}
	require.Equal(t, "<built-in os rhel9>:2:9", builtinOS().get("rhel9").Get("from").Pos().String())
	require.Nil(t, builtin("images").get("x"))
}

func TestBuiltinOperatingSystemsAreComplete(t *testing.T) {
	s := builtins(t)
	for _, name := range builtinOS().names {
		t.Run(name, func(t *testing.T) {
			require.Empty(t, strict[OS](builtinOS().get(name), name))
			os := s.OS(name)
			require.NotNil(t, os)
			require.Contains(t, []string{"linux", "windows"}, os.Family)
			require.Contains(t, []string{"server", "desktop"}, os.Workload)
			require.NotEmpty(t, os.Label)
			require.Empty(t, quantityProblem(os.RootSize, OfDisk))
			require.NotNil(t, os.Minimum)
			require.Positive(t, os.Minimum.CPU)
			require.NotEmpty(t, os.DiskBus)
			require.NotEmpty(t, os.CDROMBus)
			require.NotEmpty(t, os.NICModel)
			require.Contains(t, []string{"bios", "efi", "secureboot"}, os.Defaults.Get("firmware", "type").Text)
			require.NotNil(t, os.Defaults.Get("terminationGracePeriodSeconds"))
			require.NotNil(t, os.Spec.Get("domain", "features", "acpi"))
			if os.Image != nil {
				require.Len(t, os.Image.Kinds(), 1)
				require.Empty(t, os.Image.Problems())
				require.Empty(t, quantityProblem(os.Minimum.Memory, OfMemory))
			}
			for _, trait := range os.Traits {
				require.NotNil(t, s.Trait(trait), trait)
			}
		})
	}
}

func TestBuiltinTraitsAreKnownToKubeVirt(t *testing.T) {
	used := map[string]bool{"hyperv-basic": true} // for users' entries
	for _, row := range builtins(t).ListOS() {
		for _, trait := range row.Traits {
			used[trait] = true
		}
	}
	for _, name := range builtinTraits().names {
		trait := builtinTraits().get(name)
		require.Empty(t, strict[Trait](trait, name))
		require.NotNil(t, text(trait, "description"), name)
		require.Empty(t, strict[kubevirt.VirtualMachineInstanceSpec](trait.Get("spec"), name))
		require.Nil(t, trait.Get("spec", "domain", "firmware"), "%s: firmware is a VM key", name)
		require.True(t, used[name], "%s is used by no operating system", name)
	}
}

// These are facts about kubevirt/common-instancetypes and kubevirt/common-templates,
// written down independently of the data.
func TestFacts(t *testing.T) {
	s := builtins(t)
	for _, want := range []struct {
		name, label, firmware, persistent, tpm, disk, nic, topology, root, memory, image, user string
		cpu                                                                                    int
		grace                                                                                  string
	}{
		{
			"rhel7", "rhel7", "bios", "", "", "virtio", "virtio", "sockets", "30Gi", "1Gi",
			"dataSource openshift-virtualization-os-images/rhel7", "cloud-user", 1, "180",
		},
		{
			"rhel8", "rhel8", "bios", "", "", "virtio", "virtio", "sockets", "30Gi", "1536Mi",
			"dataSource openshift-virtualization-os-images/rhel8", "cloud-user", 1, "180",
		},
		{
			"rhel9", "rhel9", "secureboot", "", "", "virtio", "virtio", "sockets", "30Gi", "1536Mi",
			"dataSource openshift-virtualization-os-images/rhel9", "cloud-user", 1, "180",
		},
		{
			"centos-stream9", "centos-stream9", "bios", "", "", "virtio", "virtio", "sockets", "30Gi", "1536Mi",
			"dataSource openshift-virtualization-os-images/centos-stream9", "centos", 1, "180",
		},
		{
			"fedora", "fedora", "secureboot", "", "", "virtio", "virtio", "sockets", "30Gi", "2Gi",
			"dataSource openshift-virtualization-os-images/fedora", "fedora", 1, "180",
		},
		{
			"ubuntu24.04", "ubuntu", "bios", "", "", "virtio", "virtio", "sockets", "30Gi", "2Gi",
			"registry docker://quay.io/containerdisks/ubuntu:24.04", "ubuntu", 1, "180",
		},
		{
			"debian12", "debian12", "efi", "", "", "virtio", "virtio", "sockets", "30Gi", "512Mi",
			"registry docker://quay.io/containerdisks/debian:12", "debian", 1, "180",
		},
		{"oraclelinux9", "oraclelinux9", "efi", "", "", "virtio", "virtio", "sockets", "30Gi", "4Gi", "", "opc", 2, "180"},
		{
			"windows10", "windows10", "secureboot", "", "", "sata", "e1000e", "cores", "60Gi", "2Gi",
			"dataSource openshift-virtualization-os-images/win10", "", 1, "3600",
		},
		{
			"windows11", "windows11", "secureboot", "true", "true", "sata", "e1000e", "cores", "64Gi", "4Gi",
			"dataSource openshift-virtualization-os-images/win11", "", 2, "3600",
		},
		{
			"windows2019", "windows2k19", "secureboot", "", "", "sata", "e1000e", "sockets", "60Gi", "2Gi",
			"dataSource openshift-virtualization-os-images/win2k19", "", 1, "3600",
		},
		{
			"windows2022", "windows2k22", "secureboot", "true", "true", "sata", "e1000e", "sockets", "60Gi", "2Gi",
			"dataSource openshift-virtualization-os-images/win2k22", "", 1, "3600",
		},
		{
			"windows2025", "windows2k25", "secureboot", "true", "true", "sata", "e1000e", "sockets", "64Gi", "2Gi",
			"dataSource openshift-virtualization-os-images/win2k25", "", 1, "3600",
		},
	} {
		t.Run(want.name, func(t *testing.T) {
			os := s.OS(want.name)
			require.Equal(t, want.name, os.Name)
			require.Equal(t, want.label, os.Label)
			require.Equal(t, want.firmware, value(os.Defaults.Get("firmware", "type")))
			require.Equal(t, want.persistent, value(os.Defaults.Get("firmware", "persistent")))
			require.Equal(t, want.tpm, value(os.Defaults.Get("tpm", "persistent")))
			require.Equal(t, want.grace, value(os.Defaults.Get("terminationGracePeriodSeconds")))
			require.Equal(t, []string{want.disk, want.nic, want.topology}, []string{os.DiskBus, os.NICModel, os.Topology})
			require.Equal(t, []any{want.root, want.cpu, want.memory, want.user},
				[]any{os.RootSize, os.Minimum.CPU, os.Minimum.Memory, os.User})
			image := ""
			if os.Image != nil {
				image = os.Image.String()
			}
			require.Equal(t, want.image, image)
			require.Equal(t, os.Family == "linux", os.Multiqueue)
		})
	}
}

func TestHardwareOfWindows(t *testing.T) {
	require.JSONEq(t, `{"domain": {
		"features": {"acpi": {}, "apic": {}, "hyperv": {
			"frequencies": {}, "ipi": {}, "reenlightenment": {}, "relaxed": {}, "reset": {}, "runtime": {},
			"spinlocks": {"spinlocks": 8191}, "synic": {}, "synictimer": {"direct": {}}, "tlbflush": {},
			"vapic": {}, "vpindex": {}}},
		"clock": {"utc": {}, "timer": {
			"hpet": {"present": false}, "hyperv": {}, "pit": {"tickPolicy": "delay"}, "rtc": {"tickPolicy": "catchup"}}},
		"devices": {"inputs": [{"bus": "usb", "name": "tablet", "type": "tablet"}]}}}`,
		string(source.AppendJSON(nil, builtins(t).OS("windows2022").Spec)))
}

func TestHardwareOfLinux(t *testing.T) {
	require.JSONEq(t, `{"domain": {"features": {"acpi": {}}, "devices": {"rng": {}}}}`,
		string(source.AppendJSON(nil, builtins(t).OS("rhel9").Spec)))
}

// The sizes are those of common-instancetypes, as vCPU/Gi for each series.
func TestFlavorsOfCommonInstancetypes(t *testing.T) {
	general := "nano 1/0.5 micro 1/1 small 1/2 medium 1/4 2xmedium 2/4 " +
		"large 2/8 xlarge 4/16 2xlarge 8/32 4xlarge 16/64 8xlarge 32/128"
	exclusive := "medium 1/2 large 2/4 xlarge 4/8 2xlarge 8/16 4xlarge 16/32 8xlarge 32/64"
	memory := "large 2/16 xlarge 4/32 2xlarge 8/64 4xlarge 16/128 8xlarge 32/256"
	dedicated := []string{"dedicated", "isolateEmulator"}
	var want []FlavorRow
	add := func(series, sizes, suffix, hugepages string, options ...string) {
		words := strings.Fields(sizes)
		for i := 0; i < len(words); i += 2 {
			var cpu int
			var gi float64
			_, err := fmt.Sscanf(words[i+1], "%d/%g", &cpu, &gi)
			require.NoError(t, err)
			quantity := fmt.Sprintf("%gGi", gi)
			if gi < 1 {
				quantity = "512Mi"
			}
			want = append(want, FlavorRow{
				Name: series + words[i] + suffix, CPU: cpu, Memory: quantity, Hugepages: hugepages, Options: options,
			})
		}
	}
	add("u1.", general, "", "")
	add("o1.", strings.ReplaceAll(general, "2xmedium 2/4 ", ""), "", "")
	add("d1.", general, "", "", dedicated...)
	add("cx1.", exclusive, "", "2Mi", append(dedicated, "numa")...)
	add("cx1.", exclusive, "1gi", "1Gi", append(dedicated, "numa")...)
	add("m1.", memory, "", "2Mi")
	add("m1.", memory, "1gi", "1Gi")
	add("n1.", "medium 4/4 large 4/8 xlarge 8/16 2xlarge 16/32 4xlarge 32/64 8xlarge 64/128", "", "1Gi", dedicated...)
	add("rt1.", strings.NewReplacer("nano 1/0.5 ", "", "2xmedium 2/4 ", "").Replace(general), "", "1Gi",
		append(dedicated, "numa", "realtime")...)
	require.Len(t, want, 65)
	want = append(want, FlavorRow{Name: "tiny", CPU: 1, Memory: "1536Mi"}, FlavorRow{Name: "small", CPU: 1, Memory: "2Gi"},
		FlavorRow{Name: "medium", CPU: 1, Memory: "4Gi"}, FlavorRow{Name: "large", CPU: 2, Memory: "8Gi"})
	slices.SortFunc(want, func(a, b FlavorRow) int { return strings.Compare(a.Name, b.Name) })
	require.Equal(t, want, builtins(t).ListFlavors())
}

func TestNUMAFlavorsCannotGrow(t *testing.T) {
	cpu := builtins(t).Flavor("cx1.xlarge1gi").Get("cpu")
	require.Equal(t, "4", cpu.Get("sockets").Text)
	require.Equal(t, "4", cpu.Get("maxSockets").Text)
}

func TestPodNetworkIsBuiltIn(t *testing.T) {
	require.Equal(t, &Network{Pod: true}, builtins(t).Network("pod"))
}
