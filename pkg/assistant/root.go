package assistant

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/vmrender/vmrender/pkg/fleet"
)

// root is the directory that all paths are below: absolute, without symbolic links. It is the working directory.
type root string

// newRoot returns the working directory.
func newRoot() (root, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	dir, err = filepath.EvalSymlinks(dir)
	return root(dir), err
}

// path returns a path as a command can take it: relative to the root, and neither a flag nor a word with a meaning. It
// returns an error if the path, a directory on the way, a symbolic link below it, or the fleet that it belongs to is
// outside of the root.
func (r root) path(name, value string) (string, error) {
	rel := filepath.FromSlash(value)
	if filepath.IsAbs(rel) {
		var err error
		if rel, err = filepath.Rel(string(r), rel); err != nil {
			return "", r.outside(name, value)
		}
	}
	rel = filepath.Clean(rel)
	if !filepath.IsLocal(rel) {
		return "", r.outside(name, value)
	}
	for at := rel; at != "."; at = filepath.Dir(at) {
		if !r.holds(at) {
			return "", r.outside(name, value)
		}
	}
	if dir := fleet.Root(rel, ""); dir != "" && !r.holds(dir) {
		return "", fmt.Errorf("%s %q: its fleet is outside of the root %q; expected a path whose fleet.yaml is below it",
			name, value, string(r))
	}
	if err := r.links(name, rel); err != nil {
		return "", err
	}
	if strings.HasPrefix(rel, "-") || rel == "cluster" { // standard input, and the cluster itself
		rel = "." + string(filepath.Separator) + rel
	}
	return rel, nil
}

func (r root) outside(name, value string) error {
	return fmt.Errorf("%s %q: outside of the root %q; expected a path below it", name, value, string(r))
}

// holds reports whether what a path leads to is below the root. A path that does not exist leads nowhere.
func (r root) holds(path string) bool {
	end, err := filepath.EvalSymlinks(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	if end, err = filepath.Abs(end); err != nil {
		return false
	}
	rel, err := filepath.Rel(string(r), end)
	return err == nil && filepath.IsLocal(rel)
}

// links returns an error for the first symbolic link below a path that leads out of the root. Hidden directories are
// not read.
func (r root) links(name, path string) error {
	return filepath.WalkDir(path, func(at string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // the command reports what it cannot read
		case e.IsDir() && at != path && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case e.Type()&fs.ModeSymlink != 0 && !r.holds(at):
			return fmt.Errorf("%s %q: the symbolic link leads out of the root %q; expected files below it", name, at, string(r))
		}
		return nil
	})
}

// repository reports whether the nearest repository above a path is below the root.
func (r root) repository(path string) bool {
	for at := path; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return true
		}
		if at == "." {
			return false
		}
	}
}
