package writeback

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/vmrender/vmrender/internal/files"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/source"
)

// copied is a copy of a fleet, in which changes are tried.
type copied struct {
	root string // of the fleet, as the user writes it
	part string // below root, what may be changed: "." for all of it
	dir  string // of the copy
	home string // of the fleet in it
	opts fleet.Options
	// was and files are the texts of all files below the root before and now, by their paths with slashes.
	was, files map[string][]byte
	// last is what a file renders to, and read are its entries, as long as it does not change; "" is all files.
	last map[string]*rendering
	read map[string]*entries
	// undo are the texts that files had at the last mark, if they have changed since.
	undo map[string][]byte
}

// entries are the entries of a fleet by the positions of their names.
type entries struct {
	of    map[source.Pos]*fleet.Entry
	fleet *fleet.Fleet
}

// copyFleet copies the YAML files of the fleet that a path belongs to.
func copyFleet(at string, opts fleet.Options) (*copied, error) {
	var diags source.Diagnostics
	f := fleet.Open(at, opts, &diags)
	if f.Root == "" {
		return nil, firstError(&diags)
	}
	c := &copied{root: f.Root, opts: opts, part: f.Part(), was: map[string][]byte{}, files: map[string][]byte{}}
	c.last, c.read = map[string]*rendering{}, map[string]*entries{}
	root, err := filepath.Abs(f.Root)
	if err != nil {
		return nil, err
	}
	var bases []string
	if f.Platform != nil {
		bases = f.Platform.Files
	}
	top := root
	for _, file := range bases {
		for !fleet.Within(top, file) {
			top = filepath.Dir(top)
		}
	}
	if c.dir, err = os.MkdirTemp("", "vmrender-merge-"); err != nil {
		return nil, fmt.Errorf("copying the fleet: %w", err)
	}
	rel, err := filepath.Rel(top, root)
	if err != nil {
		return nil, err
	}
	c.home = filepath.Join(c.dir, rel)
	c.opts.Limit = c.dir
	c.opts.Overlays = slices.Clone(opts.Overlays)
	for i, overlay := range opts.Overlays {
		if c.opts.Overlays[i], err = filepath.Abs(overlay); err != nil {
			return nil, err
		}
	}
	if err := c.copyFiles(root); err != nil {
		return c, err
	}
	return c, c.copyBases(top, bases)
}

func firstError(diags *source.Diagnostics) error {
	for _, d := range diags.Sorted() {
		if d.Severity == source.Error {
			return fmt.Errorf("%s", d.String())
		}
	}
	return fmt.Errorf("there is no fleet")
}

// copyFiles copies the files that a fleet can consist of, links as what they lead to.
func (c *copied) copyFiles(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".yaml" && filepath.Ext(path) != ".yml":
			return nil
		}
		text, err := source.ReadFile(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		c.was[filepath.ToSlash(rel)] = text
		return c.put(filepath.ToSlash(rel), text)
	})
}

// copyBases copies the bases of a platform that are outside of the fleet.
func (c *copied) copyBases(top string, bases []string) error {
	for _, file := range bases {
		abs, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, abs)
		if err != nil {
			return err
		}
		text, err := source.ReadFile(abs)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := files.WritePrivate(filepath.Join(c.dir, rel), text); err != nil {
			return fmt.Errorf("copying the fleet: %w", err)
		}
	}
	return nil
}

// put sets the text of a file; nil removes it.
func (c *copied) put(file string, text []byte) error {
	at := c.at(file)
	if old, ok := c.files[file]; ok && text != nil && bytes.Equal(old, text) {
		return nil
	}
	if _, ok := c.undo[file]; !ok && c.undo != nil {
		c.undo[file] = c.files[file]
	}
	c.forget(file)
	c.forget("")
	if text == nil {
		delete(c.files, file)
		return os.Remove(at)
	}
	c.files[file] = text
	if err := files.WritePrivate(at, text); err != nil {
		return fmt.Errorf("copying the fleet: %w", err)
	}
	return nil
}

// forget drops what a file renders to, or all do for "".
func (c *copied) forget(file string) {
	delete(c.last, file)
	delete(c.read, file)
}

// mark notes the state that restore leads back to.
func (c *copied) mark() { c.undo = map[string][]byte{} }

// restore undoes the changes since the last mark.
func (c *copied) restore() error {
	var problems []error
	was := c.undo
	c.undo = nil
	for file, text := range was {
		if text != nil || c.files[file] != nil {
			problems = append(problems, c.put(file, text))
		}
	}
	return errors.Join(problems...)
}

