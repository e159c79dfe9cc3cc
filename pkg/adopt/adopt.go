// Package adopt turns VirtualMachines that exist into a fleet that renders back to them:
// the inverse of package render. Each VM becomes an entry in the short forms of the
// format, what it shares with others moves to defaults and to the catalog, and what no
// key expresses is under `overrides`. The fleet is not assumed to match the VMs:
// it is rendered, and compared with them.
//
// The package reads no cluster: its input is manifests.
package adopt

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

// Options are the options that manifests do not contain.
type Options struct {
	// Name of the fleet, from which identities of new VMs are derived.
	Name string
	// Namespace of manifests that have none; "default" if empty, as for kubectl.
	Namespace string
	// Mapping specifies what becomes of each VM; VMs that it does not name are left out. nil takes all.
	Mapping Mapping
	// Label divides the VMs of a namespace among files by the value of a label; one file per namespace if empty.
	Label string
	// Replicas folds VMs that differ in nothing but the number at the end of their names into one entry.
	Replicas bool
	// Unprotected leaves out the label by which OpenShift refuses to delete a VM.
	Unprotected bool
}

// NamespaceOf returns the namespace of an object: that of the options if the object has none.
func (o Options) NamespaceOf(of manifest.Object) string {
	return cmp.Or(of.Namespace, o.Namespace, "default")
}

// IsVM reports whether an object is a VirtualMachine of KubeVirt.
func IsVM(o manifest.Object) bool {
	return o.Kind == "VirtualMachine" && o.Group() == "kubevirt.io"
}

// Result is a fleet imported from VMs.
type Result struct {
	Files    []File
	Machines []*Machine // by namespace and name
}

// File is one file of the fleet.
type File struct {
	Path string // below the fleet's root, with slashes
	Text []byte
}

// Machine is what became of one VirtualMachine.
type Machine struct {
	manifest.ID
	File  string // of its entry; empty if it was refused
	Entry string // key under `vms`
	Guess Guess  // its operating system
	// Refused is the reason why the VM is not part of the fleet; empty if it is.
	Refused string
	// Differences between the VM and what the fleet renders, as `path: was, becomes`; none if it is exact.
	Differences []string
	// Effects are what a sync would do with the differences; see [Effects].
	Effects []string
	// Lines of its entry, and of its manifest as kubectl prints it.
	Lines, ManifestLines int
	Notes                []Note
	// Hidden is true if no report and no diff may show values of the VM; see [NoteOrigins].
	Hidden bool
}

// Exact reports whether the VM is rendered as it is.
func (m *Machine) Exact() bool { return m.Refused == "" && len(m.Differences) == 0 }

// Import creates a fleet from the VirtualMachines among the objects. The others show what
// the VMs do not: DataVolumes, claims, instances. An error means that the fleet
// could not be rendered at all; what is wrong with one VM is in its [Machine].
func Import(objects []manifest.Object, opts Options) (*Result, error) {
	entries := catalog.New(nil, new(source.Diagnostics))
	w := &work{
		Options: opts, catalog: entries, names: draft.Names{Flavors: entries}, known: Index(objects),
		seen: map[manifest.ID]bool{},
	}
	for _, o := range objects {
		if IsVM(o) {
			w.read(o)
		}
	}
	slices.SortFunc(w.entries, func(a, b *imported) int { return a.Live.Compare(b.Live.ID) })
	w.nameNetworks()
	for _, e := range w.entries {
		e.Draft(&w.names)
	}
	if err := w.prove(); err != nil {
		return nil, err
	}
	r := &Result{Files: w.files}
	for _, e := range w.entries {
		e.machine.Notes = Notes(e.Live)
		r.Machines = append(r.Machines, e.machine)
	}
	r.Machines = append(r.Machines, w.refused...)
	slices.SortFunc(r.Machines, func(a, b *Machine) int { return a.Compare(b.ID) })
	return r, nil
}

// work is one import.
type work struct {
	Options
	catalog *catalog.Set
	known   Known
	entries []*imported
	refused []*Machine
	seen    map[manifest.ID]bool

	files []File
	names draft.Names // of the catalog

	written
}

// imported is one VM on its way into the fleet.
type imported struct {
	*draft.Entry
	machine  *Machine
	leader   *imported // that stands for it and for other replicas; nil if it stands for itself
	first    int       // line before the entry in its file
	problems []problem // errors of the last rendering
	refusal  string    // the first error of all renderings
}

// read drafts the entry of one VirtualMachine, or refuses it.
func (w *work) read(o manifest.Object) {
	m := &Machine{ID: o.ID, Entry: o.Name}
	m.Namespace = w.NamespaceOf(o)
	choice, wanted := w.Mapping.Of(m.ID)
	if !wanted {
		return
	}
	if w.seen[m.ID] {
		m.Refused = "another manifest of it was read before; pass one of the two"
		w.refused = append(w.refused, m)
		return
	}
	w.seen[m.ID] = true
	l, err := draft.Read(o, m.Namespace)
	if err == nil {
		err = Refusal(l)
	}
	if err != nil {
		m.Refused = err.Error()
		w.refused = append(w.refused, m)
		return
	}
	m.ManifestLines = l.Lines
	m.Guess = w.known.Guess(l, choice)
	os := draft.OSOf(w.catalog, m.Guess.OS, l)
	if os == nil {
		m.Refused = fmt.Sprintf("the catalog has no operating system %q", m.Guess.OS)
		w.refused = append(w.refused, m)
		return
	}
	m.File = cmp.Or(choice.File, w.entryFile(l))
	w.entries = append(w.entries, &imported{Entry: draft.New(l, os), machine: m})
}
