package product

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// choice is one value of a dimension of the matrix: a part of the VM's name,
// and the keys that it sets.
type choice struct {
	name string
	set  func(vm map[string]any, os OS, n int)
}

// dimensions returns the dimensions in which virtual machines differ. Every combination is a VM.
func dimensions() [][]choice {
	return [][]choice{
		{{"own", setExpanded}, {"type", setInstancetype}},
		{{"pet", setKey("lifecycle", "pet")}, {"cattle", setKey("lifecycle", "cattle")}},
		{{"pod", setKey("nics", []any{"pod"})}, {"bridged", setKey("nics", []any{"pod", "vlan2003"})}, {"static", setStatic}},
		{{"root", setDisks(nil)}, {"data", setDisks(map[string]any{"size": "10Gi"})}, {"hotplug", setDisks(map[string]any{"size": "10Gi", "hotpluggable": true})}},
	}
}

// WriteMatrix writes a fleet with a VM for every operating system in every
// combination of the dimensions, one file per operating system. It returns the
// number of VMs.
func WriteMatrix(t *testing.T, dir string, systems []OS) int {
	t.Helper()
	write(t, filepath.Join(dir, "fleet.yaml"), map[string]any{
		"apiVersion": "vmrender.io/v1alpha1",
		"kind":       "Fleet",
		"metadata":   map[string]any{"name": "matrix"},
		"target":     map[string]any{"image": "registry.example.com/vmrender:1"},
		"identity":   map[string]any{"macPrefix": "02:a1:b2"},
		"catalog": map[string]any{"networks": map[string]any{"vlan2003": map[string]any{
			"nad": "default/vlan2003", "cidr": "10.0.0.0/8", "gateway": "10.0.0.1", "dns": []any{"10.0.0.2"},
		}}},
	})
	total := 0
	for _, os := range systems {
		vms := machines(dimensions(), os, total)
		write(t, filepath.Join(dir, os.Name+".yaml"), map[string]any{"vms": vms})
		total += len(vms)
	}
	return total
}

// machines returns the VMs of one operating system, by name. Their numbers,
// which determine IP addresses, begin after first.
func machines(dimensions [][]choice, os OS, first int) map[string]any {
	vms := map[string]any{}
	for _, choices := range combinations(dimensions) {
		vm := map[string]any{"os": os.Name}
		for _, c := range choices {
			c.set(vm, os, first+len(vms)+1)
		}
		vms[machineName(os, choices)] = vm
	}
	return vms
}

// machineName returns a name that consists of the operating system's name and those of the choices.
func machineName(os OS, choices []choice) string {
	parts := make([]string, 0, 1+len(choices))
	parts = append(parts, strings.ReplaceAll(os.Name, ".", "-"))
	for _, c := range choices {
		parts = append(parts, c.name)
	}
	return strings.Join(parts, "-")
}

// combinations returns the product of the dimensions.
func combinations(dimensions [][]choice) [][]choice {
	combined := [][]choice{nil}
	for _, dimension := range dimensions {
		var longer [][]choice
		for _, choices := range combined {
			for _, c := range dimension {
				longer = append(longer, append(slices.Clip(choices), c))
			}
		}
		combined = longer
	}
	return combined
}

func setKey(key string, value any) func(map[string]any, OS, int) {
	return func(vm map[string]any, _ OS, _ int) { vm[key] = value }
}

func setExpanded(vm map[string]any, _ OS, _ int) {
	vm["cpu"], vm["memory"] = 4, "8Gi"
}

func setInstancetype(vm map[string]any, os OS, _ int) {
	vm["instancetype"], vm["preference"] = "u1.xlarge", preference(os)
}

func setStatic(vm map[string]any, os OS, n int) {
	address := fmt.Sprintf("10.1.%d.%d/8", n/250, n%250+1)
	vm["nics"] = []any{map[string]any{"network": "vlan2003", "ip": address}}
	if os.Family == "windows" {
		vm["cloudInit"] = map[string]any{"datasource": "configDrive"}
	}
}