// file returns the path of a file of the copy below the fleet's root, with slashes.
func (c *copied) file(at string) string {
	rel, err := filepath.Rel(c.home, at)
	if err != nil {
		return at
	}
	return filepath.ToSlash(rel)
}

// rendering is what the copy renders to.
type rendering struct {
	machines map[string]*machine.Machine // by namespace/name
	vms      map[string]manifest.Object  // VirtualMachines, by namespace/name
	objects  map[manifest.ID][]byte      // JSON of all
	owners   map[manifest.ID]string      // the VMs, or Jobs, that objects belong to, by namespace/name
	errors   []problem                   // sorted
	alone    map[string]string           // by namespace/name, an error of a VM that has nothing to do with others
}

// problem is an error of a rendering.
type problem struct{ source.Diagnostic }

// text returns the error without its position, which is one in a text that is not written.
func (p *problem) text() string { return p.Path + ": " + p.Message }

// errorsOf returns the errors among diagnostics of the copy, sorted, with positions in the fleet.
func (c *copied) errorsOf(diags *source.Diagnostics) (out []problem) {
	if !diags.HasErrors() {
		return nil
	}
	diags.Relabel(c.home, c.shown(""))
	for _, d := range diags.Sorted() {
		if d.Severity == source.Error {
			out = append(out, problem{d})
		}
	}
	return out
}

// at returns the path of a file of the copy; of the fleet for "".
func (c *copied) at(file string) string { return filepath.Join(c.home, filepath.FromSlash(file)) }

// reset restores the copy.
func (c *copied) reset() error {
	var problems []error
	for file, text := range c.files {
		if was := c.was[file]; was == nil || !bytes.Equal(was, text) {
			problems = append(problems, c.put(file, was))
		}
	}
	return errors.Join(problems...)
}

// render renders a file of the copy, or all for "". It returns errors in the files among the
// diagnostics.
func (c *copied) render(file string) (*rendering, error) {
	if r := c.last[file]; r != nil {
		return r, nil
	}
	var mu sync.Mutex
	r := &rendering{
		machines: map[string]*machine.Machine{}, vms: map[string]manifest.Object{}, objects: map[manifest.ID][]byte{},
		owners: map[manifest.ID]string{}, alone: map[string]string{},
	}
	out := render.NewCollector()
	_, diags := inventory.Visit(c.at(file), c.opts, func(m *machine.Machine, d *source.Diagnostics) {
		out.Visit(m, d)
		why := c.errorAt(m.Path, d)
		mu.Lock()
		defer mu.Unlock()
		r.machines[m.Namespace+"/"+m.Name] = m
		if why != "" {
			r.alone[m.Namespace+"/"+m.Name] = why
		}
	})
	for _, of := range out.Rendered(diags) {
		r.add(of)
	}
	r.errors = c.errorsOf(diags)
	c.last[file] = r
	return r, nil
}

// errorAt returns the first error of an entry, or "".
func (c *copied) errorAt(path string, diags *source.Diagnostics) string {
	var own source.Diagnostics
	if !diags.HasErrors() {
		return ""
	}
	for _, d := range diags.Sorted() {
		if isAt(d.Path, path) {
			own.Add(d)
		}
	}
	for _, p := range c.errorsOf(&own) {
		return p.text()
	}
	return ""
}

// add adds the objects of a VM, or of a Job.
func (r *rendering) add(of render.Rendered) {
	owner := of.Namespace + "/" + of.Name
	for _, o := range render.Objects(of) {
		r.objects[o.ID], r.owners[o.ID] = o.JSON, owner
		if o.Kind == "VirtualMachine" {
			r.vms[o.Namespace+"/"+o.Name] = o
		}
	}
}

// entries reads the entries of a file of the copy, or of all for "", with their keys.
func (c *copied) entries(file string) *entries {
	if r := c.read[file]; r != nil {
		return r
	}
	var mu sync.Mutex
	out := map[source.Pos]*fleet.Entry{}
	f := fleet.Open(c.at(file), c.opts, new(source.Diagnostics))
	f.Each(func(e *fleet.Entry, _ *source.Diagnostics) {
		mu.Lock()
		defer mu.Unlock()
		out[e.Pos] = e
	})
	c.read[file] = &entries{out, f}
	return c.read[file]
}

// remove removes the copy.
func (c *copied) remove() { _ = os.RemoveAll(c.dir) } // in the directory for temporary files

// shown returns the path of a file as the user would write it.
func (c *copied) shown(file string) string {
	if c.root == "." {
		return file
	}
	return filepath.ToSlash(c.root) + "/" + file
}
