package revision

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// The files that make a directory a fleet or a platform.
const (
	fleetFile    = "fleet.yaml"
	platformFile = "platform.yaml"
)

// entry is a file, directory or submodule of a commit.
type entry struct {
	mode, hash string
	name       string // path from the root, with slashes
}

// The modes of what is not a plain file (Git 2.39, object.h and cache.h).
const (
	modeDirectory = "040000"
	modeLink      = "120000"
	modeSubmodule = "160000"
)

// list returns what `git ls-tree` prints for a commit.
func (r *Repository) list(ctx context.Context, c Commit, flag string, names ...string) ([]entry, error) {
	args := append([]string{"ls-tree", "-z", "--full-tree", flag, c.Hash, "--"}, names...)
	out, err := r.git.output(ctx, args...)
	if err != nil {
		return nil, r.incomplete(c, err)
	}
	entries := make([]entry, 0, strings.Count(out, "\x00"))
	for record := range strings.SplitSeq(out, "\x00") {
		facts, name, _ := strings.Cut(record, "\t")
		if fields := strings.Fields(facts); len(fields) == 3 { // mode, type, hash
			entries = append(entries, entry{fields[0], fields[2], name})
		}
	}
	return entries, nil
}

// scope is what a render of a path can read.
type scope struct {
	exists   bool     // whether the path does, and a fleet or platform for it
	platform bool     // whether it can read any file of the repository
	root     string   // directory whose files are read; "." for all
	extra    []string // further files
}

// scopeOf finds the fleet or platform for a path: in the directory, or the nearest one above it.
func (r *Repository) scopeOf(ctx context.Context, c Commit, name string, extra []string) (scope, error) {
	dirs := directories(name)
	asked := slices.Clone(extra)
	for _, dir := range dirs {
		asked = append(asked, path.Join(dir, fleetFile), path.Join(dir, platformFile))
		if dir != "." {
			asked = append(asked, dir)
		}
	}
	entries, err := r.list(ctx, c, "-t", asked...)
	if err != nil {
		return scope{}, err
	}
	modes := map[string]string{".": modeDirectory}
	for _, e := range entries {
		modes[e.name] = e.mode
	}
	for _, dir := range dirs {
		if modes[dir] == modeSubmodule {
			return scope{}, fmt.Errorf("%s: a submodule of %s, whose files are in another repository; "+
				"compare its own revisions in a clone of it", dir, c)
		}
	}
	return within(modes, name, extra), nil
}

// within returns the scope of a path in a commit with these modes of files and directories.
func within(modes map[string]string, name string, extra []string) scope {
	s := scope{extra: extra}
	for _, dir := range directories(name) {
		s.platform = modes[path.Join(dir, platformFile)] != ""
		if !s.platform && modes[path.Join(dir, fleetFile)] == "" {
			continue
		}
		s.exists, s.root = modes[name] != "", dir
		isLink := func(file string) bool { return modes[file] == modeLink }
		if s.platform || slices.ContainsFunc(extra, isLink) {
			s.root = "."
		}
		break
	}
	return s
}

// Exists reports whether a path exists in a commit or the work tree, and a fleet or platform for it.
func (r *Repository) Exists(ctx context.Context, c Commit, at string) (bool, error) {
	name, err := r.name(at)
	if err != nil {
		return false, err
	}
	if !c.IsWorktree() {
		s, err := r.scopeOf(ctx, c, name, nil)
		return s.exists, err
	}
	modes := map[string]string{}
	for _, dir := range directories(name) {
		for _, file := range []string{dir, path.Join(dir, fleetFile), path.Join(dir, platformFile)} {
			if r.inWorktree(file) {
				modes[file] = modeDirectory
			}
		}
	}
	return within(modes, name, nil).exists, nil
}

// HasFile reports whether a commit or the work tree contains a file. It is true for a file outside the repository,
// which belongs to no commit.
func (r *Repository) HasFile(ctx context.Context, c Commit, at string) (bool, error) {
	name, err := r.name(at)
	if errors.Is(err, errOutside) {
		return true, nil
	}
	if err != nil || c.IsWorktree() {
		return err == nil && r.inWorktree(name), err
	}
	entries, err := r.list(ctx, c, "-t", name)
	return slices.ContainsFunc(entries, func(e entry) bool { return e.name == name }), err
}

func (r *Repository) inWorktree(name string) bool {
	_, err := os.Lstat(filepath.Join(r.root, filepath.FromSlash(name)))
	return err == nil
}

// directories returns a path and the directories above it, from the inside out.
func directories(name string) []string {
	dirs := []string{name}
	for name != "." {
		name = path.Dir(name)
		dirs = append(dirs, name)
	}
	return dirs
}

// entries returns the files of a scope, sorted by name.
func (r *Repository) entries(ctx context.Context, c Commit, s scope) ([]entry, error) {
	var names []string
	if s.root != "." {
		names = append([]string{s.root}, s.extra...)
	}
	return r.list(ctx, c, "-r", names...)
}

// isBelow reports whether a path is a directory or below it.
func isBelow(name, dir string) bool {
	return dir == "." || name == dir || strings.HasPrefix(name, dir+"/")
}

// isHidden reports whether a path has a part that begins with a dot, so that no values are read there.
func isHidden(name string) bool { return strings.Contains("/"+name, "/.") }
