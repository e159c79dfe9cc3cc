package fleet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// The file names with a special meaning in a fleet.
const (
	headerName   = "fleet.yaml"
	defaultsName = "_defaults.yaml"
	platformName = "platform.yaml"
)

// tree is the location of a fleet, and the part of it that a command reads.
type tree struct {
	root   string   // directory of fleet.yaml, as the user would write it
	header string   // path of fleet.yaml
	levels []string // directories from the root to the part, both inclusive
	part   string   // file or directory to read
	isFile bool
}

// findTree searches for the nearest fleet.yaml from path upwards. It does not
// search above the directory of a repository or a platform, nor above limit if
// that is set.
func findTree(path, limit string) (*tree, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, reason(err))
	}
	t := &tree{part: filepath.Clean(path), isFile: !info.IsDir()}
	dir := t.part
	if t.isFile {
		dir = filepath.Dir(t.part)
	}
	for {
		t.levels = append(t.levels, dir)
		if header := filepath.Join(dir, headerName); exists(header) {
			t.root, t.header = dir, header
			slices.Reverse(t.levels)
			return t, nil
		}
		if path, name := Misnamed(dir); name == headerName || name == platformName {
			return nil, fmt.Errorf("%s: %s", path, misnamed(name))
		}
		up, ok := parent(dir)
		if !ok || exists(filepath.Join(dir, platformName)) || exists(filepath.Join(dir, ".git")) ||
			limit != "" && same(dir, limit) {
			return nil, fmt.Errorf("%s: no %s here or above; `vmrender init DIR` writes one", path, headerName)
		}
		dir = up
	}
}

// outside returns the first path that symbolic links take out of the fleet or
// to nowhere, and its problem. It checks the paths that are read first:
// fleet.yaml, the directories down to the part, and the part.
func (t *tree) outside() (path, problem string) {
	for _, path := range slices.Concat([]string{t.header}, t.levels[1:], []string{t.part}) {
		if problem := linkProblem(t.root, path); problem == linkLeaves || problem == linkNowhere {
			return path, problem
		}
	}
	return "", ""
}

// parent returns the directory above dir, written as the user writes dir.
func parent(dir string) (string, bool) {
	if dir != "." && filepath.Base(dir) != ".." {
		up := filepath.Dir(dir)
		return up, up != dir
	}
	abs, err := filepath.Abs(dir)
	if err != nil || filepath.Dir(abs) == abs {
		return "", false
	}
	return filepath.Join(dir, ".."), true
}

func same(a, b string) bool {
	x, errX := filepath.Abs(a)
	y, errY := filepath.Abs(b)
	return errX == nil && errY == nil && x == y
}

// reason strips the operation and the path from an os error.
func reason(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// walk calls file for every values file of the part, in order, and fail for
// every file that is not allowed.
func (t *tree) walk(ignore []string, file func(path string, dirs []string), fail func(path, problem string)) {
	w := walker{tree: t, ignore: ignore, below: below(t.root, t.part), file: file, fail: fail}
	t.checkNames(w.ignored, fail)
	w.checkPlatform(t.root)
	if t.isFile {
		if filepath.Base(t.part) != headerName {
			file(t.part, t.levels)
		}
		return
	}
	w.dir(t.part, t.levels)
}

type walker struct {
	tree   *tree
	ignore []string
	below  string // path of the part from the root
	file   func(path string, dirs []string)
	fail   func(path, problem string)
}

func (w *walker) dir(dir string, levels []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.fail(dir, reason(err).Error())
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."), w.ignored(path):
		case e.IsDir() && ownRoot(path):
			w.checkPlatform(path)
		case e.IsDir():
			w.dir(path, append(slices.Clip(levels), path))
		case RightName(e.Name()) != "":
			w.fail(path, misnamed(RightName(e.Name())))
		case isValues(e.Name()):
			if !w.checkFile(e, path) {
				continue
			}
			w.file(path, levels)
		case e.Type()&fs.ModeSymlink != 0:
			w.checkLink(path)
		}
	}
}

// IsRoot reports whether path is that of a whole fleet: a fleet.yaml, or a directory with
// one.
func IsRoot(path string) bool {
	return filepath.Base(path) == headerName || exists(filepath.Join(path, headerName))
}

