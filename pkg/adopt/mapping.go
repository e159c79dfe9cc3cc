package adopt

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/edit"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// Mapping specifies what becomes of VMs, by namespace/name.
type Mapping map[string]Choice

// Choice is what becomes of one VM.
type Choice struct {
	// File of its entry, below the fleet's root.
	File string `json:"file,omitempty"`
	// OS is an entry of the catalog.
	OS string `json:"os,omitempty"`
}

// mappingFile is the form of a mapping.
type mappingFile struct {
	Machines map[string]*Choice `json:"machines"`
}

// Names returns the names of the VMs among objects, as a mapping has them.
func Names(objects []manifest.Object, opts Options) []string {
	var names []string
	for _, o := range objects {
		if IsVM(o) {
			names = append(names, opts.NamespaceOf(o)+"/"+o.Name)
		}
	}
	return names
}

// ReadMapping reads a mapping of VMs with these names, as [Result.Mapping] writes it,
// or as the user has edited it. VMs that are not in it are left out of the fleet.
func ReadMapping(name string, text []byte, machines []string) (Mapping, *source.Diagnostics) {
	diags := new(source.Diagnostics)
	m := Mapping{}
	entries := catalog.New(nil, diags)
	for _, doc := range source.Parse(&source.File{Name: name, Data: text}, diags) {
		var f mappingFile
		source.Decode(doc, &f, "", diags)
		all := doc.Get("machines")
		if all == nil {
			continue
		}
		for i := range all.Fields {
			machine := all.Fields[i].Key
			m[machine] = Choice{}
			if c := f.Machines[machine]; c != nil { // nil for a line without a value
				m[machine] = *c
			}
			checkMachine(&all.Fields[i], machines, diags)
			m[machine].check(all.Fields[i].Value, source.JoinPath("machines", machine), entries, diags)
		}
	}
	return m, diags
}

// checkMachine reports an invalid name, or one that is not that of a VM in the input.
func checkMachine(f *source.Field, machines []string, diags *source.Diagnostics) {
	path := source.JoinPath("machines", f.Key)
	switch {
	case !strings.Contains(f.Key, "/"):
		diags.Errorf(f.Pos(), rule.BadName, path, "invalid VM %q; expected namespace/name", f.Key)
	case !slices.Contains(machines, f.Key):
		diags.Errorf(f.Pos(), rule.UnknownName, path, "no VM %q in the input; %s",
			f.Key, suggest.DidYouMean(f.Key, machines))
	}
}

// check reports what is wrong with a choice.
func (c Choice) check(n *source.Node, path string, entries *catalog.Set, diags *source.Diagnostics) {
	if problem := fileProblem(c.File); problem != "" {
		diags.Errorf(n.Get("file").Pos(), rule.BadValue, path+".file",
			"%q %s; expected a path such as \"prod/db.yaml\"", c.File, problem)
	}
	if c.OS != "" && !entries.Has("os", c.OS) {
		diags.Errorf(n.Get("os").Pos(), rule.UnknownName, path+".os", "%s", entries.Unknown("operating system", "os", c.OS))
	}
}

// fileProblem returns what is wrong with the path of a values file, or "". The root and
// the defaults of a directory have no entries.
func fileProblem(name string) string {
	switch {
	case name == "":
		return ""
	case !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml"):
		return "is not a YAML file"
	case path.IsAbs(name) || path.Clean(name) != name || strings.HasPrefix(name, ".."):
		return "is not a path below the fleet's root"
	case !fleet.HasEntries(name):
		return "has no entries"
	}
	return ""
}

// Of returns the choice for a VM, and whether the VM is taken: a nil mapping takes all VMs, and chooses nothing for
// them.
func (m Mapping) Of(id manifest.ID) (Choice, bool) {
	c, ok := m[id.Namespace+"/"+id.Name]
	return c, ok || m == nil
}

// Mapping returns the mapping of an import, to be edited before anything is written: a
// line for each VM, with the reason for its operating system. VMs that are
// refused are in comments.
func (r *Result) Mapping() []byte {
	var out edit.Writer
	out.Comment(0, "The file of each VM, and its os. Change them as you like; a VM without a line is omitted.")
	out.Raw("machines:\n")
	for _, m := range r.Machines {
		name := m.Namespace + "/" + m.Name
		if m.Refused != "" {
			out.Comment(2, name+" is refused: "+m.Refused)
			continue
		}
		c := node.Map{}
		c.Set("file", m.File)
		c.Set("os", m.Guess.OS)
		out.Raw(fmt.Sprintf("  %s: %s # %s\n", edit.Flow(node.Value(name)), edit.Flow(c.Node()), m.Guess.Reason))
	}
	return []byte(out.String())
}

// entryFile returns the file that a VM's entry is in: one for each namespace, or for
// each value of a label.
func (w *work) entryFile(l *draft.Live) string {
	if value := l.VM.Labels[w.Label]; w.Label != "" && values.NameProblem(value) == "" {
		return path.Join(cmp.Or(l.Namespace, "vms"), FileOf(value))
	}
	return FileOf(l.Namespace)
}

// FileOf returns the name of the file with the entries of a namespace, or of the value of a label, such as "shop.yaml".
// For names of files with another meaning, of which platform.yaml is one, it is another, such as "vms-platform.yaml".
func FileOf(name string) string {
	name = cmp.Or(name, "vms") + ".yaml"
	if !fleet.HasEntries(name) {
		return "vms-" + name
	}
	return name
}
