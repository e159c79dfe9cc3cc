package fleet

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// specialNames are the names of files with a meaning, each with the names that are taken for it. A file with such a
// name is an error: read as values, or not at all, its settings would be lost.
var specialNames = []struct {
	name string
	like []string
}{
	{headerName, []string{"fleet.yml", "_fleet.yaml", "_fleet.yml"}},
	{defaultsName, []string{"_defaults.yml", "_default.yaml", "_default.yml"}},
	{platformName, []string{"platform.yml", "_platform.yaml", "_platform.yml"}},
}

// RightName returns the special name that the name of a file was probably meant to be, or "" if there is none.
func RightName(name string) string {
	lower := strings.ToLower(name)
	for _, special := range specialNames {
		if lower == special.name && name != lower || slices.Contains(special.like, lower) {
			return special.name
		}
	}
	return ""
}

// Misnamed returns the path of a file in a directory that was probably meant to have a special name, and that name.
// It returns nothing if there is none.
func Misnamed(dir string) (path, name string) {
	for _, special := range specialNames {
		for _, like := range special.like {
			if path := filepath.Join(dir, like); exists(path) {
				return path, special.name
			}
		}
	}
	return "", ""
}

// misnamed returns the problem of a file that should have a special name.
func misnamed(name string) string {
	return `wrong name; rename it to "` + name + `"`
}

// checkNames reports the misnamed files of the directories above the part, which are not listed.
func (t *tree) checkNames(ignored func(path string) bool, fail func(path, problem string)) {
	for _, dir := range t.levels {
		if dir == t.part {
			break
		}
		if path, name := Misnamed(dir); name != "" && !ignored(path) {
			fail(path, misnamed(name))
		}
	}
}

// looksLikeDefaults reports whether a file without VMs was probably meant to be a _defaults.yaml.
func looksLikeDefaults(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return slices.Contains([]string{"default", "defaults"}, strings.TrimSuffix(name, filepath.Ext(name)))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
