package adopt

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/files"
	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/source"
)

// problem is an error in an entry.
type problem struct{ path, message string }

// prove renders the fleet, adds what its entries do not set, moves what they share to
// the level that shares it, and repeats this. The last rendering of the whole fleet decides
// the result. An entry with an error that nothing helps is refused, and the others go on
// without it: with an error in one, the fleet is not checked as a whole.
func (w *work) prove() error {
	proven, err := w.settle()
	if err != nil {
		return err
	}
	if w.factor() {
		if proven, err = w.settle(); err != nil {
			return err
		}
	}
	if w.Replicas {
		w.fold()
		proven = false
	}
	for !proven {
		if err := w.judge(); err != nil {
			return err
		}
		proven = !w.refuse()
	}
	return nil
}

// settle renders the fleet, and adds to its entries what they lack, until they are what
// the VMs are, or nothing helps. It refuses those that cannot be rendered. It reports whether
// the fleet as it is was rendered as a whole, and is what the VMs are.
func (w *work) settle() (proven bool, err error) {
	const most = 8 // the mode, keys that are refused, a disk, the residue, and the residue of that
	for again := true; again; again = w.refuse() {
		w.arrange()
		pending := slices.Clone(w.entries)
		proven = false
		for i := 0; i < most && len(pending) > 0; i++ {
			rendered, err := w.render(pending)
			if err != nil {
				return false, err
			}
			pending = slices.DeleteFunc(pending, func(e *imported) bool { return !w.improve(e, rendered.vm(e)) })
			proven = i == 0 && len(pending) == 0
		}
	}
	return proven && !slices.ContainsFunc(w.entries, func(e *imported) bool { return len(e.machine.Differences) > 0 }), nil
}

// judge renders the fleet as a whole, and records how the VMs differ from it.
func (w *work) judge() error {
	rendered, err := w.render(w.entries)
	for _, e := range w.entries {
		e.judge(rendered.vm(e))
	}
	return err
}

// refuse leaves out the entries with errors, and reports whether there were any.
func (w *work) refuse() bool {
	isBroken := func(e *imported) bool { return len(e.problems) > 0 }
	for _, e := range w.entries {
		if isBroken(e) {
			why := cmp.Or(e.refusal, e.problems[0].path+": "+e.problems[0].message)
			e.machine.Refused, e.machine.File = "no values can express it: "+why, ""
			w.refused = append(w.refused, e.machine)
		}
	}
	had := len(w.entries)
	w.entries = slices.DeleteFunc(w.entries, isBroken)
	for path, g := range w.levels {
		if g.entries = slices.DeleteFunc(g.entries, isBroken); len(g.entries) == 0 {
			delete(w.levels, path)
		}
	}
	return len(w.entries) < had
}

// improve adds to an entry what it lacks, or takes back what is refused. It reports whether it did.
func (w *work) improve(e *imported, vm tree) bool {
	if len(e.problems) > 0 {
		if e.refusal == "" {
			e.refusal = e.problems[0].path + ": " + e.problems[0].message
		}
		if w.adopt(e) {
			return true
		}
		dropped := false
		for _, p := range e.problems {
			dropped = e.Drop(strings.TrimPrefix(p.path, source.JoinPath("vms", e.machine.Entry)+".")) || dropped
		}
		if dropped {
			return true
		}
	}
	if vm == nil {
		return false
	}
	over := draft.Difference(e.comparable(vm), e.Live.Tree)
	switch {
	case len(over) == 0:
		return false
	case removals(over) > 1 && w.adopt(e):
		return true
	}
	if !e.KeepPlugs(vm) {
		e.Settle(vm)
	}
	return true
}

// adopt drafts the entry again with `adopted: true`. It reports whether that is another mode.
func (w *work) adopt(e *imported) bool {
	if e.OS.Adopted {
		return false
	}
	e.OS = w.catalog.AdoptedOS(e.OS.Name, e.Live.Arch())
	e.problems = nil
	e.Draft(&w.names)
	if g := w.levels[e.machine.File]; g != nil && e.Live.Namespace != g.namespace {
		e.Keys.Set("namespace", e.Live.Namespace)
	}
	return true
}

// removals returns how many values a merge patch removes.
func removals(over tree) int {
	n := 0
	for _, v := range over {
		switch v := v.(type) {
		case nil:
			n++
		case tree:
			n += removals(v)
		}
	}
	return n
}

