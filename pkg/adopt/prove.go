package adopt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/source"
)

// problem is an error in an entry.
type problem struct{ path, message string }

// prove renders the fleet, adds what its entries do not set, moves what they share to
// the level that shares it, and repeats this. The last rendering decides the result.
func (w *work) prove() error {
	if len(w.entries) == 0 {
		return nil
	}
	w.arrange()
	if err := w.settle(); err != nil {
		return err
	}
	if w.factor() {
		if err := w.settle(); err != nil {
			return err
		}
	}
	if w.Replicas {
		w.fold()
	}
	rendered, err := w.render()
	if err != nil {
		return err
	}
	for _, e := range w.entries {
		e.judge(rendered[e.key()])
	}
	return nil
}

// settle renders the fleet, and adds to its entries what they lack, until they are what
// the VMs are, or nothing helps.
func (w *work) settle() error {
	const most = 4 // a key that is refused, its disk, the residue, and the residue of that
	for range most {
		rendered, err := w.render()
		if err != nil {
			return err
		}
		changed := false
		for _, e := range w.entries {
			vm, dropped := rendered[e.key()], false
			for _, p := range e.problems {
				dropped = e.drop(p.path) || dropped
			}
			switch {
			case dropped:
				changed = true
			case vm != nil && len(difference(e.comparable(vm), e.live.tree)) > 0:
				e.settle(vm)
				changed = true
			}
		}
		if !changed {
			return nil
		}
	}
	return nil
}

// judge records how a VM differs from what is rendered. A VM that is not rendered at all is a problem of its entry.
func (e *entry) judge(vm tree) {
	switch {
	case vm != nil:
		e.machine.Differences = differences(e.live.tree, e.comparable(vm))
	case len(e.problems) == 0:
		e.problems = []problem{{e.machine.File, "no VM is rendered from the entry"}}
	}
}

// withProblems returns the VMs whose entries have errors, with the first of each.
func (w *work) withProblems() map[manifest.ID]string {
	out := map[manifest.ID]string{}
	for _, e := range w.entries {
		if len(e.problems) > 0 {
			out[e.machine.ID] = e.problems[0].path + ": " + e.problems[0].message
		}
	}
	return out
}

// key identifies the VM among what is rendered.
func (e *entry) key() string { return e.live.Namespace + "/" + e.live.Name }

// comparable returns a rendered VirtualMachine without what Git adds to the metadata of
// every VM, which no running VM sees.
func (e *entry) comparable(vm tree) tree {
	for _, kind := range []string{"labels", "annotations"} {
		has := manifest.Map(e.live.tree, "metadata", kind)
		all := manifest.Map(vm, "metadata", kind)
		for key := range all {
			if _, ok := has[key]; !ok && isAdded(key) {
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
func (e *entry) dropGroup(vm tree) {
	pod := slices.Clip([]string{"spec", "template", "metadata"})
	has := manifest.Map(e.live.tree, pod...)
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

// added are labels that package render adds to VirtualMachines.
var added = map[string]bool{
	"app": true, "app.kubernetes.io/managed-by": true, "kubevirt.io/vm-delete-protection": true,
}

func isAdded(key string) bool { return added[key] || isOurs(key) }

// render writes the fleet to a directory and renders it as users do. It returns the
// VirtualMachines by namespace and name, without those of entries with problems, which
// it notes.
func (w *work) render() (map[string]tree, error) {
	dir, err := os.MkdirTemp("", "vmrender-import-")
	if err != nil {
		return nil, fmt.Errorf("rendering what was imported: %w", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left is in the temporary directory
	w.files = w.write()
	for _, f := range w.files {
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(f.Path)), f.Text); err != nil {
			return nil, fmt.Errorf("writing what was imported: %w", err)
		}
	}
	c := render.NewCollector()
	_, diags := machine.Visit(dir, fleet.Options{Limit: dir}, c.Visit)
	rendered := c.Rendered(diags)
	if err := w.assign(dir, diags); err != nil {
		return nil, err
	}
	objects := render.Objects(rendered...)
	out := map[string]tree{}
	for _, o := range objects {
		if o.Kind == "VirtualMachine" {
			out[o.Namespace+"/"+o.Name] = o.Tree()
		}
	}
	return out, nil
}

// assign notes each error at the entry that it is in. An error that is in none is
// returned: nothing is proven then.
func (w *work) assign(dir string, diags *source.Diagnostics) error {
	for _, e := range w.entries {
		e.problems = nil
	}
	var others []error
	for _, d := range diags.Sorted() {
		if d.Severity != source.Error {
			continue
		}
		if !w.assignOne(dir, d) {
			others = append(others, errors.New(strings.TrimPrefix(d.String(), dir+string(filepath.Separator))))
		}
	}
	return errors.Join(others...)
}

// assignOne notes an error at the entries that it is in, by its position, or else, as the
// error is in what they inherit, by its path. It reports whether there are any.
func (w *work) assignOne(dir string, d source.Diagnostic) bool {
	path, _ := filepath.Rel(dir, d.File)
	found := false
	note := func(e *entry) {
		e.problems = append(e.problems, problem{d.Path, d.Message})
		found = true
	}
	if g := w.levels[filepath.ToSlash(path)]; g != nil {
		for _, e := range g.entries {
			if e.at(d.Pos) {
				note(e)
			}
		}
		return found
	}
	for _, e := range w.entries {
		if strings.HasPrefix(d.Path+".", source.JoinPath("vms", e.machine.Entry)+".") {
			note(e)
		}
	}
	return found
}
