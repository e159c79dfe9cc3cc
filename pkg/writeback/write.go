package writeback

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/edit"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// edit returns the change of the entry's text by which it has the keys that it should have.
func (x *merging) edit() edit.Change {
	own := x.own
	for _, c := range changed(x.before, x.Keys.Node()) {
		inherited := x.inherited.Get(c.Path...)
		switch {
		case c.Value == nil && inherited != nil:
			own = placed(own, c.Path, node.Null())
		case inherited != nil && sameItem(inherited, c.Value):
			own = placed(own, c.Path, nil)
		case matchesPath([]string{"disks", "*", "source"}, c.Path):
			own = placed(own, c.Path, c.Value) // which replaces an inherited one as a whole
		default:
			own = placed(own, c.Path, alone(c.Value, inherited))
		}
	}
	entry := speller{x.OS.Topology}.respelled(nil, x.written, x.own, own)
	if x.out.Added {
		entry = draft.Ordered(node.From(entry, ""))
	}
	return edit.Change{Path: []string{"vms", x.of.Name}, Value: entry}
}

// alone returns a value that replaces an inherited one: of a map, the inherited keys are removed.
func alone(value, inherited *source.Node) *source.Node {
	if value == nil || value.Kind != source.Map {
		return value
	}
	out := node.From(value, "")
	for _, f := range inherited.Entries() {
		if value.Get(f.Key) == nil && f.Value.IsSet() {
			out.Put(f.Key, node.Null())
		}
	}
	return out.Node()
}

// add writes the entry of a VM that has none: the least with which it is rendered, in the
// file of its namespace.
func (m *merge) add(x *merging) error {
	choice, _ := m.opts.Mapping.Of(x.out.ID)
	x.out.Guess = m.known.Guess(x.Live, choice)
	x.OS = m.nearestOS(x.out.Guess.OS, x.Live)
	if x.OS == nil {
		return refused(fmt.Sprintf("the catalog has no operating system %q", x.out.Guess.OS))
	}
	x.file = cmp.Or(choice.File, m.fileFor(x.Live.Namespace))
	if !m.isPart(x.file) {
		return refused(fmt.Sprintf("its file %s is outside of what is merged", m.fleet.shown(x.file)))
	}
	was := m.fleet.files[x.file]
	x.bare = was
	problem := ""
	for _, entry := range m.least(x) {
		text, err := m.withEntry(x, was, entry)
		if err != nil {
			return refused(err.Error())
		}
		if err := m.fleet.put(x.file, text); err != nil {
			return err
		}
		r, err := m.render(x.file)
		if err != nil {
			return err
		}
		if !r.diags.HasErrors() && r.vms[x.Key()].JSON != nil {
			return nil
		}
		problem = cmp.Or(m.errorOf(r), "an entry for it renders another VM")
	}
	return refused(problem)
}

// least returns entries with which a VM could be rendered, the shortest first: what they
// lack is found by comparing what they render.
func (m *merge) least(x *merging) []*source.Node {
	e := draft.New(x.Live, x.OS)
	e.Draft(m.namesFor(x.Live))
	mode := []string{"os", "adopted", "consoleLabels"}
	disks := append(slices.Clip(mode), "disks")
	attempts := [][]string{mode, disks, append(slices.Clip(disks), "cloudInit", "sysprep"), nil}
	out := make([]*source.Node, 0, 2*len(attempts))
	for _, keys := range attempts {
		n := node.Map{}
		for _, f := range e.Keys.Fields {
			if keys == nil || slices.Contains(keys, f.Key) {
				n.Put(f.Key, f.Value)
			}
		}
		for _, key := range []string{"cloudInit", "sysprep"} {
			if slices.Contains(keys, key) {
				n.Put(key, node.Null()) // what is inherited may be that of another operating system
			}
		}
		out = append(out, draft.Ordered(&n))
		n.Put("namespace", node.Value(x.Live.Namespace))
		out = append(out, draft.Ordered(&n))
	}
	return out
}

