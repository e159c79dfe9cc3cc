package adopt

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// write writes the files of an archive below a directory.
func write(t *testing.T, dir string, files []file) {
	t.Helper()
	for _, f := range files {
		if f.content == "" {
			continue
		}
		name := filepath.Join(dir, filepath.FromSlash(f.name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(f.content), 0o600))
	}
}

func TestRead(t *testing.T) {
	export := exportFiles(vmJSON, "application/vnd.kubevirt.virtualmachine.config.v1+json")
	backup := zipped(t, archiveOf(t, backupFiles))
	dir := t.TempDir()
	write(t, filepath.Join(dir, "backup"), backupFiles)
	write(t, filepath.Join(dir, "export"), export)
	write(t, filepath.Join(dir, "manifests"), []file{{"a/vm.json", vmJSON}})
	write(t, dir, []file{
		{"backup.tar.gz", string(backup)},
		{"export.tar", string(archiveOf(t, export))},
		{"vm.yaml", vmJSON},
	})

	for name, want := range map[string]int{
		"backup": 2, "export": 1, "manifests": 1, "backup.tar.gz": 2, "export.tar": 1, "vm.yaml": 1,
	} {
		objects, err := Read(filepath.Join(dir, name))
		require.NoError(t, err, name)
		require.Len(t, objects, want, name)
		require.Equal(t, "VirtualMachine prod/web01", objects[0].String())
	}
}

func TestReadProblems(t *testing.T) {
	dir := t.TempDir()
	broken := archiveOf(t, []file{{"README", "hello"}})
	write(t, dir, []file{
		{"other.tar", string(broken)},
		{"vm.yaml", "kind: VirtualMachine\n"},
		{"export/oci-layout", "{}"},
		{"export/index.json", "{}"},
		{"backup/resources/virtualmachines.kubevirt.io/namespaces/a/b.json", "{}"},
	})
	for name, want := range map[string]string{
		"none":      "none: no such file or directory",
		"other.tar": "other.tar: the archive is neither a backup by Velero",
		"vm.yaml":   "vm.yaml:1: object without apiVersion, metadata.name",
		"export":    "export: index.json: no machine in the OCI image layout",
		"backup":    "backup: resources/virtualmachines.kubevirt.io/namespaces/a/b.json:1: object without apiVersion",
	} {
		objects, err := Read(filepath.Join(dir, name))
		require.ErrorContains(t, err, filepath.Join(dir, want))
		require.Empty(t, objects)
	}
}
