package fleet

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/held"
)

// Inputs returns the files outside part, a directory of the fleet, that its VMs depend on: fleet.yaml, the
// platform.yaml next to it with its bases, the _defaults.yaml of every directory above part, the directory of what is
// held in any environment, and the targets of symbolic links. Files with fixed names are returned whether or not they
// exist, because they may be added later. The paths are cleaned and sorted.
func (f *Fleet) Inputs(part string) ([]string, error) {
	dirs := directories(f.Root, part)
	if len(dirs) == 0 {
		return linked(part)
	}
	var files []string
	for _, name := range []string{headerName, platformName, held.Dir} {
		files = append(files, filepath.Join(f.Root, name))
	}
	if f.Platform != nil {
		files = append(files, f.Platform.Files...)
	}
	for _, dir := range dirs {
		files = append(files, filepath.Join(dir, defaultsName))
	}
	targets, err := linked(part, files...)
	files = append(files, targets...)
	slices.Sort(files)
	return slices.Compact(files), err
}

// directories returns the directories from root to the parent of part.
func directories(root, part string) []string {
	rel := below(root, part)
	if rel == "." || rel == ".." {
		return nil
	}
	dirs := []string{filepath.Clean(root)}
	names := strings.Split(rel, string(filepath.Separator))
	for _, name := range names[:len(names)-1] {
		dirs = append(dirs, filepath.Join(dirs[len(dirs)-1], name))
	}
	return dirs
}

// linked returns the files outside dir that symbolic links point to, from
// links below dir and from the given files. It ignores dangling links.
func linked(dir string, files ...string) ([]string, error) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != dir && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if err == nil && d.Type()&fs.ModeSymlink != 0 {
			files = append(files, path)
		}
		return err
	})
	var targets []string
	for _, file := range files {
		if target, ok := linkTarget(file); ok && !Within(physical(dir), target) {
			targets = append(targets, relative(dir, target))
		}
	}
	slices.Sort(targets)
	return slices.Compact(targets), err
}

// linkTarget returns the file that a symbolic link points to, or false if path
// is not a symbolic link or is a dangling one.
func linkTarget(path string) (string, bool) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return "", false
	}
	end, err := filepath.EvalSymlinks(path)
	if err == nil {
		end, err = filepath.Abs(end)
	}
	return end, err == nil
}

// physical returns the absolute path of a directory without symbolic links, as
// far as it can be resolved.
func physical(dir string) string {
	if end, err := filepath.EvalSymlinks(dir); err == nil {
		dir = end
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return dir
}

// relative converts an absolute path without symbolic links to one that starts
// with dir, as the user writes it.
func relative(dir, path string) string {
	rel, err := filepath.Rel(physical(dir), path)
	if err != nil {
		return path
	}
	return filepath.Join(dir, rel)
}
