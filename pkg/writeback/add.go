package writeback

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/edit"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
)

// place drafts the entry of a VM that has none, and chooses its file. It returns why it cannot have one, or "".
func (m *merge) place(x *merging) refused {
	choice, _ := m.opts.Mapping.Of(x.out.ID)
	x.out.Guess = m.known.Guess(x.Live, choice)
	x.OS = m.nearestOS(x.out.Guess.OS, x.Live)
	if x.OS == nil {
		return refused(fmt.Sprintf("the catalog has no operating system %q", x.out.Guess.OS))
	}
	namespace := x.Live.Namespace
	x.file = cmp.Or(choice.File, m.fileFor(namespace))
	if !m.isPart(x.file) {
		return refused(fmt.Sprintf("its file %s is outside of what is merged", m.fleet.shown(x.file)))
	}
	if m.fleet.files[x.file] == nil && !m.made[x.file] {
		m.made[x.file] = true
		m.noteHome(x.file, namespace)
	}
	e := draft.New(x.Live, x.OS)
	e.Draft(m.namesFor(x.Live))
	x.drafted = e.Keys
	return ""
}

// fileFor returns the file of a namespace: the first that sets it, in the part of the fleet that may be changed, or one
// that is named like it.
func (m *merge) fileFor(namespace string) string {
	switch home := m.homes[namespace]; {
	case home != "":
		return home
	case strings.HasSuffix(m.fleet.part, ".yaml") || strings.HasSuffix(m.fleet.part, ".yml"):
		return m.fleet.part
	}
	return path.Join(m.fleet.part, adopt.FileOf(namespace))
}

// readHomes reads which namespaces the files with VMs set.
func (m *merge) readHomes() {
	m.homes, m.made = map[string]string{}, map[string]bool{}
	seen := map[string]bool{}
	for _, at := range m.first.machines {
		file := m.fleet.file(at.Pos.File)
		if seen[file] || !m.isPart(file) {
			continue
		}
		seen[file] = true
		docs := source.Parse(&source.File{Name: file, Data: m.fleet.files[file]}, new(source.Diagnostics))
		for _, doc := range docs {
			m.noteHome(file, doc.Get("namespace").Str())
		}
	}
}

// noteHome notes that a file sets a namespace.
func (m *merge) noteHome(file, namespace string) {
	if home := m.homes[namespace]; home == "" || file < home {
		m.homes[namespace] = file
	}
}

// leastKeys are the keys that entries of new VMs are tried with, the fewest first; nil is all. What an entry lacks is
// found by comparing what it renders.
var leastKeys = [][]string{
	{"os", "adopted", "consoleLabels"},
	{"os", "adopted", "consoleLabels", "disks"},
	{"os", "adopted", "consoleLabels", "disks", "cloudInit", "sysprep"},
	nil,
}

// mostLeast is the number of entries that a new VM is tried with.
var mostLeast = 2 * len(leastKeys)

// least returns an entry with which a VM could be rendered; the first is the shortest. Each is tried without and with a
// namespace.
func (x *merging) least(i int) *source.Node {
	keys := leastKeys[i/2]
	n := node.Map{}
	for _, f := range x.drafted.Fields {
		if keys == nil || slices.Contains(keys, f.Key) {
			n.Put(f.Key, f.Value)
		}
	}
	for _, key := range []string{"cloudInit", "sysprep"} {
		if slices.Contains(keys, key) {
			n.Put(key, node.Null()) // what is inherited may be that of another operating system
		}
	}
	if i%2 == 1 {
		n.Put("namespace", node.Value(x.Live.Namespace))
	}
	return draft.Ordered(&n)
}

