package writeback

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
)

// merge merges one VM. What is wrong with it alone is noted, and its file is left.
func (m *merge) merge(x *merging) error {
	if x.done {
		return nil
	}
	m.fleet.mark()
	err := m.change(x)
	if r, ok := errors.AsType[refused](err); ok {
		x.refuse(r)
		return m.fleet.restore()
	}
	return err
}

// refuse notes that a VM cannot be merged.
func (x *merging) refuse(why refused) {
	x.out.Refused, x.out.Changes, x.out.Asks = string(why), nil, nil
	x.result, x.done = manifest.Object{}, true
}

// refused is why one VM cannot be merged.
type refused string

func (r refused) Error() string { return string(r) }

// change adds the entry of a VM if it has none, changes it to what the VM is, and
// looks at what it renders then.
func (m *merge) change(x *merging) error {
	if x.out.Added {
		if a := m.attempt(x); !a.add() {
			if a.err != nil {
				return a.err
			}
			return a.odd[x]
		}
	}
	before, differs, err := m.begin(x)
	if err != nil || !differs {
		return err
	}
	if err := m.settleMerged(x); err != nil {
		return err
	}
	if x.leave() {
		if _, err := m.tried(x); err != nil {
			return err
		}
	}
	return m.judgeMerged(x, before)
}

// begin reads the entry of a VM, and sets the keys that it should have if the VM differs from what it renders.
func (m *merge) begin(x *merging) (before *rendering, differs bool, err error) {
	r, rendered, err := m.start(x)
	if err != nil {
		return nil, false, err
	}
	over := draft.Difference(rendered.Tree, x.Live.Tree)
	if x.out.Added {
		x.out.Notes = adopt.Notes(x.Live)
	} else {
		all := adopt.ByHand(manifest.Object{ID: x.Live.ID, JSON: x.Live.JSON}, r.vms[x.Key()])
		x.out.ByHand = deedsAt(draft.Leaves(over), all)
	}
	if len(over) == 0 {
		x.result = r.vms[x.Key()]
		return r, false, nil
	}
	x.Keys = *node.From(m.takenBack(x, rendered), "")
	return r, true, nil
}

// deedsAt returns the deeds at, above and below some paths: others are of what Git has changed.
func deedsAt(paths [][]string, deeds []string) []string {
	return slices.DeleteFunc(deeds, func(deed string) bool {
		at, _, _ := strings.Cut(deed, ": ")
		return !slices.ContainsFunc(paths, func(path []string) bool {
			p := keyPath(path)
			return strings.HasPrefix(at, p) || strings.HasPrefix(p, at)
		})
	})
}

// start reads the entry of a VM, and what it renders.
func (m *merge) start(x *merging) (*rendering, *draft.Live, error) {
	r, err := m.render(x.file)
	if err != nil {
		return nil, nil, err
	}
	at, o := r.machines[x.Key()], r.vms[x.Key()]
	if at == nil || o.JSON == nil {
		if len(r.errors) > 0 {
			return nil, nil, refused(r.errors[0].text())
		}
		return nil, nil, refused("its entry does not render it")
	}
	entries := m.fleet.entries(m.scope(x.file))
	x.of = entries.of[at.Pos]
	x.file = m.fleet.file(at.Pos.File)
	if !x.out.Added {
		x.text = m.fleet.files[x.file]
	}
	x.out.File, x.out.Entry = x.file, x.of.Name
	x.OS = x.of.OS
	own, inherited := entries.fleet.Apart(x.of)
	x.own, x.inherited = plainKeys(own, x.OS.Topology, true), plainKeys(inherited, x.OS.Topology, false)
	x.before = plainKeys(x.of.Keys, x.OS.Topology, false)
	if x.written, err = m.writtenAt(x.file, at.Pos); err != nil {
		return nil, nil, err
	}
	x.volumes = map[string]string{}
	for _, d := range at.Disks {
		x.volumes[d.Volume] = d.Name
	}
	rendered, err := draft.ReadUncounted(o, x.Live.Namespace)
	if err != nil {
		return nil, nil, refused(err.Error())
	}
	x.Live, err = wanted(x.Live, rendered)
	return r, rendered, err
}

// parsed is the maps under `vms` of a file, by the positions of their names.
type parsed struct {
	file  string
	text  []byte
	vms   map[source.Pos]*source.Node
	names map[string]bool
}

// read reads the entries of a file as they are written.
func (m *merge) read(file string) *parsed {
	if text := m.fleet.files[file]; m.parsed.file != file || !bytes.Equal(m.parsed.text, text) {
		m.parsed = parsed{file, text, map[source.Pos]*source.Node{}, map[string]bool{}}
		for _, doc := range source.Parse(&source.File{Name: file, Data: text}, new(source.Diagnostics)) {
			for _, f := range doc.Get("vms").Entries() {
				at := f.Pos()
				m.parsed.vms[source.Pos{Line: at.Line, Col: at.Col}] = f.Value
				m.parsed.names[f.Key] = true
			}
		}
	}
	return &m.parsed
}

// writtenAt returns the entry with its name at a position of a file, as written.
func (m *merge) writtenAt(file string, pos source.Pos) (*source.Node, error) {
	if n := m.read(file).vms[source.Pos{Line: pos.Line, Col: pos.Col}]; n != nil {
		return n, nil
	}
	return nil, refused("its entry is in a place that a program cannot change")
}
