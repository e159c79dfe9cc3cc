package platform

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

const outsideProblem = "leaves the repository; expected a file below its root"

// outside returns what is wrong with reading a path: whether it is outside of the
// repository, by itself or through symbolic links. For a file that does not exist, only
// the path counts.
func (d *Document) outside(path string) string {
	if d.root == "" {
		return ""
	}
	for _, p := range []string{absolute(path), physical(path)} {
		if !d.within(p) {
			return outsideProblem
		}
	}
	return ""
}

// within reports whether an absolute path is in the repository, which may be written
// with symbolic links above its root.
func (d *Document) within(path string) bool {
	rel, err := filepath.Rel(d.root, path)
	if err == nil && filepath.IsLocal(rel) {
		return true
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return false
	}
	rel, err = filepath.Rel(d.root, filepath.Join(dir, filepath.Base(path)))
	return err == nil && filepath.IsLocal(rel)
}

// Walk calls visit for each regular file of a directory in the order of their paths,
// without hidden ones, or for the file itself. It ends with the first error; a file
// outside of the repository is one.
func (d *Document) Walk(path string, visit func(file string) error) error {
	return filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := e.Name(); file != path && name[0] == '.' {
			if e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if e.IsDir() {
			return nil
		}
		if problem := d.outside(file); problem != "" {
			return &fs.PathError{Path: file, Op: "read", Err: errors.New(problem)}
		}
		return visit(file)
	})
}

// physicalRoot returns the root of the repository without symbolic links: the given one,
// or the nearest directory above a path that has a .git, or "" if there is none.
func physicalRoot(given, path string) string {
	if given != "" {
		return physical(given)
	}
	for dir := filepath.Dir(absolute(path)); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return physical(dir)
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}

// physical returns an absolute path without symbolic links, as far as it can be
// resolved.
func physical(path string) string {
	path = absolute(path)
	if end, err := filepath.EvalSymlinks(path); err == nil {
		return end
	}
	return path
}

// reason strips the operation and the path from an os error.
func reason(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}