// add writes the entries of VMs that have none: of each the least with which it is rendered. It reports whether all
// have one then.
func (a *attempt) add() bool {
	if !a.list[0].out.Added {
		return true
	}
	a.checkNames()
	if !a.goesOn() {
		return false
	}
	tried := map[*merging]int{}
	for {
		r := a.write(func(x *merging) *source.Node { return x.least(tried[x]) })
		if r == nil {
			return false
		}
		more := false
		for _, x := range a.list {
			why, failed := a.failure(x, r)
			if !failed {
				continue
			}
			if tried[x]++; tried[x] == mostLeast {
				a.odd[x] = refused(why)
			}
			more = true
		}
		if !more || !a.goesOn() {
			return a.goesOn() && len(r.errors) == 0
		}
	}
}

// checkNames notes the new VMs whose names other entries of their files have.
func (a *attempt) checkNames() {
	seen := map[string]bool{}
	for _, x := range a.list {
		x.text = a.fleet.files[x.file]
		at := x.file + "\x00" + x.Live.Name
		switch {
		case a.read(x.file).names[x.Live.Name]:
			a.odd[x] = refused(fmt.Sprintf(
				"%s has an entry %q for another VM; choose another file for it with --mapping", a.fleet.shown(x.file), x.Live.Name))
		case seen[at]:
			a.odd[x] = "" // the first may be refused
		}
		seen[at] = true
	}
}

// failure reports whether the entry of a new VM does not render it, with the reason if that has to do with it alone.
func (a *attempt) failure(x *merging, r *rendering) (why string, failed bool) {
	switch {
	case len(r.errors) == 0 && r.vms[x.Key()].JSON == nil:
		return "an entry for it renders another VM", true
	case len(r.errors) == 0:
		made := x.madeIn(r, x.claims())
		return fmt.Sprintf("an entry for it creates the DataVolume %q, and the VM has a claim of that name", made), made != ""
	case len(a.list) == 1:
		return r.errors[0].text(), true
	}
	return r.alone[x.Key()], len(x.errorsIn(r)) > 0
}

// claims returns the names of the claims and DataVolumes that a VM has, not nil.
func (x *merging) claims() []string {
	out := []string{}
	for i := range x.Live.Spec().Volumes {
		switch v := &x.Live.Spec().Volumes[i]; {
		case v.DataVolume != nil:
			out = append(out, v.DataVolume.Name)
		case v.PersistentVolumeClaim != nil:
			out = append(out, v.PersistentVolumeClaim.ClaimName)
		}
	}
	return out
}

// madeIn returns the first DataVolume that is rendered next to a VM, of those with a name among some; all count if that
// is nil. It is "" if there is none. A new VM has its disks: a DataVolume for one would be filled again, or be in the
// way.
func (x *merging) madeIn(r *rendering, names []string) string {
	disks := r.machines[x.Key()].Disks
	for i := range disks {
		d := &disks[i]
		if d.Kind == machine.DiskDataVolume && d.Keep && (names == nil || slices.Contains(names, d.Claim)) {
			return d.Claim
		}
	}
	return ""
}

// textWith returns the text of a file with the entries of VMs; a file that does not exist is created.
func (m *merge) textWith(list []*merging, entry func(*merging) *source.Node) ([]byte, error) {
	text := list[0].text
	var changes []edit.Change
	for _, x := range list {
		if text == nil {
			text = x.newFile(entry(x))
			continue
		}
		c := edit.Change{Path: []string{"vms", x.out.Entry}, Value: entry(x)}
		if x.out.Added {
			c.Comment = x.comment()
		}
		changes = append(changes, c)
	}
	if changes == nil {
		return text, nil
	}
	return edit.Apply(m.fleet.shown(list[0].file), text, changes...)
}

// newFile returns the text of a file with one entry.
func (x *merging) newFile(entry *source.Node) []byte {
	var out edit.Writer
	out.Field(0, "namespace", node.Value(x.Live.Namespace))
	out.Raw("vms:\n")
	if c := x.comment(); c != "" {
		out.Comment(2, c)
	}
	out.Raw("  " + edit.Flow(node.Value(x.Live.Name)) + ":\n")
	out.Fields(4, entry)
	return []byte(out.String())
}

// comment explains why the operating system of a new entry is what it is.
func (x *merging) comment() string {
	return strings.Join(adopt.Comments(x.Entry, x.out.Guess), "; ")
}
