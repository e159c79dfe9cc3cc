package delivery

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
)

// read loads the fleet or directory at dir, once with each cluster overlay if there are
// any. The result has the VMs of all clusters.
func (p *Plan) read(dir string) (*inventory.Fleet, *source.Diagnostics, error) {
	files, err := OverlaysIn("--cluster-overlays", p.options.ClusterOverlays, "cluster")
	if err != nil {
		return nil, nil, err
	}
	all, loaded := new(source.Diagnostics), new(inventory.Fleet)
	var machines []*machine.Machine
	for _, file := range files {
		opts := p.options.Fleet
		if file != "" {
			opts.Overlays = append(slices.Clip(opts.Overlays), file)
		}
		one, diags := p.load(dir, opts)
		loaded, machines = one, append(machines, one.Machines...)
		all.Merge(diags)
	}
	loaded.Machines = machines
	return loaded, all, nil
}

// OverlaysIn returns the overlays in the directory that a flag names, one for each of what they are for, or one empty
// name if dir is empty.
func OverlaysIn(flag, dir, each string) ([]string, error) {
	if dir == "" {
		return []string{""}, nil
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s %q: no such directory; expected one relative to the working directory", flag, dir)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s %q: no overlays there; expected a file NAME.yaml for each %s", flag, dir, each)
	}
	return files, err
}

// AloneError is the error for a directory that is invalid as an Application of its own:
// without the rest of the fleet.
type AloneError struct {
	Dir         string
	Diagnostics *source.Diagnostics // problems of the directory alone
}

// Error names the directory.
func (e *AloneError) Error() string {
	return fmt.Sprintf("this is so for %s alone, as an Application of its own renders it", e.Dir)
}

// checkAlone checks that every directory is valid without the others, because waves are
// limited to one Application.
func (p *Plan) checkAlone(dirs []string) error {
	for _, dir := range dirs {
		_, diags, err := p.read(dir)
		if err != nil {
			return err
		}
		if diags.HasErrors() {
			return &AloneError{dir, diags}
		}
	}
	return nil
}
