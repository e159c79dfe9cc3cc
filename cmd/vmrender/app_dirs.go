package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/report"
)

// directories are those of the fleet that get an Application each.
func directories(loaded *machine.Fleet, path string) ([]string, error) {
	dirs := loaded.Directories()
	if slices.Contains(dirs, filepath.Clean(path)) {
		return nil, fmt.Errorf("%s: holds VMs itself, so all of it is one Application; move the VMs into directories, or leave out --appset", path)
	}
	return dirs, nil
}

// others are the directories beside the given ones, by their paths in the
// repository. Hidden ones are left out, as Argo CD does.
func others(repo repository, dirs []string) ([]string, error) {
	var beside []string
	for _, dir := range dirs {
		entries, err := os.ReadDir(filepath.Dir(dir))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			path := filepath.Join(filepath.Dir(dir), e.Name())
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(dirs, path) {
				beside = append(beside, path)
			}
		}
	}
	slices.Sort(beside)
	return inRepository(repo, slices.Compact(beside))
}

// overlaysIn lists the overlays in a directory; one empty name without a directory.
func overlaysIn(dir string) ([]string, error) {
	if dir == "" {
		return []string{""}, nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("--cluster-overlays %q: no overlays there; expected a file NAME.yaml for each cluster", dir)
	}
	return files, err
}

// largeApp is how many VMs one Application takes without care; see docs/growth.md.
const largeApp = 1000

// tellOf says what would fit a large fleet better.
func tellOf(cmd *cobra.Command, loaded *machine.Fleet) {
	if n := len(loaded.Machines); n > largeApp {
		cmd.PrintErrf("note: %s in one Application; above %d, one Application for each directory fits better: --appset\n", report.Count(n, "VM"), largeApp)
	}
}
