package fleet

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Inputs lists the files outside of part, a directory of the fleet, on which its
// VMs depend: fleet.yaml and a platform.yaml beside it, the _defaults.yaml of
// every directory above part, there or not, because one that is added later counts
// too, and the files that symbolic links lead to. The paths are cleaned and sorted.
func (f *Fleet) Inputs(part string) ([]string, error) {
	dirs := directories(f.Root, part)
	if len(dirs) == 0 {
		return linked(part)
	}
	files := []string{filepath.Join(f.Root, headerName)}
	if platform := filepath.Join(f.Root, platformName); exists(platform) {
		files = append(files, platform)
	}
	for _, dir := range dirs {
		files = append(files, filepath.Join(dir, defaultsName))
	}
	targets, err := linked(part, files...)
	files = append(files, targets...)
	slices.Sort(files)
	return slices.Compact(files), err
}

// directories are those from root down to the one above part.
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

// linked gives the files outside of dir to which symbolic links lead, of those
// beneath it and of the given files. Links that lead nowhere are not its affair.
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

// linkTarget follows a symbolic link to its end; not ok for whatever is none.
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

// physical is a directory's absolute path without symbolic links, as far as there is one.
func physical(dir string) string {
	if end, err := filepath.EvalSymlinks(dir); err == nil {
		dir = end
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return dir
}

// relative writes an absolute path without symbolic links as one that begins
// with dir, as the user writes it.
func relative(dir, path string) string {
	rel, err := filepath.Rel(physical(dir), path)
	if err != nil {
		return path
	}
	return filepath.Join(dir, rel)
}
