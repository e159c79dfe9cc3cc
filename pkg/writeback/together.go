package writeback

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/vmrender/vmrender/pkg/edit"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

// mergeAll merges all VMs, those of one file together: with one after the other, all VMs of the file would be rendered
// again for each of them.
func (m *merge) mergeAll() error {
	var files []string
	var added, wide []*merging
	of := map[string][]*merging{}
	for _, x := range m.all {
		switch {
		case x.done:
		case x.out.Added:
			added = append(added, x)
		default:
			if of[x.file] == nil {
				files = append(files, x.file)
			}
			of[x.file] = append(of[x.file], x)
		}
	}
	for _, file := range files {
		if m.scope(file) == "" {
			wide = append(wide, of[file]...)
			continue
		}
		if err := m.together(of[file]); err != nil {
			return err
		}
		m.fleet.forget(file)
	}
	if err := m.together(wide); err != nil {
		return err
	}
	for _, x := range added {
		if err := m.merge(x); err != nil {
			return err
		}
	}
	return nil
}

// together merges VMs of one scope that have entries. If their changes do not go together, those of which it is known
// why are merged alone, for the message; otherwise each half is tried.
func (m *merge) together(list []*merging) error {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return m.merge(list[0])
	}
	m.fleet.mark()
	a := attempt{merge: m, list: list}
	if a.run() || a.err != nil {
		return a.err
	}
	if err := m.fleet.restore(); err != nil {
		return err
	}
	for _, x := range list {
		x.restart()
	}
	isOdd := func(x *merging) bool { return slices.Contains(a.odd, x) }
	if len(a.odd) == 0 {
		half := len(list) / 2
		return errors.Join(m.together(list[:half]), m.together(list[half:]))
	}
	for _, x := range a.odd { // first: messages have positions in the file, of which nothing should have changed yet
		if err := m.merge(x); err != nil {
			return err
		}
	}
	return m.together(slices.DeleteFunc(slices.Clone(list), isOdd))
}

// restart forgets what an attempt has found.
func (x *merging) restart() {
	x.reset, x.result = map[string]bool{}, manifest.Object{}
	x.out.Changes, x.out.Asks, x.out.Dropped, x.out.Differences, x.out.Effects = nil, nil, nil, nil, nil
}

// attempt merges VMs of one scope together.
type attempt struct {
	*merge
	list []*merging
	odd  []*merging // of which it is known that they do not go with the others
	err  error      // with which nothing can be merged
}

// noted notes an error of one VM, and reports whether there was none.
func (a *attempt) noted(x *merging, err error) bool {
	switch _, isOfVM := errors.AsType[refused](err); {
	case err == nil:
		return true
	case isOfVM:
		a.odd = append(a.odd, x)
	default:
		a.err = err
	}
	return false
}

// goesOn reports whether nothing speaks against the attempt.
func (a *attempt) goesOn() bool { return len(a.odd) == 0 && a.err == nil }

// run reports whether the VMs could be merged. It does to all what [merge.change] does to one.
func (a *attempt) run() bool {
	before := a.begin()
	if !a.goesOn() || len(a.list) == 0 {
		return a.goesOn()
	}
	after := a.settle()
	left := false
	for _, x := range a.list {
		left = x.leave() || left
	}
	if left && after != nil {
		after = a.write()
	}
	if after == nil || after.diags.HasErrors() {
		return false
	}
	for _, x := range a.list {
		a.noted(x, a.describe(x, after))
	}
	return a.goesOn() && a.checkOthers(before, after)
}

// begin reads the entries, and keeps in the list those of VMs that differ. It returns what they render.
func (a *attempt) begin() (before *rendering) {
	var list []*merging
	for _, x := range a.list {
		r, differs, err := a.merge.begin(x)
		if a.noted(x, err) {
			before = r
		}
		if differs {
			list = append(list, x)
		}
	}
	if a.goesOn() {
		a.list = list
	}
	return before
}

// settle does what [merge.settleMerged] does. It returns what is rendered in the end, or nil if the VMs do not go
// together.
func (a *attempt) settle() *rendering {
	settled := map[*merging]bool{}
	for range mostRounds {
		r := a.write()
		switch {
		case r == nil:
			return nil
		case r.diags.HasErrors() && !a.reset(r):
			return nil
		case r.diags.HasErrors():
			continue
		}
		for _, x := range a.list {
			if settled[x] {
				continue
			}
			more, err := x.supplement(r)
			a.noted(x, err)
			settled[x] = !more
		}
		if !a.goesOn() {
			return nil
		}
		if len(settled) == len(a.list) && !slices.ContainsFunc(a.list, func(x *merging) bool { return !settled[x] }) {
			return r
		}
	}
	return a.write()
}

// reset leaves the keys that the format refuses. It notes the VMs with other errors, and reports whether there are
// none.
func (a *attempt) reset(r *rendering) bool {
	found := false
	for _, x := range a.list {
		own := x.errorsIn(r.diags)
		switch {
		case len(own) == 0:
		case x.resetAt(own):
			found = true
		default:
			a.odd = append(a.odd, x)
		}
	}
	return found && a.goesOn()
}

// write writes all entries into the copy, each file once, and renders them. It returns nil if that is not possible.
func (a *attempt) write() *rendering {
	changes := map[string][]edit.Change{}
	for _, x := range a.list {
		changes[x.file] = append(changes[x.file], x.edit())
	}
	for _, x := range a.list {
		of := changes[x.file]
		if of == nil {
			continue
		}
		delete(changes, x.file)
		text, err := edit.Apply(a.fleet.shown(x.file), x.text, of...)
		if err != nil {
			a.blame(x.file, err)
			return nil
		}
		if a.err = a.fleet.put(x.file, text); a.err != nil {
			return nil
		}
	}
	r, err := a.render(a.list[0].file)
	a.err = err
	return r
}

// blame notes the VMs that a file cannot be changed for.
func (a *attempt) blame(file string, err error) {
	paths := map[string]bool{}
	for _, p := range edit.Problems(err) {
		paths[p.Path] = true
	}
	for _, x := range a.list {
		for path := range paths {
			if x.file == file && isAt(path, source.JoinPath("vms", x.of.Name)) {
				a.odd = append(a.odd, x)
				break
			}
		}
	}
}

// checkOthers does what [merge.checkOthers] does, and reports whether no VM changes but those of the list.
func (a *attempt) checkOthers(before, after *rendering) bool {
	own := map[string]*merging{}
	for _, x := range a.list {
		own[x.Key()] = x
	}
	for id, was := range before.objects {
		now, ok := after.objects[id]
		isVM := id.Kind == "VirtualMachine"
		switch {
		case ok && (!isVM || bytes.Equal(now, was) || own[id.Namespace+"/"+id.Name] != nil):
		case ok || own[before.owners[id]] == nil || isVM && own[id.Namespace+"/"+id.Name] == nil:
			return false
		default:
			x := own[before.owners[id]]
			x.out.Dropped = append(x.out.Dropped, fmt.Sprintf("%s %s/%s", id.Kind, id.Namespace, id.Name))
		}
	}
	for _, x := range a.list {
		slices.Sort(x.out.Dropped)
	}
	return true
}
