package fleet

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Root returns the directory of the fleet that a path belongs to, or "" if it belongs to
// none. limit is as in [Options.Limit].
func Root(path, limit string) string {
	t, err := findTree(path, limit)
	if err != nil {
		return ""
	}
	return t.root
}

// Parts returns what a check of the paths has to read: a path that belongs to a fleet, or
// is a platform, and every fleet and platform below it; the directory of a fleet.yaml or
// _defaults.yaml. A path within another one of the same fleet is left out.
func Parts(paths []string, limit string) []string {
	var parts []string
	for _, path := range paths {
		parts = append(parts, partsAt(path, limit)...)
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	return slices.DeleteFunc(slices.Clone(parts), func(p string) bool {
		return slices.ContainsFunc(parts, func(o string) bool {
			return o != p && Within(o, p) && Root(o, limit) != "" && Root(o, limit) == Root(p, limit)
		})
	})
}

func partsAt(path, limit string) []string {
	info, err := os.Stat(path)
	if path == "-" || err != nil {
		return []string{path}
	}
	path = filepath.Clean(path)
	if !info.IsDir() {
		if name := filepath.Base(path); name == headerName || name == defaultsName {
			path = filepath.Dir(path)
		}
		return []string{path}
	}
	roots := rootsBelow(path)
	if len(roots) == 0 || Root(path, limit) != "" {
		roots = append(roots, path)
	}
	return roots
}

// rootsBelow returns the directories at and below one that are fleets or platforms. It
// follows no symbolic links, and leaves hidden directories out.
func rootsBelow(dir string) []string {
	var roots []string
	//nolint:errcheck,gosec // what cannot be read is reported by who reads it
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		switch name := d.Name(); {
		case !d.IsDir():
			return nil
		case path != dir && strings.HasPrefix(name, "."):
			return fs.SkipDir
		}
		if exists(filepath.Join(path, headerName)) || exists(filepath.Join(path, platformName)) {
			roots = append(roots, path)
		}
		return nil
	})
	return roots
}