// withEntry returns the text of a file with one more entry; a file that does not exist is created.
func (m *merge) withEntry(x *merging, was []byte, entry *source.Node) ([]byte, error) {
	if was != nil {
		return edit.Apply(m.fleet.shown(x.file), was, edit.Change{
			Path: []string{"vms", x.Live.Name}, Value: entry, Comment: x.comment(),
		})
	}
	var out edit.Writer
	out.Field(0, "namespace", node.Value(x.Live.Namespace))
	out.Raw("vms:\n")
	if c := x.comment(); c != "" {
		out.Comment(2, c)
	}
	out.Raw("  " + edit.Flow(node.Value(x.Live.Name)) + ":\n")
	out.Fields(4, entry)
	return []byte(out.String()), nil
}

// comment explains why the operating system of a new entry is what it is.
func (x *merging) comment() string {
	return strings.Join(adopt.Comments(x.Entry, x.out.Guess), "; ")
}

// fileFor returns the file of a namespace: the first that sets it, in the part of the
// fleet that may be changed, or one that is named like it.
func (m *merge) fileFor(namespace string) string {
	var files []string
	for _, at := range m.first.machines {
		files = append(files, m.fleet.file(at.Pos.File))
	}
	for file := range m.fleet.files {
		if m.fleet.was[file] == nil {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		if m.isPart(file) && m.isOf(file, namespace) {
			return file
		}
	}
	if strings.HasSuffix(m.fleet.part, ".yaml") || strings.HasSuffix(m.fleet.part, ".yml") {
		return m.fleet.part
	}
	return path.Join(m.fleet.part, adopt.FileOf(namespace))
}

// isOf reports whether a file sets a namespace for its VMs.
func (m *merge) isOf(file, namespace string) bool {
	docs := source.Parse(&source.File{Name: file, Data: m.fleet.files[file]}, new(source.Diagnostics))
	return slices.ContainsFunc(docs, func(doc *source.Node) bool { return doc.Get("namespace").Str() == namespace })
}

// judgeMerged describes what has become of a VM. It refuses a change by which anything else is rendered otherwise.
func (m *merge) judgeMerged(x *merging, before *rendering) error {
	r, err := m.render(x.file)
	if err != nil {
		return err
	}
	if r.diags.HasErrors() {
		return refused(m.errorOf(r))
	}
	if err := m.describe(x, r); err != nil {
		return err
	}
	return m.checkOthers(x, before, r)
}

// describe notes how a VM differs from what is rendered, and the changes of its entry.
func (m *merge) describe(x *merging, r *rendering) error {
	x.result = r.vms[x.Key()]
	if !x.isRendered(r) {
		rendered, err := draft.ReadUncounted(x.result, x.Live.Namespace)
		if err != nil {
			return refused(err.Error())
		}
		if x.out.Differences = draft.Differences(x.Live.Tree, rendered.Tree); len(x.out.Differences) > 0 {
			x.out.Effects = adopt.Effects(x.Live, rendered.Tree)
		}
	}
	for _, c := range changed(x.before, x.Keys.Node()) {
		for _, c := range x.opened(c) {
			x.out.Changes = append(x.out.Changes, x.change(m, c))
		}
	}
	return nil
}

// opened returns a change as a reader wants it: one for each value of `overrides` and of NICs,
// and none for the size of a root disk that has another source, on which it has no effect.
func (x *merging) opened(c edit.Change) []edit.Change {
	var out []edit.Change
	switch {
	case slices.Equal(c.Path, []string{"disks", values.RootDisk, "size"}) && x.isOther(values.RootDisk):
	case c.Path[0] == "overrides" && c.Value != nil && c.Value.Kind == source.Map:
		for path, v := range node.Sorted(node.Leaves(c.Value)) {
			out = append(out, edit.Change{Path: slices.Concat(c.Path, strings.Split(path, node.Separator)), Value: v})
		}
	default:
		out = append(out, c)
	}
	return out
}

// isOther reports whether a disk has another source than before.
func (x *merging) isOther(disk string) bool {
	was, now := x.before.Get("disks", disk, "source"), x.Keys.Get("disks").Get(disk, "source")
	return now != nil && (was == nil || !sameItem(was, now))
}

// checkOthers notes the objects of the VM that are no longer rendered, and refuses changes
// of other VMs.
func (m *merge) checkOthers(x *merging, before, after *rendering) error {
	own := x.Live.Name
	for id, was := range before.objects {
		now, ok := after.objects[id]
		isOwn := id.Namespace == x.Live.Namespace && (id.Name == own || strings.HasPrefix(id.Name, own+"-"))
		switch {
		case ok && !bytes.Equal(now, was) && id.Kind == "VirtualMachine" && id.Name != own:
			return refused(fmt.Sprintf("the change would also change %s/%s; make it manually", id.Namespace, id.Name))
		case !ok && !isOwn && id.Kind == "VirtualMachine":
			return refused(fmt.Sprintf("without %s/%s; make the change manually", id.Namespace, id.Name))
		case !ok:
			x.out.Dropped = append(x.out.Dropped, fmt.Sprintf("%s %s/%s", id.Kind, id.Namespace, id.Name))
		}
	}
	slices.Sort(x.out.Dropped)
	return nil
}

// result returns what has changed.
func (m *merge) result() *Merged {
	out := &Merged{Root: m.fleet.root}
	for _, x := range m.all {
		out.Machines = append(out.Machines, x.out)
	}
	for file, text := range node.Sorted(m.fleet.files) {
		if was := m.fleet.was[file]; was == nil || string(was) != string(text) {
			out.Files = append(out.Files, File{file, was, text})
		}
	}
	return out
}

// ask notes a change that is left to the user.
func (x *merging) ask(m *merge, c edit.Change, why string) {
	v := x.change(m, c)
	v.Why = why
	x.out.Asks = append(x.out.Asks, v)
}

// change describes what a change of an entry's keys does.
func (x *merging) change(m *merge, c edit.Change) ValueChange {
	v := ValueChange{
		Path: keyPath(c.Path), Was: shownAt(c.Path, x.before.Get(c.Path...)), Becomes: shownAt(c.Path, c.Value), path: c.Path,
	}
	if was := x.of.Keys.Get(c.Path...); was != nil {
		v.Origin = m.origin(x, was)
	}
	return v
}

// origin returns where a value is set, if that is not the entry itself.
func (m *merge) origin(x *merging, n *source.Node) string {
	at := n.Pos()
	if catalog.IsBuiltin(at) {
		return "the operating system " + x.of.OS.Name
	}
	if x.of.Own(n) || at.File == "" || at.Line == 0 {
		return ""
	}
	if rel := m.fleet.file(at.File); !strings.HasPrefix(rel, "..") {
		at.File = m.fleet.shown(rel)
	}
	return at.String()
}

// keyPath returns a path of keys as it is written in messages.
func keyPath(keys []string) string {
	out := ""
	for _, key := range keys {
		out = source.JoinPath(out, key)
	}
	return out
}

// hidden are the keys whose values a report does not show: they can be secrets.
var hidden = [][]string{
	{"cloudInit"}, {"patches"}, {"vars"}, {"objects"}, {"disks", "*", "overrides"}, {"disks", "*", "dataVolume"},
}

func isHidden(path []string) bool {
	return slices.ContainsFunc(hidden, func(h []string) bool {
		return len(path) >= len(h) && matchesPath(h, path[:len(h)])
	})
}

// shownAt returns a value as a report shows it.
func shownAt(path []string, n *source.Node) string {
	switch {
	case n == nil && path[0] == "overrides":
		return "as the keys say"
	case n == nil && path[0] == "runStrategy":
		return "Always"
	case n == nil || n.Kind == source.Null:
		return "nothing"
	case isHidden(path):
		return fmt.Sprintf("%s, not shown", wording.Count(len(node.Leaves(node.One("", n))), "value"))
	}
	text := edit.Flow(n)
	if path[0] == "overrides" && n.Kind == source.List {
		text = fmt.Sprintf("a list of %d, not shown", len(n.Items)) // user data is in lists
	}
	if r := []rune(text); len(r) > 80 {
		return string(r[:77]) + "..."
	}
	return text
}