// setDisks adds the data disk, if any, to the VM. If the catalog has no source
// for the root disk, it adds one.
func setDisks(data map[string]any) func(map[string]any, OS, int) {
	return func(vm map[string]any, os OS, _ int) {
		disks := map[string]any{}
		if data != nil {
			disks["data"] = data
		}
		if os.Image == "" {
			disks["root"] = map[string]any{"source": map[string]any{"registry": "docker://registry.example.org/" + os.Name + ":1"}}
		}
		if len(disks) > 0 {
			vm["disks"] = disks
		}
	}
}

// preference returns the name of the KubeVirt preference that fits the
// operating system: that of its version if there is one, or else that of its
// vendor or family.
func preference(os OS) string {
	versioned := strings.NewReplacer("rhel", "rhel.", "-", ".", "windows20", "windows.2k", "windows1", "windows.1").Replace(os.Name)
	switch vendor := strings.TrimRight(os.Name, "0123456789."); vendor {
	case "ubuntu", "debian", "sles", "oraclelinux":
		return vendor
	case "windows":
		if os.Name == vendor {
			return "windows.2k22"
		}
	}
	return versioned
}

func write(t *testing.T, path string, content any) {
	t.Helper()
	text, err := yaml.Marshal(content)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text, 0o600))
}

// hardware returns the dimensions in which CPU architectures differ. Every combination that exists is a VM.
func hardware() [][]choice {
	nothing := func(map[string]any, OS, int) {}
	return [][]choice{
		{{"amd64", setKey("arch", "amd64")}, {"arm64", setKey("arch", "arm64")}, {"s390x", setKey("arch", "s390x")}},
		{{"disk", setDrive("")}, {"cdrom", setDrive("cdrom")}, {"lun", setDrive("lun")}},
		{{"config", setAnswers}, {"none", nothing}},
		{{"tpm", setKey("tpm", true)}, {"notpm", setKey("tpm", false)}, {"ostpm", nothing}},
		{{"bios", setKey("firmware", "bios")}, {"efi", setKey("firmware", "efi")}, {"secure", setKey("firmware", "secureboot")}, {"os", nothing}},
	}
}

// WriteArchitectures writes a fleet with a VM for every operating system in every combination of the hardware, except
// impossible ones. It returns the number of VMs.
func WriteArchitectures(t *testing.T, dir string, systems []OS) int {
	t.Helper()
	write(t, filepath.Join(dir, "fleet.yaml"), map[string]any{
		"apiVersion": "vmrender.io/v1alpha1", "kind": "Fleet", "metadata": map[string]any{"name": "architectures"},
	})
	total := 0
	for _, os := range systems {
		vms := machines(hardware(), os, total)
		for name, vm := range vms {
			if impossible(vm.(map[string]any), os) {
				delete(vms, name)
			}
		}
		write(t, filepath.Join(dir, os.Name+".yaml"), map[string]any{"vms": vms})
		total += len(vms)
	}
	return total
}

// impossible reports whether vmrender refuses a VM. Windows requires amd64, s390x has neither a choice of firmware nor
// a TPM, and arm64 has only EFI without secure boot.
func impossible(vm map[string]any, os OS) bool {
	switch firmware, arch := vm["firmware"], vm["arch"]; {
	case arch == "amd64":
		return false
	case arch == "s390x" && (vm["tpm"] == true || firmware != nil):
		return true
	case arch == "arm64" && firmware != nil && firmware != "efi":
		return true
	}
	return os.Family == "windows"
}

// setDrive adds a second drive of a type to the VM, and gives its root disk a source that exists for every
// architecture.
func setDrive(kind string) func(map[string]any, OS, int) {
	return func(vm map[string]any, os OS, n int) {
		setExpanded(vm, os, n)
		vm["disks"] = map[string]any{
			"root":  map[string]any{"source": map[string]any{"registry": "docker://registry.example.org/" + os.Name + ":1"}},
			"drive": map[string]any{"size": "10Gi", "type": kind},
		}
		if kind == "" {
			vm["disks"].(map[string]any)["drive"] = "10Gi"
		}
	}
}

// setAnswers sets the configuration that the guest reads.
func setAnswers(vm map[string]any, os OS, _ int) {
	if os.Family == "windows" {
		vm["sysprep"] = map[string]any{"configMap": "answers"}
		return
	}
	vm["cloudInit"] = map[string]any{"user": "me"}
}