// judge records how a VM differs from what is rendered. A VM that is not rendered at all is a problem of its entry.
func (e *imported) judge(vm tree) {
	switch {
	case vm != nil:
		e.machine.Differences = draft.Differences(e.Live.Tree, e.comparable(vm))
		if len(e.machine.Differences) > 0 {
			e.machine.Effects = Effects(e.Live, vm)
		}
	case len(e.problems) == 0:
		e.problems = []problem{{e.machine.File, "no VM is rendered from the entry"}}
	}
}

// comparable returns a rendered VirtualMachine without what Git adds to the metadata of
// every VM, which no running VM sees.
func (e *imported) comparable(vm tree) tree {
	for _, kind := range []string{"labels", "annotations"} {
		has := manifest.Map(e.Live.Tree, "metadata", kind)
		all := manifest.Map(vm, "metadata", kind)
		for key := range all {
			if _, ok := has[key]; !ok && (draft.IsOurs(key) || slices.Contains(draft.AddedLabels, key)) {
				delete(all, key)
			}
		}
		if len(all) == 0 {
			delete(manifest.Map(vm, "metadata"), kind)
		}
	}
	e.dropGroup(vm)
	return vm
}

// dropGroup removes the label of the replicas of an entry, which a running pod does not get.
func (e *imported) dropGroup(vm tree) {
	pod := slices.Clip([]string{"spec", "template", "metadata"})
	has := manifest.Map(e.Live.Tree, pod...)
	if _, ok := manifest.Map(has, "labels")[labels.Group]; ok {
		return
	}
	of := manifest.Map(vm, append(pod, "labels")...)
	if delete(of, labels.Group); len(of) > 0 {
		return
	}
	meta := manifest.Map(vm, pod...)
	if delete(meta, "labels"); len(meta) == 0 && has == nil {
		delete(manifest.Map(vm, "spec", "template"), "metadata")
	}
}

// rendered is the VirtualMachines that entries render to, by namespace and name.
type rendered map[string]manifest.Object

// vm returns the VirtualMachine of an entry, or nil.
func (r rendered) vm(e *imported) tree {
	if o, ok := r[e.Key()]; ok {
		return o.Tree()
	}
	return nil
}

// render writes the fleet to a directory, with some of its entries, and renders it as users
// do. It returns the VirtualMachines without those of entries with problems, which it notes.
func (w *work) render(some []*imported) (rendered, error) {
	out := rendered{}
	if w.files = nil; len(some) == 0 {
		return out, nil
	}
	dir, err := os.MkdirTemp("", "vmrender-import-")
	if err != nil {
		return nil, fmt.Errorf("rendering what was imported: %w", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left is in the temporary directory
	w.files = w.write(some)
	for _, f := range w.files {
		if err := files.WritePrivate(filepath.Join(dir, filepath.FromSlash(f.Path)), f.Text); err != nil {
			return nil, fmt.Errorf("writing what was imported: %w", err)
		}
	}
	c := render.NewCollector()
	_, diags := inventory.Visit(dir, fleet.Options{Limit: dir}, c.Visit)
	all := c.Rendered(diags)
	if err := w.assign(dir, some, diags); err != nil {
		return nil, err
	}
	for _, o := range render.Objects(all...) {
		if o.Kind == "VirtualMachine" {
			out[o.Namespace+"/"+o.Name] = o
		}
	}
	return out, nil
}

// assign notes each error at the entry that it is in. An error that is in none is
// returned: nothing is proven then.
func (w *work) assign(dir string, some []*imported, diags *source.Diagnostics) error {
	for _, e := range some {
		e.problems = nil
	}
	var others []error
	for _, d := range diags.Sorted() {
		if d.Severity != source.Error {
			continue
		}
		if !w.assignOne(dir, some, d) {
			others = append(others, errors.New(strings.TrimPrefix(d.String(), dir+string(filepath.Separator))))
		}
	}
	return errors.Join(others...)
}

// assignOne notes an error at the entries that it is in, by its position, or else, as the
// error is in what they inherit, by its path. It reports whether there are any.
func (w *work) assignOne(dir string, some []*imported, d source.Diagnostic) bool {
	path, _ := filepath.Rel(dir, d.File)
	found := false
	note := func(e *imported) {
		e.problems = append(e.problems, problem{d.Path, d.Message})
		found = true
	}
	if g := w.levels[filepath.ToSlash(path)]; g != nil {
		for _, e := range g.written {
			if e.at(d.Pos) {
				note(e)
			}
		}
		return found
	}
	for _, e := range some {
		if strings.HasPrefix(d.Path+".", source.JoinPath("vms", e.machine.Entry)+".") {
			note(e)
		}
	}
	return found
}
