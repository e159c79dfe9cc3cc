// Package exports reads the objects of existing VMs from what other programs write: backups by Velero, VMs that
// KubeVirt exports as OCI image layouts, templates of OpenShift and KubeVirt, and states and plans of Terraform. Files
// of manifests are read elsewhere.
package exports

import (
	"bytes"
	"io"
	"os"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// Read reads the objects of VMs in a file or a directory that is an export: a tar archive, which may be compressed by
// gzip, or a directory, with an OCI image layout or a backup by Velero, of which Secrets are left out. It keeps no file
// larger than 4 MiB in memory, and no more than 512 MiB together.
//
// It reports false for all other files and directories, which are manifests. A file that cannot be opened is an error,
// and counts as an export. So does an archive that is damaged, or is neither of the two.
func Read(path string) (objects []manifest.Object, isExport bool, err error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		objects, err := readDir(os.DirFS(path))
		return objects, objects != nil || err != nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, true, err
	}
	defer file.Close() //nolint:errcheck // nothing was written to it
	head := make([]byte, 512)
	n, _ := io.ReadFull(file, head)
	if !isArchive(head[:n]) {
		return nil, false, nil
	}
	objects, err = readArchive(io.MultiReader(bytes.NewReader(head[:n]), file))
	return objects, true, err
}
