package writeback

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/edit"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

// mergeAll merges all VMs. New ones come last: messages about the others have positions in the files.
func (m *merge) mergeAll() error {
	var known, added []*merging
	for _, x := range m.all {
		switch {
		case x.done:
		case x.out.Added:
			added = append(added, x)
		default:
			known = append(known, x)
		}
	}
	if err := m.mergeFiles(known); err != nil {
		return err
	}
	if len(added) > 0 {
		m.readHomes()
	}
	placed := make([]*merging, 0, len(added))
	for _, x := range added {
		if why := m.place(x); why != "" {
			x.refuse(why)
		} else {
			placed = append(placed, x)
		}
	}
	return m.mergeFiles(placed)
}

// mergeFiles merges VMs, those of one file together: with one after the other, all VMs of the file would be rendered
// again for each of them.
func (m *merge) mergeFiles(list []*merging) error {
	var files []string
	var wide []*merging
	of := map[string][]*merging{}
	for _, x := range list {
		if of[x.file] == nil {
			files = append(files, x.file)
		}
		of[x.file] = append(of[x.file], x)
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
	return m.together(wide)
}

// together merges VMs of one scope that all have entries, or all have none. If they do not go together, those that
// have errors of their own are refused, and the others are merged without those of which it is known that they do not
// go with them. If nothing is known, each half is tried.
func (m *merge) together(list []*merging) error {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return m.merge(list[0])
	}
	m.fleet.mark()
	a := m.attempt(list...)
	if a.run() || a.err != nil {
		return a.err
	}
	if err := m.fleet.restore(); err != nil {
		return err
	}
	var rest, odd []*merging
	for _, x := range list {
		x.restart()
		switch why, isOdd := a.odd[x]; {
		case !isOdd:
			rest = append(rest, x)
		case why == "":
			odd = append(odd, x)
		default:
			x.refuse(why)
		}
	}
	added, half := list[0].out.Added, len(list)/2
	switch {
	case len(rest) == len(list) || added && len(odd) == len(list):
		return errors.Join(m.together(list[:half]), m.together(list[half:]))
	case added:
		return errors.Join(m.together(rest), m.together(odd))
	}
	for _, x := range odd { // first: messages have positions in the file, of which nothing should have changed yet
		if err := m.merge(x); err != nil {
			return err
		}
	}
	return m.together(rest)
}

// restart forgets what an attempt has found.
func (x *merging) restart() {
	x.reset, x.result = map[string]bool{}, manifest.Object{}
	x.out.Changes, x.out.Asks, x.out.Dropped, x.out.Differences, x.out.Effects = nil, nil, nil, nil, nil
	if x.out.Added { // which begins with what the cluster has, and not with what an attempt wants
		l, err := draft.ReadUncounted(manifest.Object{ID: x.Live.ID, JSON: x.Live.JSON}, x.Live.Namespace)
		if err == nil {
			x.Live = l
		}
	}
}

// attempt merges VMs of one scope together.
type attempt struct {
	*merge
	list []*merging
	// odd are those of which it is known that they do not go with the others, with the reason if it has to do with
	// them alone.
	odd map[*merging]refused
	err error // with which nothing can be merged
}

func (m *merge) attempt(list ...*merging) *attempt {
	return &attempt{merge: m, list: list, odd: map[*merging]refused{}}
}

// noted notes an error of one VM, and reports whether there was none.
func (a *attempt) noted(x *merging, err error) bool {
	switch why, isOfVM := errors.AsType[refused](err); {
	case err == nil:
		return true
	case isOfVM:
		a.odd[x] = why
	default:
		a.err = err
	}
	return false
}

// goesOn reports whether nothing speaks against the attempt.
func (a *attempt) goesOn() bool { return len(a.odd) == 0 && a.err == nil }

// run reports whether the VMs could be merged. It does to all what [merge.change] does to one.
func (a *attempt) run() bool {
	if !a.add() {
		return false
	}
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
		after = a.write((*merging).entry)
	}
	if after == nil || len(after.errors) > 0 {
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
		r := a.write((*merging).entry)
		switch {
		case r == nil:
			return nil
		case len(r.errors) > 0 && !a.reset(r):
			return nil
		case len(r.errors) > 0:
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
	return a.write((*merging).entry)
}

// reset leaves the keys that the format refuses. It notes the VMs with other errors, and reports whether there are
// none.
func (a *attempt) reset(r *rendering) bool {
	found := false
	for _, x := range a.list {
		own := x.errorsIn(r)
		switch {
		case len(own) == 0:
		case x.resetAt(own):
			found = true
		default:
			a.odd[x] = refused(r.alone[x.Key()])
		}
	}
	return found && a.goesOn()
}

// write writes entries of all into the copy, each file once, and renders them. It returns nil if that is not possible.
func (a *attempt) write(entry func(*merging) *source.Node) *rendering {
	lists := map[string][]*merging{}
	for _, x := range a.list {
		lists[x.file] = append(lists[x.file], x)
	}
	for _, x := range a.list {
		list := lists[x.file]
		if list == nil {
			continue
		}
		delete(lists, x.file)
		text, err := a.textWith(list, entry)
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
	problems := edit.Problems(err)
	for _, x := range a.list {
		switch {
		case len(a.list) == 1:
			a.odd[x] = refused(err.Error())
			return
		case x.file != file:
			continue
		}
		var own []string
		for _, p := range problems {
			if isAt(p.Path, source.JoinPath("vms", x.out.Entry)) || isAt("vms", p.Path) {
				own = append(own, p.String())
			}
		}
		if own != nil {
			a.odd[x] = refused(strings.Join(own, "\n"))
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
			if x.out.Added {
				continue // see [merge.checkOthers]
			}
			x.out.Dropped = append(x.out.Dropped, fmt.Sprintf("%s %s/%s", id.Kind, id.Namespace, id.Name))
		}
	}
	for _, x := range a.list {
		slices.Sort(x.out.Dropped)
	}
	return true
}
