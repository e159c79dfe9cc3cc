package output

import (
	"errors"
	"io/fs"
	"os"
	"path"
)

// Dir is a directory. Writes cannot leave it, not even through symbolic links.
type Dir struct{ root *os.Root }

// OpenDir opens a directory, and creates it if needed.
func OpenDir(path string) (*Dir, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Dir{root}, nil
}

// Close closes the directory. An error would mean nothing: files are already written.
func (d *Dir) Close() { _ = d.root.Close() }

// Write writes a file, and creates its directories if needed. Names have slashes.
func (d *Dir) Write(name string, data []byte) error {
	if err := d.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	return d.root.WriteFile(name, data, 0o644)
}

// Has reports whether a file, directory or symbolic link with the name may exist.
func (d *Dir) Has(name string) bool {
	_, err := d.root.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}
