package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
)

// checkout is the repository as Argo CD has unpacked it. Both paths are
// absolute and without symbolic links.
type checkout struct {
	dir  string // the Application's directory
	root string // what nothing that is read lies above
}

func newCheckout(dir, sourcePath string) checkout {
	if sourcePath != "" {
		return checkout{dir, argocd.RepositoryRoot(dir, sourcePath)}
	}
	return checkout{dir, repositoryAbove(dir)}
}

// repositoryAbove serves calls by hand: it returns the nearest directory of a
// Git repository upwards, or dir itself where there is none.
func repositoryAbove(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if exists(filepath.Join(at, ".git")) {
			return at
		}
		if filepath.Dir(at) == at {
			return dir
		}
	}
}

// header returns the path of the nearest fleet.yaml upwards from the working
// directory, as package fleet looks for it, or "" where there is none.
func (c checkout) header() string {
	for dir, up := c.dir, "."; ; dir, up = filepath.Dir(dir), filepath.Join("..", up) {
		if exists(filepath.Join(dir, fleetFile)) {
			return filepath.Join(up, fleetFile)
		}
		if dir == c.root || exists(filepath.Join(dir, platformFile)) || exists(filepath.Join(dir, ".git")) {
			return ""
		}
	}
}

// platform returns the path of the working directory's own platform.yaml, or ""
// where there is none, or where the directory is a fleet.
func (c checkout) platform() string {
	if exists(platformFile) && !exists(fleetFile) {
		return platformFile
	}
	return ""
}

// ours tells files of this product from those of others with the same name:
// Rancher's Fleet has a fleet.yaml too. A file that cannot be parsed counts, for
// its author wants to know.
func (c checkout) ours(path string) bool {
	if path == "" || c.outside(path) {
		return false
	}
	data, err := os.ReadFile(path)
	return err == nil && bytes.Contains(data, []byte("vmrender.io/"))
}

// resolve returns the path, from the working directory, of a file that the
// Application names: relative to its directory or, with a leading slash, to the
// repository's root.
func (c checkout) resolve(name string) (string, error) {
	base := c.dir
	if strings.HasPrefix(name, "/") {
		base = c.root
	}
	path, err := filepath.Rel(c.dir, filepath.Join(base, filepath.FromSlash(name)))
	if err != nil || c.outside(path) {
		return "", errOutside
	}
	return path, nil
}

var errOutside = errors.New("leaves the repository; want a file beneath its root")

// outside tells whether a path from the working directory leads out of the
// repository, by itself or by symbolic links. A file that does not exist is
// where its path says.
func (c checkout) outside(path string) bool {
	path = filepath.Join(c.dir, path)
	paths := []string{path}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		paths = append(paths, target)
	}
	return slices.ContainsFunc(paths, func(p string) bool {
		rel, err := filepath.Rel(c.root, p)
		return err != nil || !filepath.IsLocal(rel)
	})
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
