package hold

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/vmrender/vmrender/internal/files"
	"github.com/vmrender/vmrender/pkg/held"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/source"
)

// Changes are what [Write] does.
type Changes struct {
	Written, Unchanged int
	Removed            []Removed
}

// Removed is a file that is removed.
type Removed struct{ Name, Why string }

// Write writes a file for each VM that is to be held, and removes the files of others. Those of VMs that are not in
// the plan stay, unless it is about the whole fleet, and those of VMs that cannot be held also do. It writes all files
// or none.
func Write(dir string, in *Input, vms []VM, whole bool) (Changes, error) {
	names, err := existing(dir)
	if err != nil || len(names)+len(vms) == 0 {
		return Changes{}, err
	}
	d, err := files.Create(dir)
	if err != nil {
		return Changes{}, err
	}
	defer d.Close()
	var batch files.Batch
	defer batch.Discard()
	keep := map[string]bool{}
	count := 0
	for i := range vms {
		v := &vms[i]
		name := held.NameOf(v.ID.Namespace, v.ID.Name)
		keep[name] = v.State != Leftover
		if v.State != Held && v.State != Open {
			continue
		}
		text, err := v.encode(in.Old[nameOf(v.ID)])
		if err == nil {
			err = batch.Put(d, name, text)
		}
		if err != nil {
			return Changes{}, fmt.Errorf("holding %s: %w", nameOf(v.ID), err)
		}
		count++
	}
	out := Changes{Written: batch.Len(), Unchanged: count - batch.Len()}
	if err := batch.Commit(); err != nil {
		return Changes{}, err
	}
	out.Removed, err = in.remove(d, names, keep, whole)
	return out, err
}

// existing returns the names of the files of a directory, which may not exist.
func existing(dir string) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	return names, err
}

// remove removes the files that hold no VM.
func (in *Input) remove(d *files.Dir, names []string, keep map[string]bool, whole bool) ([]Removed, error) {
	planned := map[string]*plan.Verdict{}
	for i := range in.Released.VMs {
		v := &in.Released.VMs[i]
		planned[held.NameOf(v.ID.Namespace, v.ID.Name)] = v
	}
	var out []Removed
	for _, name := range names {
		v := planned[name]
		if keep[name] || !whole && v == nil {
			continue
		}
		if _, err := d.Remove(name); err != nil {
			return out, err
		}
		why := "the fleet does not have the VM"
		if v != nil {
			why = reasonOf(v)
		}
		out = append(out, Removed{name, why})
	}
	return out, nil
}

// encode returns the file of a VM, with what it was.
func (v *VM) encode(old []manifest.Object) ([]byte, error) {
	var manifests [][]byte
	for i := range old {
		o := &old[i]
		if !held.Holds(o.Group(), o.Kind) {
			continue
		}
		json := o.JSON
		if o.ID == v.ID {
			bare, err := bareOf(json)
			if err != nil {
				return nil, err
			}
			json = bare
		}
		manifests = append(manifests, json)
	}
	return v.file().Encode(manifests)
}

// bareOf returns the manifest of a VM without the annotation of a held one.
func bareOf(json []byte) ([]byte, error) {
	docs := source.Parse(&source.File{Name: "manifest", Data: json}, new(source.Diagnostics))
	if len(docs) != 1 {
		return nil, errors.New("its manifest cannot be read")
	}
	return source.AppendJSON(nil, held.Bare(docs[0], labels.Held)), nil
}
