package product

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

func TestMatrixHasEveryCombination(t *testing.T) {
	dir := t.TempDir()
	total := WriteMatrix(t, dir, []OS{{Name: "rhel9", Family: "linux", Image: "dataSource a/b"}, {Name: "sles15", Family: "linux"}})
	require.Equal(t, 2*2*2*3*3, total)

	vms := readMachines(t, filepath.Join(dir, "rhel9.yaml"))
	require.Len(t, vms, 36)
	require.Equal(t, map[string]any{
		"os": "rhel9", "instancetype": "u1.xlarge", "preference": "rhel.9", "lifecycle": "cattle",
		"nics":  []any{map[string]any{"network": "vlan2003", "ip": "10.1.0.37/8"}},
		"disks": map[string]any{"data": map[string]any{"size": "10Gi", "hotpluggable": true}},
	}, vms["rhel9-type-cattle-static-hotplug"])

	sles := readMachines(t, filepath.Join(dir, "sles15.yaml"))
	require.Contains(t, sles["sles15-own-pet-pod-root"], "disks", "a root disk without an image in the catalogue needs a source")
}

func readMachines(t *testing.T, path string) map[string]map[string]any {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var file struct {
		VMs map[string]map[string]any `json:"vms"`
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	return file.VMs
}

func TestPreference(t *testing.T) {
	for os, want := range map[string]string{
		"rhel9": "rhel.9", "rhel10": "rhel.10", "centos-stream9": "centos.stream9", "fedora": "fedora",
		"ubuntu24.04": "ubuntu", "debian12": "debian", "opensuse-leap": "opensuse.leap", "sles15": "sles",
		"oraclelinux9": "oraclelinux", "linux": "linux",
		"windows": "windows.2k22", "windows11": "windows.11", "windows2019": "windows.2k19",
	} {
		require.Equal(t, want, preference(OS{Name: os}))
	}
}
