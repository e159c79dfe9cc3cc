package revision

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Repository is the Git repository of a path in a work tree.
type Repository struct {
	root   string // of the work tree: absolute, without symbolic links
	git    git
	places []place // for copies
}

// Open finds the repository of a path, which does not have to exist. environ is the environment of the process: Git
// finds its configuration there, and TMPDIR is where copies are written.
func Open(ctx context.Context, path string, environ []string) (*Repository, error) {
	dir, err := existing(path)
	if err != nil {
		return nil, err
	}
	g := newGit(dir, environ)
	root, err := g.line(ctx, "rev-parse", "--show-toplevel")
	switch {
	case says(err, "dubious ownership"):
		return nil, fmt.Errorf("%s: the repository belongs to another user, and Git does not read it; "+
			"if you trust it: git config --global --add safe.directory %q", path, unsafeRoot(err, dir))
	case says(err, "not a git repository"):
		return nil, fmt.Errorf("%s: not in a Git repository; "+
			"compare two directories, or two sets of manifests, without revisions", path)
	case says(err, "must be run in a work tree"), says(err, "bare repository"):
		return nil, fmt.Errorf("%s: in a Git repository without a work tree; use a clone of it", path)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if root, err = filepath.EvalSymlinks(filepath.FromSlash(root)); err != nil {
		return nil, err
	}
	g.dir = root
	return &Repository{root, g, placesOf(environ)}, nil
}

// unsafeRoot returns the directory that Git names in its message about the owner.
func unsafeRoot(err error, otherwise string) string {
	_, after, _ := strings.Cut(err.Error(), "repository at '")
	if root, _, ok := strings.Cut(after, "'"); ok {
		return root
	}
	return otherwise
}

// existing returns the absolute path of the innermost directory of a path that exists.
func existing(path string) (string, error) {
	at, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for {
		if info, err := os.Stat(at); err == nil && info.IsDir() || filepath.Dir(at) == at {
			return at, nil
		}
		at = filepath.Dir(at)
	}
}

var errOutside = errors.New("not in the repository")

// name returns the path of a file or directory in the repository, with slashes; "." is the root. A symbolic link has
// its own name, not that of its target. Directories above it that do not exist are taken as they are written.
func (r *Repository) name(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	dir, err := existing(filepath.Dir(abs))
	if err != nil {
		return "", err
	}
	rest, err := filepath.Rel(dir, abs)
	if err != nil {
		return "", err
	}
	parent, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	for _, at := range []string{filepath.Join(parent, rest), resolved(abs)} {
		if name, err := filepath.Rel(r.root, at); err == nil && filepath.IsLocal(name) {
			return filepath.ToSlash(name), nil
		}
	}
	return "", fmt.Errorf("%s: %w %s", path, errOutside, r.root)
}

// resolved returns a path without symbolic links, or the path itself if it does not exist.
func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// incomplete returns the error of reading a commit. It contains what to do if Git does not have all of it.
func (r *Repository) incomplete(c Commit, err error) error {
	switch {
	case errors.Is(err, errMissing), says(err, "promisor remote"), says(err, "lazy fetching disabled"),
		says(err, "transport"), says(err, "unable to read"), says(err, "not a tree object"), says(err, "bad object"):
		return fmt.Errorf("%s is not complete in %s; if it is a partial clone, fetch the rest first: "+
			"git fetch --refetch --no-filter", c, r.root)
	case err != nil:
		return fmt.Errorf("reading %s: %w", c, err)
	}
	return nil
}
