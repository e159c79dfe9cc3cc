package writeback

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// take reads one VirtualMachine, or refuses it.
func (m *merge) take(o manifest.Object) {
	out := &Machine{Machine: adopt.Machine{ID: o.ID, Entry: o.Name}}
	out.Namespace = adopt.Options{Namespace: m.opts.Fleet.Namespace}.NamespaceOf(o)
	if _, ok := m.opts.Mapping.Of(out.ID); !ok {
		return
	}
	x := &merging{Entry: &draft.Entry{Kept: true}, out: out, reset: map[string]bool{}}
	m.all = append(m.all, x)
	name := out.Namespace + "/" + out.Name
	if m.byName[name] {
		out.Refused, x.done = "another manifest of it was read before; pass one of the two", true
		return
	}
	m.byName[name] = true
	l, err := draft.ReadUncounted(o, out.Namespace)
	if err != nil {
		out.Refused, x.done = err.Error(), true
		return
	}
	x.Live = l
	if out.Added = m.first.vms[name].JSON == nil; !out.Added && m.first.machines[name] != nil {
		x.file = m.fleet.file(m.first.machines[name].Pos.File)
		out.File = x.file
	}
	out.Notes = adopt.Unknown(l)
	object := l.Object()
	out.Refused = m.foreign(x, object)
	isToChange := out.Added || m.hasChanged(x, object)
	if problem := m.problem(x); problem != "" && isToChange {
		out.Refused = cmp.Or(out.Refused, problem)
	}
	if x.done = out.Refused != "" || !isToChange; x.done {
		x.Live = nil // most VMs of a cluster are as Git has them, and their trees are large
	}
}

// hasChanged reports whether a VM differs from what its entry renders.
func (m *merge) hasChanged(x *merging, object tree) bool {
	git := draft.Plain(m.first.vms[x.Key()])
	if t := wantedTree(x.Live, object, git); len(draft.Difference(git, t)) == 0 {
		return false
	}
	rendered, err := draft.ReadUncounted(m.first.vms[x.Key()], x.Live.Namespace)
	if err != nil {
		return true
	}
	l, err := wanted(x.Live, rendered)
	return err != nil || len(draft.Difference(rendered.Tree, l.Tree)) > 0
}

// foreign returns who else manages a VM, or why it cannot be an entry; "" if nothing is wrong.
func (m *merge) foreign(x *merging, object tree) string {
	if !x.out.Added && manifest.Text(object, "metadata", "labels", labels.ManagedBy) == labels.Manager {
		return ""
	}
	if err := adopt.Refusal(x.Live); err != nil {
		return err.Error()
	}
	return ""
}

// problem returns why the entry of a VM cannot be changed, or "".
func (m *merge) problem(x *merging) string {
	name := x.Key()
	switch at := m.first.machines[name]; {
	case at == nil && !x.out.Added:
		return "its name follows from its content, as with `strategy: blue-green`; change its entry manually"
	case at != nil && at.Entry != "":
		return fmt.Sprintf("it is one of the replicas of %q, which share their values; "+
			"change the entry manually, or give the VM an entry of its own", at.Entry)
	case at != nil && x.out.Added:
		return "its entry renders no VirtualMachine of this name; change the entry manually"
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
