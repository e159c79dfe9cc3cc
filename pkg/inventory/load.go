// Package inventory resolves all VMs of a fleet, and checks what only shows across them: duplicate names, addresses
// and claims, dependencies and the waves that follow from them, migrations that share a plan, selectors that select no
// VM, and what the Jobs of all VMs need. It keeps a small record of each VM, so that the VM itself can be released.
package inventory

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/resolve"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/template"
)

// Fleet is a fleet, or the part of one at a path, with its VMs.
type Fleet struct {
	*fleet.Fleet
	// VMs are sorted by wave, namespace and name. [Visit] leaves them empty.
	Machines []*machine.Machine
}

// Visitor receives a VM that is resolved or [machine.Machine.Broken]. It is
// called from several goroutines, in no particular order, and can add problems
// to diags. A VM that it does not keep is garbage.
type Visitor func(m *machine.Machine, diags *source.Diagnostics)

// Load reads the fleet, directory or file at path ("-" for one VM file on
// standard input), with the levels above it, and resolves its VMs. It reports
// all problems; if there are errors, the fleet must not be used.
func Load(path string, opts fleet.Options) (*Fleet, *source.Diagnostics) {
	var mu sync.Mutex
	var machines []*machine.Machine
	f, diags := Visit(path, opts, func(m *machine.Machine, _ *source.Diagnostics) {
		if m.Broken || m.Sibling {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		machines = append(machines, m)
	})
	f.Machines = machines
	slices.SortFunc(f.Machines, inOutputOrder)
	return f, diags
}

func inOutputOrder(a, b *machine.Machine) int {
	return cmp.Or(cmp.Compare(a.Wave, b.Wave), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

// Visit is like [Load] for callers that need each VM only once: it keeps
// none, and calls visit for every VM as soon as it is resolved, or found
// to be broken.
func Visit(path string, opts fleet.Options, visit Visitor) (*Fleet, *source.Diagnostics) {
	diags := new(source.Diagnostics)
	var site *resolve.Site
	full := opts.Full
	opts.Full = func() bool { return site != nil && site.Exhausted() || full != nil && full() }
	f := fleet.Open(path, opts, diags)
	w := wide{fleet: f, visit: visit, diags: diags, pods: map[string]*podLabels{}}
	site = resolve.NewSite(f, diags)
	all := tally{most: opts.MostVMs}
	f.Each(func(e *fleet.Entry, diags *source.Diagnostics) {
		if all.add(e) {
			site.Decide(e, diags, func(m *machine.Machine) { w.add(m, diags) })
		}
	})
	switch {
	case all.isOver(): // which other problems were found until then depends on the order of the VMs
		*diags = source.Diagnostics{}
		all.report(diags)
	case !f.Ended():
		w.check()
	}
	if site.Exhausted() { // which other problems were found until then depends on the order of the VMs
		*diags = source.Diagnostics{}
		diags.Errorf(f.PartPos(), rule.Template, "", "%s", template.TooMuch)
	}
	return &Fleet{Fleet: f}, diags
}

// Directories returns the outermost directories with VMs in their own files,
// sorted: each can be rendered separately, and together they contain
// everything that was loaded. It needs the VMs, which [Visit] leaves out.
func (f *Fleet) Directories() []string {
	dirs := make([]string, len(f.Machines))
	for i, m := range f.Machines {
		dirs[i] = filepath.Dir(m.Pos.File)
	}
	slices.Sort(dirs)
	var outermost []string
	for _, dir := range slices.Compact(dirs) {
		if !slices.ContainsFunc(outermost, func(o string) bool { return fleet.Within(o, dir) }) {
			outermost = append(outermost, dir)
		}
	}
	return outermost
}
