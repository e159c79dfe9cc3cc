package starter

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/vmrender/vmrender/internal/files"
)

// platformName is the file that makes a directory a platform.
const platformName = "platform.yaml"

// checkPlace checks that a new fleet in a directory does not take it from its owner: from a platform, whose
// Application would render the fleet instead, or from the fleet of a directory above.
func checkPlace(dir string) error {
	if exists(filepath.Join(dir, headerName)) {
		return files.ExistError([]string{filepath.Join(dir, headerName)})
	}
	if platform := filepath.Join(dir, platformName); exists(platform) {
		return fmt.Errorf("nothing written, because %s is a platform, and an Application for this directory would "+
			"have both; choose another directory, such as %s", platform, filepath.Join(dir, "fleet"))
	}
	if above, name := rootAbove(dir); name == headerName {
		return fmt.Errorf("nothing written, because %s lies in the fleet of %s, which would lose what is in it; "+
			"write the VMs there, or choose a directory outside", dir, above)
	}
	return nil
}

// Nearby returns notes about fleets and platforms above and below the directory of a new fleet, which are not a
// part of it.
func Nearby(dir string) ([]string, error) {
	var notes []string
	if above, name := rootAbove(dir); name == platformName {
		notes = append(notes, fmt.Sprintf("%s is a platform; the fleet in %s needs an Application of its own", above, dir))
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		below := filepath.Dir(path) != filepath.Clean(dir)
		switch {
		case err != nil || !below:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.Name() == headerName || d.Name() == platformName:
			notes = append(notes, fmt.Sprintf("%s is not a part of the fleet in %s", filepath.Dir(path), dir))
			return fs.SkipDir
		}
		return nil
	})
	return notes, err
}

// rootAbove returns the nearest file above a directory that makes its directory a fleet or a platform, and its
// name, or nothing if there is none in the repository.
func rootAbove(dir string) (path, name string) {
	at, err := filepath.Abs(dir)
	for err == nil && !exists(filepath.Join(at, ".git")) && filepath.Dir(at) != at {
		at = filepath.Dir(at)
		for _, name := range []string{headerName, platformName} {
			if path := filepath.Join(at, name); exists(path) {
				return path, name
			}
		}
	}
	return "", ""
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
