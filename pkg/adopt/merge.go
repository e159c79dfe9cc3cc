package adopt

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/edit"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

// MergeOptions are what a merge needs to know besides the machines.
type MergeOptions struct {
	// Fleet are the options with which the fleet is read.
	Fleet fleet.Options
	// Mapping says what becomes of each machine, as in [Options].
	Mapping Mapping
	// Templates has values replaced that are templates. They are left and listed without it.
	Templates bool
}

// Merged is a fleet with what has changed in the cluster.
type Merged struct {
	Root     string // of the fleet, as the user writes it
	Files    []Changed
	Machines []*MergedMachine // by namespace and name
}

// Changed is a file of the fleet that changes.
type Changed struct {
	Path      string // below the root, with slashes
	Was, Text []byte // Was is nil for a new file
}

// MergedMachine is what became of one VirtualMachine.
type MergedMachine struct {
	Machine
	// Added is true if the machine had no entry.
	Added bool
	// Changes of its values, and those that were left to a person, with the reason.
	Changes, Asks []ValueChange
	// ByHand says who has changed what in the cluster; see [ByHand].
	ByHand []string
	// Dropped are the objects that are rendered no more, as KIND NAMESPACE/NAME.
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

// Merge takes machines of a cluster into a fleet that exists, at a path of it: one without
// an entry gets one, and what differs between a machine and what its entry renders is
// changed in the entry. Nothing but entries changes: no defaults, no catalog, no overlay.
// It writes no files. An error means that nothing could be merged.
func Merge(objects []manifest.Object, at string, opts MergeOptions) (*Merged, error) {
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

// mergeOnce merges all machines. Each change is tried with the machines of its file, which
// is fast, or with all: one may not go with the machines of other files.
func mergeOnce(objects []manifest.Object, c *copied, opts MergeOptions, withAll bool) (*merge, error) {
	m := &merge{fleet: c, opts: opts, withAll: withAll, isWide: map[string]bool{}, work: &work{
		Options: Options{Mapping: opts.Mapping, Namespace: opts.Fleet.Namespace}, known: index(objects), unnamed: true,
	}}
	if err := m.open(); err != nil {
		return nil, err
	}
	for _, o := range objects {
		if o.Kind == "VirtualMachine" && o.Group() == "kubevirt.io" {
			m.take(o)
		}
	}
	slices.SortFunc(m.all, func(a, b *merging) int { return a.out.Compare(b.out.ID) })
	for _, x := range m.all {
		if err := m.merge(x); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// merge is one merge.
type merge struct {
	fleet *copied
	*work
	opts   MergeOptions
	first  *rendering // of the fleet as it is
	all    []*merging
	byName map[string]bool

	withAll bool            // changes are tried with all machines
	isWide  map[string]bool // files whose machines do not go without others, such as those that they depend on
}

// merging is one machine on its way into the fleet. The keys of its entry are those that it
// should have with all levels, in their plain forms.
type merging struct {
	*entry
	out  *MergedMachine
	file string // of the entry, below the root
	text []byte // of the file, before the entry changes
	bare []byte // of the file, before the entry was added; nil if there was no file
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
	if m.first.diags.HasErrors() {
		return allErrors(m.first.diags)
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
		wide = err != nil || r.diags.HasErrors()
		m.isWide[file] = wide
	}
	if m.withAll || wide {
		return ""
	}
	return file
}

// isSound reports whether the fleet as a whole renders what the machines were found to be, and
// the same as before for all others.
func (m *merge) isSound() (bool, error) {
	r, err := m.fleet.render("")
	if err != nil || r.diags.HasErrors() {
		return false, err
	}
	want := map[manifest.ID]string{}
	for id, text := range m.first.objects {
		if id.Kind == "VirtualMachine" {
			want[id] = text
		}
	}
	for _, x := range m.all {
		if x.result.JSON != nil {
			want[x.result.ID] = string(x.result.JSON)
		}
	}
	for id, text := range want {
		if r.objects[id] != text {
			return false, nil
		}
	}
	return true, nil
}

// allErrors returns the errors among diagnostics, a line each.
func allErrors(diags *source.Diagnostics) error {
	var all []error
	for _, d := range diags.Sorted() {
		if d.Severity == source.Error {
			all = append(all, errors.New(d.String()))
		}
	}
	return errors.Join(all...)
}

// take reads one VirtualMachine, or refuses it.
func (m *merge) take(o manifest.Object) {
	out := &MergedMachine{Machine: Machine{ID: o.ID, Entry: o.Name}}
	out.Namespace = cmp.Or(o.Namespace, m.Namespace, "default")
	if _, ok := m.Mapping.of(out.ID); !ok {
		return
	}
	x := &merging{entry: &entry{machine: &out.Machine, kept: true}, out: out, reset: map[string]bool{}}
	m.all = append(m.all, x)
	name := out.Namespace + "/" + out.Name
	if m.byName[name] {
		out.Refused, x.done = "another manifest of it was read before; give one of the two", true
		return
	}
	m.byName[name] = true
	l, err := readLive(o, out.Namespace)
	if err != nil {
		out.Refused, x.done = err.Error(), true
		return
	}
	x.live = l
	if out.Added = m.first.vms[name].JSON == nil; !out.Added && m.first.machines[name] != nil {
		x.file = m.fleet.file(m.first.machines[name].Pos.File)
	}
	out.Refused = m.foreign(x)
	if problem := m.problem(x); problem != "" && (out.Added || m.hasChanged(x)) {
		out.Refused = cmp.Or(out.Refused, problem)
	}
	x.done = out.Refused != "" || !out.Added && !m.hasChanged(x)
}

// hasChanged reports whether a machine differs from what its entry renders.
func (m *merge) hasChanged(x *merging) bool {
	rendered, err := readLive(m.first.vms[x.key()], x.live.Namespace)
	if err != nil {
		return true
	}
	l, err := wanted(x.live, rendered)
	return err != nil || len(difference(rendered.tree, l.tree)) > 0
}

// foreign returns who else manages a machine, or why it cannot be an entry; "" if nothing is wrong.
func (m *merge) foreign(x *merging) string {
	if !x.out.Added && text(x.live.object, "metadata", "labels", labels.ManagedBy) == labels.Manager {
		return ""
	}
	if err := refusal(x.live); err != nil {
		return err.Error()
	}
	return ""
}

// problem returns why the entry of a machine cannot be changed, or "".
func (m *merge) problem(x *merging) string {
	name := x.key()
	switch at := m.first.machines[name]; {
	case at == nil && !x.out.Added:
		return "its name follows from its content, as with `strategy: blue-green`; change its entry by hand"
	case at != nil && at.Entry != "":
		return fmt.Sprintf("it is one of the replicas of %q, which have their values in common; "+
			"change the entry by hand, or give the machine an entry of its own", at.Entry)
	case at != nil && x.out.Added:
		return "its entry renders no VirtualMachine of this name; change the entry by hand"
	case x.out.Added && len(m.fleet.opts.Overlays) > 0:
		return "it has no entry, and one of its own would be in every environment; add it without an overlay"
	case !x.out.Added && !m.isPart(m.fleet.file(at.Pos.File)):
		return fmt.Sprintf("its entry is in %s, outside of what is merged", m.fleet.shown(m.fleet.file(at.Pos.File)))
	}
	return ""
}

// isPart reports whether a file is in the part of the fleet that may be changed.
func (m *merge) isPart(file string) bool {
	return m.fleet.part == "." || file == m.fleet.part || strings.HasPrefix(file, m.fleet.part+"/")
}

// merge merges one machine. What is wrong with it alone is noted, and its file is left.
func (m *merge) merge(x *merging) error {
	if x.done {
		return nil
	}
	was := maps.Clone(m.fleet.files)
	err := m.change(x)
	if r, ok := errors.AsType[refused](err); ok {
		x.out.Refused, x.out.Changes, x.out.Asks, err = r.Error(), nil, nil, nil
		for file, text := range m.fleet.files {
			if string(was[file]) != string(text) {
				err = errors.Join(err, m.fleet.put(file, was[file]))
			}
		}
	}
	return err
}

// refused is why one machine cannot be merged.
type refused string

func (r refused) Error() string { return string(r) }

// change adds the entry of a machine if it has none, changes it to what the machine is, and
// looks at what it renders then.
func (m *merge) change(x *merging) error {
	if x.out.Added {
		if err := m.add(x); err != nil {
			return err
		}
	}
	r, rendered, err := m.start(x)
	if err != nil {
		return err
	}
	over := x.differenceTo(r)
	if x.out.Added {
		x.out.Notes = x.notes()
	} else {
		all := ByHand(manifest.Object{ID: x.live.ID, JSON: x.live.json}, r.vms[x.key()])
		x.out.ByHand = deedsAt(leaves(nil, over), all)
	}
	if len(over) == 0 {
		x.result = r.vms[x.key()]
		return nil
	}
	x.keys = *nodeFrom(m.takenBack(x, rendered), "")
	if err := m.settleMerged(x); err != nil {
		return err
	}
	if err := m.leave(x); err != nil {
		return err
	}
	return m.judgeMerged(x, r)
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

// start reads the entry of a machine, and what it renders.
func (m *merge) start(x *merging) (*rendering, *live, error) {
	r, err := m.render(x.file)
	if err != nil {
		return nil, nil, err
	}
	at, o := r.machines[x.key()], r.vms[x.key()]
	if at == nil || o.JSON == nil {
		return nil, nil, refused(cmp.Or(m.errorOf(r), "its entry does not render it"))
	}
	read := m.fleet.entries(m.scope(x.file))
	x.of = read.of[at.Pos]
	x.file = m.fleet.file(at.Pos.File)
	x.text = m.fleet.files[x.file]
	x.out.File, x.out.Entry = x.file, x.of.Name
	x.os = x.of.OS
	own, inherited := read.fleet.Apart(x.of)
	x.own, x.inherited = plainKeys(own, x.os.Topology, true), plainKeys(inherited, x.os.Topology, false)
	x.before = plainKeys(x.of.Keys, x.os.Topology, false)
	if x.written, err = m.writtenAt(x.file, at.Pos); err != nil {
		return nil, nil, err
	}
	x.volumes = map[string]string{}
	for _, d := range at.Disks {
		x.volumes[d.Volume] = d.Name
	}
	rendered, err := readLive(o, x.live.Namespace)
	if err != nil {
		return nil, nil, refused(err.Error())
	}
	x.live, err = wanted(x.live, rendered)
	return r, rendered, err
}

// errorOf returns the first error of a rendering, or "".
func (m *merge) errorOf(r *rendering) string {
	for _, d := range r.diags.Sorted() {
		if d.Severity == source.Error {
			return d.Path + ": " + d.Message // the position is one in a text that is not written
		}
	}
	return ""
}

// writtenAt returns the entry with its name at a position of a file, as written.
func (m *merge) writtenAt(file string, pos source.Pos) (*source.Node, error) {
	for _, doc := range source.Parse(&source.File{Name: file, Data: m.fleet.files[file]}, new(source.Diagnostics)) {
		for _, f := range doc.Get("vms").Entries() {
			if at := f.Pos(); at.Line == pos.Line && at.Col == pos.Col {
				return f.Value, nil
			}
		}
	}
	return nil, refused("its entry is not where a program can change it")
}

// differs reports whether what is rendered differs from the machine.
func (x *merging) differs(r *rendering) bool { return len(x.differenceTo(r)) > 0 }

func (x *merging) differenceTo(r *rendering) tree {
	rendered, err := readLive(r.vms[x.key()], x.live.Namespace)
	if err != nil {
		return tree{"": err.Error()}
	}
	return difference(rendered.tree, x.live.tree)
}

// settleMerged writes the entry, and adds to it what no key says, until it renders the
// machine, or nothing helps.
func (m *merge) settleMerged(x *merging) error {
	const most = 8 // keys that are refused, one after the other, the residue, and the residue of that
	for range most {
		r, err := m.tried(x)
		if err != nil {
			return err
		}
		if r.diags.HasErrors() {
			if !x.resetAt(r.diags) {
				return refused(m.errorOf(r))
			}
			continue
		}
		if r.vms[x.key()].JSON == nil {
			return refused("with these changes the entry renders no machine of this name, as with `strategy: blue-green`")
		}
		if x.out.Imposed() || !x.differs(r) {
			return nil
		}
		rendered, err := readLive(r.vms[x.key()], x.live.Namespace)
		if err != nil {
			return refused(err.Error())
		}
		x.patchVolumes(rendered.tree)
		x.settle(rendered.tree)
	}
	_, err := m.tried(x) // what comes out is judged
	return err
}

// patchVolumes patches the volumes that differ, if they have the same names in the same order:
// overrides could only replace all of them. What is patched is the same in both then.
func (x *merging) patchVolumes(rendered tree) {
	want, got := manifest.List(x.live.tree, pathVolumes...), manifest.List(rendered, pathVolumes...)
	named := func(a, b any) bool { return manifest.EntryName(a) == manifest.EntryName(b) }
	if !slices.EqualFunc(want, got, named) {
		return
	}
	for i := range got {
		for key, value := range sorted(difference(got[i].(tree), want[i].(tree))) {
			op := node{}
			op.set("op", "add")
			op.set("path", fmt.Sprintf("/%s/%d/%s", strings.Join(pathVolumes, "/"), i, key))
			if value == nil {
				op.set("op", "remove")
			} else {
				op.put("value", nodeOf(want[i].(tree)[key]))
			}
			x.keys.put("patches", joined(x.keys.get("patches"), nodes([]any{op.tree()})))
		}
		got[i] = want[i]
	}
}

// Imposed reports whether an overlay sets a value that differs: what is left then is the
// overlay's, and no override of the entry's.
func (m *MergedMachine) Imposed() bool { return len(m.Asks) > 0 && m.Asks[0].Why == whyOverlay }

// resetAt leaves a key that the format refuses as it was; its change becomes an override. It
// reports whether there was one.
func (x *merging) resetAt(diags *source.Diagnostics) bool {
	found := false
	for _, d := range diags.Sorted() {
		rest, ok := strings.CutPrefix(d.Path, source.JoinPath("vms", x.of.Name)+".")
		if d.Severity != source.Error || !ok {
			continue
		}
		key, _, _ := strings.Cut(strings.ReplaceAll(rest, "[", "."), ".")
		if x.reset[key] || equal(cmp.Or(x.keys.get(key), null()), cmp.Or(x.before.Get(key), null())) {
			continue
		}
		x.reset[key], found = true, true
		if v := x.before.Get(key); v != nil {
			x.keys.put(key, v)
		} else {
			x.keys.remove(key)
		}
	}
	return found
}

// tried writes the entry of a machine into the copy, and renders it.
func (m *merge) tried(x *merging) (*rendering, error) {
	change := x.edit()
	text, err := m.withEntry(x, x.bare, change.Value)
	if !x.out.Added {
		text, err = edit.Apply(m.fleet.shown(x.file), x.text, change)
	}
	if err != nil {
		return nil, refused(err.Error())
	}
	if err := m.fleet.put(x.file, text); err != nil {
		return nil, err
	}
	return m.render(x.file)
}
