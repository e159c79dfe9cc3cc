package main

import (
	"maps"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/cli"
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/delivery"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// renderFleet reads and renders the fleet, directory or file at path.
func renderFleet(path string, opts fleet.Options) (*inventory.Fleet, []render.Rendered, *source.Diagnostics) {
	c := render.NewCollector()
	f, diags := inventory.Visit(path, opts, c.Visit)
	return f, c.Rendered(diags), diags
}

// renderWatched is like renderFleet, but reports on a terminal what it does if it takes long.
func renderWatched(cmd *cobra.Command, path string, opts fleet.Options) (
	f *inventory.Fleet, rendered []render.Rendered, diags *source.Diagnostics,
) {
	cli.During(cmd, "rendering "+path, func() { f, rendered, diags = renderFleet(path, opts) })
	return f, rendered, diags
}

// countVMs returns the number of VMs in what was rendered.
func countVMs(rendered []render.Rendered) int {
	n := 0
	for i := range rendered {
		if !rendered[i].Jobs {
			n++
		}
	}
	return n
}

// kindRecorder records the kinds of what is rendered, sorted, and the directories.
type kindRecorder struct {
	all []argocd.GroupKind
	// contents are the sizes of what is rendered, by file.
	contents []delivery.Contents
	// directories are those of Flux, sorted; empty for Argo CD.
	directories []string
}

// renderMachines is like renderFleet, but returns the VMs instead of the
// manifests.
func (k *kindRecorder) renderMachines(path string, opts fleet.Options) (*inventory.Fleet, *source.Diagnostics) {
	var mu sync.Mutex
	var machines []*machine.Machine
	c := render.NewCollector()
	f, diags := inventory.Visit(path, opts, func(m *machine.Machine, d *source.Diagnostics) {
		c.Visit(m, d)
		if m.Sibling {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		machines = append(machines, m)
	})
	f.Machines = machines
	rendered := c.Rendered(diags)
	if f.Header.Target.ByFlux() && !diags.HasErrors() {
		dirs, err := render.Directories(rendered)
		if err != nil {
			diags.Errorf(source.Pos{}, rule.Held, "", "%s", err)
		}
		k.directories = slices.Sorted(maps.Keys(dirs))
	}
	k.contents = append(k.contents, contentsOf(rendered)...)
	k.all = slices.SortedFunc(slices.Values(append(k.all, c.Kinds()...)), argocd.GroupKind.Compare)
	k.all = slices.Compact(k.all)
	return f, diags
}

// contentsOf returns the sizes of what is rendered, in the order of the files.
func contentsOf(rendered []render.Rendered) []delivery.Contents {
	byFile := map[string]*delivery.Contents{}
	for i := range rendered {
		file, objects, size := rendered[i].Contents()
		c := byFile[file]
		if c == nil {
			c = &delivery.Contents{File: file}
			byFile[file] = c
		}
		if !rendered[i].Jobs {
			c.VMs++
		}
		c.Objects += objects
		c.Bytes += int64(size)
	}
	all := make([]delivery.Contents, 0, len(byFile))
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		all = append(all, *byFile[file])
	}
	return all
}
