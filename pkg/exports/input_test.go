package exports

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadExport(t *testing.T) {
	dir := t.TempDir()
	backup := filepath.Join(dir, "backup")
	require.NoError(t, os.CopyFS(backup, unpacked(backupFiles)))
	manifests := filepath.Join(dir, "vm.json")
	require.NoError(t, os.WriteFile(manifests, []byte(vmJSON), 0o600))
	archive := filepath.Join(dir, "backup.tar")
	require.NoError(t, os.WriteFile(archive, archiveOf(t, backupFiles), 0o600))

	for path, want := range map[string]int{backup: 2, archive: 2, dir: 0, manifests: 0} {
		objects, isExport, err := Read(path)
		require.NoError(t, err, path)
		require.Len(t, objects, want, path)
		require.Equal(t, want > 0, isExport, path)
	}
	_, isExport, err := Read(filepath.Join(dir, "none"))
	require.True(t, isExport)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
