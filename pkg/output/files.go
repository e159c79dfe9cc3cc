package output

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/files"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
)

// Origin is what the files of a directory are rendered from.
type Origin struct {
	// Root is the directory of the fleet, or empty for standard input.
	Root string
	// Fleet is the name of the fleet.
	Fleet string
	// Part is what is rendered of it, as a path from Root: "." for all.
	Part string
	// Overlays are the files that are merged over the fleet, in order.
	Overlays []string
	// Selected is true if only some VMs of the part are rendered.
	Selected bool
	// Flux is true if Flux applies the files, so that each wave has a directory.
	Flux bool
}

// Counts are the numbers of files in a directory by what happened to them.
type Counts struct{ Written, Unchanged, Removed int }

// Files writes NAMESPACE/NAME.yaml, or .json, for each VM, Job and Plan to a directory, each file whole or not at all.
// For Flux, it writes DIRECTORY/NAMESPACE.NAME.yaml, with the directories of [render.Directories]. It creates the
// directory if needed, which must not be read as a part of the fleet.
//
// A list in the directory, [ListName], names its files and their origin. Files that are listed and no longer
// rendered are removed, except those of VMs that were not selected. A file that is not listed is never changed: if
// it has a name that is needed and other content, Files changes nothing.
func Files(dir string, from Origin, format manifest.Format, rendered []render.Rendered) (Counts, error) {
	if from.Root != "" && visibleBelow(from.Root, dir) {
		return Counts{}, fmt.Errorf("%s lies in the fleet, where manifests would be read as values files; "+
			"choose a directory outside, or a hidden one", dir)
	}
	all, err := place(from, format, rendered)
	if err != nil {
		return Counts{}, err
	}
	d, err := files.Create(dir)
	if err != nil {
		return Counts{}, err
	}
	defer d.Close()
	listed, err := readList(d, from.String())
	if err != nil {
		return Counts{}, err
	}
	var batch files.Batch
	defer batch.Discard()
	names, err := stage(&batch, d, listed, format, all)
	if err != nil {
		return Counts{}, err
	}
	counts := Counts{Written: batch.Len(), Unchanged: len(names) - batch.Len()}
	stale := listed.stale(names, from.Selected)
	counts.Removed, err = exchange(d, from.String(), &batch, listed.with(names), stale)
	return counts, err
}

// placed is what a file contains, and its name below the directory.
type placed struct {
	name string
	of   render.Rendered
}

// place returns the files of what is rendered.
func place(from Origin, format manifest.Format, rendered []render.Rendered) ([]placed, error) {
	all := make([]placed, 0, len(rendered))
	if !from.Flux {
		for _, r := range rendered {
			if !r.Pending {
				all = append(all, placed{path.Join(r.Namespace, r.Name+format.Ext()), r})
			}
		}
		return all, nil
	}
	switch {
	case format.Ext() != ".yaml": // fluxcd/pkg/kustomize v1.39.0, kustomize_generator.go, scanManifests
		return nil, errors.New("the fleet has `target.delivery: flux`, which reads no JSON; use -o yaml")
	case from.Selected:
		return nil, errors.New("the fleet has `target.delivery: flux`, and a VM may have moved to another directory, " +
			"so all files are written together; remove --vm")
	}
	dirs, err := render.Directories(rendered)
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		for _, r := range dirs[dir] {
			all = append(all, placed{path.Join(dir, r.Namespace+"."+r.Name+format.Ext()), r})
		}
	}
	return all, err
}

// stage prepares the files, and returns their names.
func stage(b *files.Batch, d *files.Dir, listed list, format manifest.Format, all []placed) (list, error) {
	names := make(list, 0, len(all))
	var taken []error
	for i := range all {
		name := all[i].name
		names = append(names, name)
		var text bytes.Buffer
		if err := Machines(&text, format, []render.Rendered{all[i].of}); err != nil {
			return nil, err
		}
		put := b.Create
		if listed.has(name) {
			put = b.Put
		}
		err := put(d, name, text.Bytes())
		if other, ok := errors.AsType[*files.TakenError](err); ok {
			taken = append(taken, fmt.Errorf("%s: exists, and is not a file of this directory's list %s; "+
				"move it, or choose another directory", other.Path, ListName))
		} else if err != nil {
			return nil, err
		}
	}
	slices.Sort(names)
	return names, errors.Join(taken...)
}

// exchange changes the files, and removes the stale ones. While it does so, the list contains the old and the new
// names: a run that is killed leaves no file without an owner.
func exchange(d *files.Dir, origin string, b *files.Batch, all, stale list) (removed int, err error) {
	if err := writeList(d, origin, all); err != nil {
		return 0, err
	}
	if err := b.Commit(); err != nil {
		return 0, err
	}
	for _, name := range stale {
		was, err := d.Remove(name)
		if err != nil {
			return removed, err
		}
		if was {
			removed++
		}
	}
	kept := slices.DeleteFunc(slices.Clone(all), stale.has)
	return removed, writeList(d, origin, kept)
}

// visibleBelow reports whether dir is root, or below it and not in a hidden
// directory.
func visibleBelow(root, dir string) bool {
	absRoot, errRoot := filepath.Abs(root)
	absDir, errDir := filepath.Abs(dir)
	if errRoot != nil || errDir != nil {
		return false
	}
	rel, err := filepath.Rel(absRoot, absDir)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	return rel == "." || !strings.Contains("/"+filepath.ToSlash(rel), "/.")
}
