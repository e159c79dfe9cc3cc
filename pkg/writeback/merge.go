// Package writeback changes the files of an existing fleet to what was changed in the cluster: a VM without an entry
// gets one, and of a VM that differs from what its entry renders, the keys that differ change in the text of the entry.
// Each change is tried in a copy of the fleet, which is rendered, and is refused if another VM changes by it. What an
// overlay or a template sets is left to the user.
//
// An import into a new fleet is package adopt. The package reads no cluster: its input is manifests.
package writeback

import (
	"bytes"
	"errors"
	"slices"

	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
)

// Options are the options of a merge.
type Options struct {
	// Fleet are the options with which the fleet is read. Its namespace is also that of manifests that have none.
	Fleet fleet.Options
	// Mapping specifies what becomes of each VM, as in [adopt.Options]. A VM that has an entry keeps it where it is.
	Mapping adopt.Mapping
	// Templates replaces values that are templates. They are left and listed without it.
	Templates bool
}

// Merged is a fleet with what has changed in the cluster.
type Merged struct {
	Root     string     // of the fleet, as the user writes it
	Files    []File     // that change, by path
	Machines []*Machine // of the input, without those that the mapping omits, by namespace and name
}

// File is a file of the fleet that changes.
type File struct {
	Path      string // below the root, with slashes
	Was, Text []byte // before and after; Was is nil for a new file
}

// Machine is what became of one VirtualMachine.
type Machine struct {
	adopt.Machine
	// Added is true if the VM had no entry.
	Added bool
	// Changes of its values, and those that were left to the user, with the reason.
	Changes, Asks []ValueChange
	// ByHand lists who has changed what in the cluster; see [adopt.ByHand].
	ByHand []string
	// Dropped are the objects that are no longer rendered, as KIND NAMESPACE/NAME, sorted.
	Dropped []string
}

// ValueChange is a change of one value of an entry.
type ValueChange struct {
	Path         string // such as "memory.guest"
	Was, Becomes string // as a report shows them: without secrets
	Origin       string // of the value that it had: FILE:LINE:COL and the level; empty if it had none
	Why          string // why it was left

	path []string
}

// Merge adds VMs of a cluster to an existing fleet, at a path of it: one without an entry gets one, and what differs
// between a VM and what its entry renders is changed in the entry. Nothing but entries changes: no defaults, no
// catalog, no overlay. Only files at or below the path change. The other objects show what the VMs do not, as for
// [adopt.Import].
//
// It writes no files but those of a temporary copy. An error means that nothing could be merged, such as for a fleet
// that has errors itself; what is wrong with one VM is in its [Machine].
func Merge(objects []manifest.Object, at string, opts Options) (*Merged, error) {
	c, err := copyFleet(at, opts.Fleet)
	if c != nil {
		defer c.remove()
	}
	if err != nil {
		return nil, err
	}
	m, err := mergeOnce(objects, c, opts, false)
	if err != nil {
		return nil, err
	}
	if isSound, err := m.isSound(); err != nil || isSound {
		return m.result(), err
	}
	if err := c.reset(); err != nil {
		return nil, err
	}
	if m, err = mergeOnce(objects, c, opts, true); err != nil {
		return nil, err
	}
	return m.result(), nil
}

// mergeOnce merges all VMs. Each change is tried with the VMs of its file, which
// is fast, or with all: one may not go with the VMs of other files.
func mergeOnce(objects []manifest.Object, c *copied, opts Options, withAll bool) (*merge, error) {
	m := &merge{fleet: c, opts: opts, known: adopt.Index(objects), withAll: withAll, isWide: map[string]bool{}}
	if err := m.open(); err != nil {
		return nil, err
	}
	for _, o := range objects {
		if adopt.IsVM(o) {
			m.take(o)
		}
	}
	slices.SortFunc(m.all, func(a, b *merging) int { return a.out.Compare(b.out.ID) })
	return m, m.mergeAll()
}

// merge is one merge.
type merge struct {
	fleet   *copied
	catalog *catalog.Set
	known   adopt.Known
	opts    Options
	first   *rendering // of the fleet as it is
	all     []*merging
	byName  map[string]bool

	withAll bool            // changes are tried with all VMs
	isWide  map[string]bool // files whose VMs do not go without others, such as those that they depend on
	parsed  parsed

	homes map[string]string // the files for new VMs, by namespace
	made  map[string]bool   // files that new VMs create
}

// merging is one VM on its way into the fleet. The keys of its entry are those that it
// should have with all levels, in their plain forms.
type merging struct {
	*draft.Entry
	out  *Machine
	file string // of the entry, below the root
	text []byte // of the file, before the entry changes or is added; nil if there was no file
	// drafted are all keys of a new entry.
	drafted node.Map
	// Of the entry in the fleet:
	of                     *fleet.Entry
	written                *source.Node // as written
	own, inherited, before *source.Node // plain: what it sets, what it would have without, and all
	volumes                map[string]string
	reset                  map[string]bool // keys that are left to the overrides
	done                   bool            // it is refused, or as its entry says
	result                 manifest.Object // what its entry renders in the end; empty if that has not changed
}

// open renders the fleet as it is.
func (m *merge) open() (err error) {
	if m.first, err = m.fleet.render(""); err != nil {
		return err
	}
	if len(m.first.errors) > 0 {
		return allErrors(m.first.errors)
	}
	m.catalog = m.fleet.entries("").fleet.Catalog
	m.byName = map[string]bool{}
	return nil
}

// render renders what a change of a file is tried with.
func (m *merge) render(file string) (*rendering, error) { return m.fleet.render(m.scope(file)) }

// scope returns what a change of a file is tried with: the file, or "" for all files.
func (m *merge) scope(file string) string {
	wide, known := m.isWide[file]
	if !known && m.fleet.was[file] != nil {
		r, err := m.fleet.render(file)
		wide = err != nil || len(r.errors) > 0
		m.isWide[file] = wide
	}
	if m.withAll || wide {
		return ""
	}
	return file
}

// isSound reports whether the fleet as a whole renders what the VMs were found to be, and
// the same as before for all others.
func (m *merge) isSound() (bool, error) {
	r, err := m.fleet.render("")
	if err != nil || len(r.errors) > 0 {
		return false, err
	}
	want := map[manifest.ID][]byte{}
	for id, text := range m.first.objects {
		if id.Kind == "VirtualMachine" {
			want[id] = text
		}
	}
	for _, x := range m.all {
		if x.result.JSON != nil {
			want[x.result.ID] = x.result.JSON
		}
	}
	for id, text := range want {
		if !bytes.Equal(r.objects[id], text) {
			return false, nil
		}
	}
	return true, nil
}

// allErrors returns errors of a rendering as one, a line each.
func allErrors(list []problem) error {
	all := make([]error, 0, len(list))
	for _, p := range list {
		all = append(all, errors.New(p.String()))
	}
	return errors.Join(all...)
}