// ownRoot reports whether a directory is a separate fleet or platform.
func ownRoot(dir string) bool {
	return exists(filepath.Join(dir, headerName)) || exists(filepath.Join(dir, platformName))
}

// HasEntries reports whether the file of a fleet with this path, relative to its root and with slashes, is read as a
// values file.
func HasEntries(path string) bool {
	dirs := strings.Split(path, "/")
	name := dirs[len(dirs)-1]
	return isValues(name) && RightName(name) == "" &&
		!slices.ContainsFunc(dirs, func(dir string) bool { return strings.HasPrefix(dir, ".") })
}

// isValues reports whether a file with this name contains VMs.
func isValues(name string) bool {
	switch name {
	case headerName, defaultsName, platformName:
		return false
	}
	ext := filepath.Ext(name)
	return ext == ".yaml" || ext == ".yml"
}

// checkPlatform reports a platform.yaml that was meant as a values file. Its VMs would be lost, and below the root
// those of its whole directory.
func (w *walker) checkPlatform(dir string) {
	path := filepath.Join(dir, platformName)
	if exists(path) && !w.ignored(path) && linkProblem(w.tree.root, path) == "" && looksLikeValues(path) {
		w.fail(path, "contains VMs, but a file with this name describes a platform; rename the file")
	}
}

// looksLikeValues reports whether a file with another meaning was probably meant to contain VMs.
func looksLikeValues(path string) bool {
	docs := parseFile(path, new(source.Diagnostics))
	return slices.ContainsFunc(docs, func(doc *source.Node) bool {
		return doc.Get("vms").IsSet() && !strings.HasPrefix(doc.Get("apiVersion").Str(), "vmrender.io/")
	})
}

// checkFile reports whether e is a file, or a link to one. If not, it reports
// the problem.
func (w *walker) checkFile(e fs.DirEntry, path string) bool {
	if e.Type()&fs.ModeSymlink != 0 {
		return w.checkLink(path)
	}
	if !e.Type().IsRegular() {
		w.fail(path, "not a regular file")
		return false
	}
	return true
}

// checkLink reports whether a symbolic link points to a file in the fleet. If
// not, it reports the problem. The VMs in a linked directory would be read
// twice.
func (w *walker) checkLink(path string) bool {
	problem := linkProblem(w.tree.root, path)
	if problem != "" {
		w.fail(path, problem)
	}
	return problem == ""
}

const (
	linkNowhere = "symbolic link leads nowhere"
	linkLeaves  = "symbolic link leaves the fleet's root; only files below it are read"
)

func linkProblem(root, path string) string {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return linkNowhere
	}
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return reason(err).Error()
	}
	if !Within(realRoot, target) {
		return linkLeaves
	}
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		return "symbolic link to a directory; only links to files are followed"
	}
	return ""
}

// Within reports whether path is root or below it.
func Within(root, path string) bool {
	rel := below(root, path)
	return rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// below returns the path of path relative to root, or ".." if there is none.
// Relative paths such as "../.." and "../x" are resolved with the working
// directory.
func below(root, path string) string {
	a, errA := filepath.Abs(root)
	b, errB := filepath.Abs(path)
	rel, err := filepath.Rel(a, b)
	if errors.Join(errA, errB, err) != nil {
		return ".."
	}
	return rel
}

// ignored matches the fleet's `ignore` globs against the path below the root.
// Globs without a slash match the name alone.
func (w *walker) ignored(path string) bool {
	if len(w.ignore) == 0 {
		return false
	}
	rel, err := filepath.Rel(w.tree.part, path)
	if err != nil {
		return false
	}
	rel = filepath.ToSlash(filepath.Join(w.below, rel))
	return slices.ContainsFunc(w.ignore, func(glob string) bool { return matches(glob, rel) })
}

func matches(glob, rel string) bool {
	glob = strings.TrimSuffix(glob, "/")
	name := rel
	if !strings.Contains(glob, "/") {
		name = rel[strings.LastIndex(rel, "/")+1:]
	}
	ok, err := filepath.Match(glob, name)
	return err == nil && ok
}
