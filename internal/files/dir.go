// Package files writes files whole or not at all: the content goes to a temporary file in the same directory, is
// flushed to the disk, and the file is renamed. If a run is killed, or the disk is full, each file has its old or
// its new content.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Dir is a directory. Reads and writes cannot leave it, and do not follow symbolic links in it. Names are paths
// from the directory, with slashes.
type Dir struct {
	path string
	root *os.Root
}

// Open opens a directory.
func Open(dir string) (*Dir, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, reason(err))
	}
	return &Dir{dir, root}, nil
}

// Create opens a directory, and creates it if needed.
func Create(dir string) (*Dir, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("creating %s: %w", dir, reason(err))
	}
	return Open(dir)
}

// Close closes the directory. An error would mean nothing: files are already written.
func (d *Dir) Close() { _ = d.root.Close() }

// Path returns the path of a file as the user would write it.
func (d *Dir) Path(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// Read returns the content of a file, or nil if it does not exist. What is not a regular file is an error.
func (d *Dir) Read(name string) ([]byte, error) {
	data, _, err := d.read(name)
	return data, err
}

// read also returns the mode of the file. The content of an empty file is not nil.
func (d *Dir) read(name string) ([]byte, fs.FileMode, error) {
	info, err := d.stat(name)
	if err != nil || info == nil {
		return nil, 0, err
	}
	data, err := d.root.ReadFile(name)
	if err != nil {
		return nil, 0, fmt.Errorf("reading %s: %w", d.Path(name), reason(err))
	}
	return data, info.Mode().Perm(), nil
}

// Remove removes a file, and its directory if that is empty then. It reports whether there was a file.
func (d *Dir) Remove(name string) (bool, error) {
	info, err := d.stat(name)
	if err != nil || info == nil {
		return false, err
	}
	if err := d.root.Remove(name); err != nil {
		return false, fmt.Errorf("removing %s: %w", d.Path(name), reason(err))
	}
	if parent := path.Dir(name); parent != "." {
		_ = d.root.Remove(parent) // it fails if there are other files
	}
	return true, nil
}

// stat returns what is known of a regular file, or nil if it does not exist. Opening anything else could follow a
// link, or wait for the other end of a pipe.
func (d *Dir) stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) || name == "." {
		return nil, fmt.Errorf("%q: not the name of a file in %s", name, d.path)
	}
	names := strings.Split(name, "/")
	for i := range names {
		at := path.Join(names[:i+1]...)
		info, err := d.root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", d.Path(at), reason(err))
		case i < len(names)-1 && !info.IsDir():
			return nil, fmt.Errorf("%s: not a directory", d.Path(at))
		case i == len(names)-1 && !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s: not a regular file", d.Path(at))
		case i == len(names)-1:
			return info, nil
		}
	}
	return nil, nil
}

// reason strips the operation and the path from an error of package os.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
