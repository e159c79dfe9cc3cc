package exports

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// readDir reads a directory that is an OCI image layout, or an unpacked backup by Velero,
// with the bounds of [readArchive]. For others, it returns neither objects nor an error.
func readDir(dir fs.FS) ([]manifest.Object, error) {
	switch {
	case exists(dir, "oci-layout") && exists(dir, indexFile):
		return readLayout(dir)
	case exists(dir, "resources/virtualmachines.kubevirt.io"):
		return readBackup(dir)
	}
	return nil, nil
}

func exists(dir fs.FS, name string) bool {
	_, err := fs.Stat(dir, name)
	return !errors.Is(err, fs.ErrNotExist)
}

// readLayout reads the VM in a directory that is an OCI image layout, with the bounds
// of [readArchive]. It reads the files that are needed, and no others.
func readLayout(dir fs.FS) ([]manifest.Object, error) {
	found := layout{}
	for name := found.next(); name != ""; name = found.next() {
		content, err := readSmall(dir, name)
		if err != nil {
			return nil, err
		}
		found[name] = content
	}
	return found.objects()
}

// readSmall reads a file that is not larger than an object can be.
func readSmall(dir fs.FS, name string) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written to it
	content, err := io.ReadAll(io.LimitReader(f, maxObject+1))
	if err == nil && len(content) > maxObject {
		err = fmt.Errorf("%s: larger than %d MiB", name, maxObject>>20)
	}
	return content, err
}

// readBackup reads the resources of a backup.
func readBackup(dir fs.FS) ([]manifest.Object, error) {
	a := archive{dir: dir}
	for _, resource := range resources {
		for _, scope := range scopes {
			top := path.Join("resources", resource, scope)
			if !exists(dir, top) {
				continue
			}
			if err := fs.WalkDir(dir, top, a.visit); err != nil {
				return nil, err
			}
		}
	}
	return a.objects()
}

// visit reads a file of a directory; it is an [fs.WalkDirFunc].
func (a *archive) visit(name string, d fs.DirEntry, err error) error {
	if err != nil || !d.Type().IsRegular() {
		return err
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	f, err := a.dir.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // nothing was written to it
	return a.file(name, info.Size(), f)
}
