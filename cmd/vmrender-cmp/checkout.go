package main

import (
	"bytes"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd/plugin"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/source"
)

// checkout is the repository as Argo CD unpacked it. dir and root are absolute
// paths without symbolic links.
type checkout struct {
	dir   string // the Application's directory
	root  string // no file above it is read
	above string // path of root in the repository: "/", or that of the part that Argo CD sent
}

func newCheckout(dir, sourcePath string) checkout {
	if sourcePath != "" {
		root, above := plugin.RepositoryRoot(dir, sourcePath)
		return checkout{dir, root, above}
	}
	return checkout{dir, repositoryAbove(dir), "/"}
}

// repositoryAbove returns the nearest root of a Git repository from dir upwards,
// or dir if there is none. It is for runs without Argo CD.
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

// header returns the path of the nearest fleet.yaml from the working directory
// upwards, or "" if there is none. Package fleet searches in the same way. A file that
// is probably meant to be one, or a platform.yaml, counts: it is reported to its author.
func (c checkout) header() string {
	for dir, up := c.dir, "."; ; dir, up = filepath.Dir(dir), filepath.Join("..", up) {
		if exists(filepath.Join(dir, fleetFile)) {
			return filepath.Join(up, fleetFile)
		}
		if path, name := fleet.Misnamed(dir); name == fleetFile || name == platformFile {
			return filepath.Join(up, filepath.Base(path))
		}
		if dir == c.root || exists(filepath.Join(dir, platformFile)) || exists(filepath.Join(dir, ".git")) {
			return ""
		}
	}
}

// ours reports whether a file belongs to vmrender, and not to another product
// with the same file names: Rancher's Fleet also has a fleet.yaml. It does not
// parse the file, so that a broken one is reported to its author, and so is one
// that is too large to be read.
func (c checkout) ours(file string) bool {
	if file == "" || c.outside(file) {
		return false
	}
	data, err := source.ReadFile(file)
	return errors.Is(err, source.ErrTooLarge) || err == nil && bytes.Contains(data, []byte("vmrender.io/"))
}

// resolve returns the path, from the working directory, of a file that the
// Application refers to: relative to its directory or, with a leading slash, to
// the repository's root.
func (c checkout) resolve(name string) (string, error) {
	full := filepath.Join(c.dir, filepath.FromSlash(name))
	if strings.HasPrefix(name, "/") {
		rest, sent := strings.CutPrefix(path.Clean(name), strings.TrimSuffix(c.above, "/")+"/")
		if !sent {
			return "", errNotSent
		}
		full = filepath.Join(c.root, filepath.FromSlash(rest))
	}
	rel, err := filepath.Rel(c.dir, full)
	if err != nil || c.outside(rel) {
		return "", errOutside
	}
	return rel, nil
}

var (
	errOutside = errors.New("leaves the repository; expected a file below its root")
	errNotSent = errors.New("not among what Argo CD has sent; name it in the Application's annotation " +
		"argocd.argoproj.io/manifest-generate-paths")
)

// outside reports whether a path from the working directory is outside of the
// repository, by itself or through symbolic links. For a file that does not
// exist, only the path counts.
func (c checkout) outside(file string) bool {
	file = filepath.Join(c.dir, file)
	paths := []string{file}
	if target, err := filepath.EvalSymlinks(file); err == nil {
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
