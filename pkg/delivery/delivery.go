// Package delivery creates the Argo CD Applications for a fleet in a Git repository:
// one Application, or an ApplicationSet with one for each directory and cluster. It
// reads files, and contacts neither a cluster nor the network.
//
// Messages use the names of the options of `vmrender app`, which are in [Options].
package delivery

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/argocd/plugin"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/source"
)

// Loader reads and renders the fleet or directory at path, and returns it with its VMs
// and all problems.
type Loader func(path string, opts fleet.Options) (*inventory.Fleet, *source.Diagnostics)

// Plan is a fleet, or a directory of one, with the options for its delivery.
type Plan struct {
	options Options
	load    Loader
	dir     string // of the fleet, or of a part of it
	fleet   *inventory.Fleet
	repo    repository
}

// Read reads the fleet or directory at dir, once with each cluster overlay if there are
// any. The Plan must only be used if there are no errors.
func Read(dir string, o Options, load Loader) (*Plan, *source.Diagnostics, error) {
	if dir == "-" {
		return nil, nil, errors.New("standard input has no place in a repository; expected a directory")
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, nil, fmt.Errorf("%s: a file; an Application renders a directory, and --vm selects from it", dir)
	}
	p := &Plan{options: o, load: load, dir: dir}
	loaded, diags, err := p.read(dir)
	p.fleet = loaded
	return p, diags, err
}

// Object returns the Application or, depending on the options, the ApplicationSet. It
// also returns notes for the user, even if there is an error. The error is an
// [AloneError] if a directory is invalid as an Application of its own.
func (p *Plan) Object() (object any, notes []string, err error) {
	if p.repo, err = findRepository(p.dir); err != nil {
		return nil, nil, err
	}
	found := new(findings)
	if p.options.AppSet {
		object = p.applicationSet(found)
	} else {
		object = p.application(found)
	}
	return object, found.notes, found.err()
}

// largeApp is the number of VMs that one Application can contain without special care;
// see docs/how-to/scale.md.
const largeApp = 1000

func (p *Plan) application(found *findings) any {
	if n := len(p.fleet.Machines); n > largeApp {
		found.notef(
			"%d VMs in one Application; above %d, one Application for each directory fits better: --appset", n, largeApp)
	}
	if len(p.options.Fleet.VMs) > 0 {
		found.notef("an Application for selected VMs prunes nothing by itself; sync it with pruning to delete a VM")
	}
	o := p.order([]string{p.dir}, found)
	if p.isBesidePlatform() {
		fleetOnly := plugin.NoLayer
		o.parameters = append(o.parameters,
			argocd.ApplicationSourcePluginParameter{Name: plugin.LayerParameter, String: &fleetOnly})
	}
	return o.application()
}

// isBesidePlatform reports whether the Application's directory also has a platform, so
// that a parameter must specify which of the two is meant.
func (p *Plan) isBesidePlatform() bool {
	_, err := os.Lstat(filepath.Join(p.fleet.Root, "platform.yaml"))
	return err == nil && filepath.Clean(p.dir) == filepath.Clean(p.fleet.Root)
}

// directories returns the directories that get an Application each.
func (p *Plan) directories() ([]string, error) {
	dirs := p.fleet.Directories()
	if slices.Contains(dirs, filepath.Clean(p.dir)) {
		return nil, fmt.Errorf("%s: holds VMs itself, so all of it is one Application; "+
			"move the VMs into directories, or leave out --appset", p.dir)
	}
	return dirs, nil
}

func (p *Plan) applicationSet(found *findings) any {
	dirs, err := p.directories()
	if err != nil {
		found.add(err)
		return nil
	}
	if err := p.checkAlone(dirs); err != nil {
		found.add(err)
		return nil
	}
	o := p.order(dirs, found)
	s := p.spread(dirs, found)
	if !found.failed() {
		found.add(checkNames(o, s.directories))
		found.add(checkSteps(o, s))
	}
	return o.applicationSet(s)
}
