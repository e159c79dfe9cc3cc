package writeback

import (
	"bytes"
	"fmt"
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

// entry returns the entry with the keys that it should have, as it is written.
func (x *merging) entry() *source.Node {
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
			own = placed(own, c.Path, alone(appendedTo(inherited, own.Get(c.Path...), c.Value), inherited))
		}
	}
	entry := speller{x.OS.Topology}.respelled(nil, x.written, values.Spelled(x.own), values.Spelled(own))
	if x.out.Added {
		entry = draft.Ordered(node.From(entry, ""))
	}
	return entry
}

// appendedTo returns a list that is to be the value of a key. An entry that appends to the inherited list continues to,
// as long as the new list begins with it. Otherwise, the entry sets all of the list.
func appendedTo(inherited, own, value *source.Node) *source.Node {
	isAppended := own != nil && own.Style == source.Appended && value != nil && value.Kind == source.List
	if !isAppended || inherited == nil || !startsWith(value.Items, inherited.Items) {
		return value
	}
	rest := *value
	rest.Style, rest.Items = source.Appended, value.Items[len(inherited.Items):]
	return &rest
}

func startsWith(items, first []*source.Node) bool {
	return len(items) >= len(first) && slices.EqualFunc(items[:len(first)], first, sameItem)
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

// judgeMerged describes what has become of a VM. It refuses a change by which anything else is rendered otherwise.
func (m *merge) judgeMerged(x *merging, before *rendering) error {
	r, err := m.render(x.file)
	if err != nil {
		return err
	}
	if len(r.errors) > 0 {
		return refused(r.errors[0].text())
	}
	if err := m.describe(x, r); err != nil {
		return err
	}
	return m.checkOthers(x, before, r)
}

// describe notes how a VM differs from what is rendered, and the changes of its entry.
func (m *merge) describe(x *merging, r *rendering) error {
	x.result = r.vms[x.Key()]
	if made := x.madeIn(r, nil); x.out.Added && made != "" {
		return refused(fmt.Sprintf("an entry for it creates the DataVolume %q, which the VM does not use", made))
	}
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
		case !ok && (!x.out.Added || !isOwn): // those of a new VM were rendered only on the way to its entry
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
