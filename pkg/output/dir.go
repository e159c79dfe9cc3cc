package output

import (
	"errors"
	"io/fs"
	"os"
	"path"
)

// Dir is a directory that what is written stays in, symbolic links included.
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

// Close lets go of the directory; there is nothing in it that closing could lose.
func (d *Dir) Close() { _ = d.root.Close() }

// Write writes a file, with the directories above it. Names have slashes.
func (d *Dir) Write(name string, data []byte) error {
	if err := d.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	return d.root.WriteFile(name, data, 0o644)
}

// Has reports whether there may be something of a name, a symbolic link included.
func (d *Dir) Has(name string) bool {
	_, err := d.root.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}
