package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// vmsIn returns the entries of `vms` in all files of a directory tree.
func vmsIn(t *testing.T, pattern string) map[string]any {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	require.NoError(t, err)
	all := map[string]any{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var file struct {
			VMs map[string]any `json:"vms"`
		}
		require.NoError(t, yaml.UnmarshalStrict(text, &file))
		for name, vm := range file.VMs {
			require.NotContains(t, all, name)
			all[name] = vm
		}
	}
	return all
}

func TestLayoutsHoldTheSameMachines(t *testing.T) {
	const n = 25
	dir := t.TempDir()
	files, file := filepath.Join(dir, "files"), filepath.Join(dir, "file")
	require.NoError(t, writeFleet(files, n, filePerVM))
	require.NoError(t, writeFleet(file, n, oneFile))

	spread := vmsIn(t, filepath.Join(files, "vms", "*", "*.yaml"))
	require.Len(t, spread, n)
	require.Equal(t, spread, vmsIn(t, filepath.Join(file, "vms.yaml")))
}

func TestDirectoriesAreBounded(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, writeFleet(dir, 2*filesPerDirectory+1, filePerVM))

	var counts []int
	for _, name := range []string{"000", "001", "002"} {
		entries, err := os.ReadDir(filepath.Join(dir, "vms", name))
		require.NoError(t, err)
		counts = append(counts, len(entries))
	}
	require.Equal(t, []int{filesPerDirectory, filesPerDirectory, 1}, counts)
}

func TestValuesHoldElevenKeysPerMachine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, writeValues(path, 3))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var values struct {
		VMs []map[string]any `json:"vms"`
	}
	require.NoError(t, yaml.UnmarshalStrict(text, &values))
	require.Len(t, values.VMs, 3)
	for i, vm := range values.VMs {
		require.Len(t, vm, 11)
		require.Equal(t, newMachine(i).Name, vm["name"])
		require.Equal(t, newMachine(i).SSHKey, vm["sshKey"])
	}
}
