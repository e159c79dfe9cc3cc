package revision

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// Checkout is a private copy of files of a commit, for reading them.
type Checkout struct {
	// Missing is true if the path, or a fleet or platform for it, does not exist in the commit. There are no files then.
	Missing bool

	repo   *Repository
	commit Commit
	dir    string // empty without files
	remove func() error
}

// Checkout copies what a render of a path in the work tree can read from a commit: the fleet that the path belongs to,
// or for a platform the whole repository; and further files, such as overlays. Files outside the repository are not
// copied, because they belong to no commit. [Checkout.Close] removes the copy.
func (r *Repository) Checkout(ctx context.Context, c Commit, path string, files ...string) (*Checkout, error) {
	name, err := r.name(path)
	if err != nil {
		return nil, err
	}
	var extra []string
	for _, file := range files {
		if name, err := r.name(file); err == nil {
			extra = append(extra, name)
		}
	}
	s, err := r.scopeOf(ctx, c, name, extra)
	if err != nil {
		return nil, err
	}
	t := &Checkout{repo: r, commit: c, Missing: !s.exists, remove: func() error { return nil }}
	if t.Missing {
		return t, nil
	}
	entries, err := r.entries(ctx, c, s)
	if err == nil {
		err = checkEntries(entries, c, name, s)
	}
	if err != nil {
		return nil, err
	}
	if err := t.fill(ctx, entries); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// checkEntries refuses what cannot be copied: names that no file can have, submodules with values, and files that do
// not exist.
func checkEntries(entries []entry, c Commit, name string, s scope) error {
	names := make(map[string]bool, len(s.extra))
	for _, e := range entries {
		switch {
		case !isName(e.name):
			return fmt.Errorf("%s contains a file with the invalid name %q", c, e.name)
		case e.mode == modeSubmodule && !s.platform && isBelow(e.name, name) && !isHidden(e.name):
			return fmt.Errorf("%s: a submodule of %s, whose files are in another repository; compare a PATH without it",
				e.name, c)
		}
		if slices.Contains(s.extra, e.name) {
			names[e.name] = true
		}
	}
	for _, file := range s.extra {
		if !names[file] {
			return fmt.Errorf("%s: no such file in %s; "+
				"name the files of each side with --from-overlay and --to-overlay", file, c)
		}
	}
	return nil
}

// isName reports whether a file can have a name from a commit. Git refuses others, but not if a commit is made without
// Git.
func isName(name string) bool {
	isGit := func(part string) bool { return strings.EqualFold(part, ".git") }
	return fs.ValidPath(name) && filepath.IsLocal(filepath.FromSlash(name)) &&
		!slices.ContainsFunc(strings.Split(name, "/"), isGit)
}

// Close removes the files. It can be called repeatedly, and while the files are read.
func (t *Checkout) Close() error { return t.remove() }

// Path returns the path of the copy of a file or directory in the work tree. What is not in the repository has no copy
// and is returned as it is.
func (t *Checkout) Path(at string) string {
	name, err := t.repo.name(at)
	if err != nil {
		return at
	}
	return filepath.Join(t.dir, filepath.FromSlash(name))
}

// Original returns the path in the work tree of a copied file, as one that knows a path in the work tree writes it. A
// file that is no copy is returned as it is.
func (t *Checkout) Original(file, known string) string {
	below, err := filepath.Rel(t.dir, file)
	if t.dir == "" || err != nil || !filepath.IsLocal(below) {
		return file
	}
	rel, err := filepath.Rel(t.Path(known), file)
	if err != nil {
		return file
	}
	return filepath.Join(known, rel)
}

// Relabel replaces the names of copies in problems by those for Git, such as "main:sites/a.yaml".
func (t *Checkout) Relabel(diags *source.Diagnostics) {
	if t.dir != "" {
		diags.Relabel(t.dir, t.commit.Name+":")
	}
}
