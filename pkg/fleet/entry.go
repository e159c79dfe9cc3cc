package fleet

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// Entry is one entry of `vms` with all the values that it inherits.
type Entry struct {
	Name string     // key under `vms`
	Path string     // such as "vms.web01"
	Pos  source.Pos // of the key
	// Home is the namespace of the VM in the files, which overlays may replace.
	Home string
	// Keys are the merged VM keys, in their long forms. A null counts as a missing value.
	Keys *source.Node
	// VM is Keys, decoded.
	VM values.VM
	// OS is the operating system. It has only a name if the operating system does not exist.
	OS *catalog.ResolvedOS
	// Top is the highest level, whose parents are the lower ones.
	Top *Level
	// BadName is true if Name cannot be the name of a VM.
	BadName bool

	// inDoubt is true if values that seem to be missing may be in parts that could not be parsed.
	inDoubt bool
	// misread are the VM keys that could not be parsed: no further problems are reported for them.
	misread map[string]bool
}

// entry merges the levels of a VM and decodes the result, or returns nil if
// the VM is removed.
func (f *Fleet) entry(field *source.Field, below *Level, diags *source.Diagnostics) *Entry {
	e := &Entry{
		Name: field.Key, Path: source.JoinPath("vms", field.Key), Pos: field.Pos(),
		inDoubt: below != nil && below.inDoubt,
	}
	if problem := values.NameProblem(field.Key); problem != "" {
		diags.Errorf(e.Pos, rule.BadName, e.Path, "%s", problem)
		e.BadName = true
	}
	if !f.addLevels(e, field, below, diags) {
		return nil
	}
	e.inDoubt = e.inDoubt || e.Top.inDoubt
	f.resolveOS(e, diags)
	e.Keys = f.merged(e.Top, below, e.OS)
	e.decode(diags)
	f.meet(e.Keys)
	return e
}

// addLevels adds the VM's own level and those of the overlays, and reports whether the VM exists: the last overlay that
// names it may remove it.
func (f *Fleet) addLevels(e *Entry, field *source.Field, below *Level, diags *source.Diagnostics) bool {
	e.Top = f.level("VM", below, longEntry(field, e.Path, diags), e.Path, diags)
	e.Top.mark = ownMark
	home := f.homeOf(e.Top)
	e.Home = cmp.Or(home.Str(), f.Namespace)
	if len(f.overlays) == 0 {
		return true
	}
	f.noteHome(e)
	exists := true
	for i := range f.overlays {
		exists = f.cover(&f.overlays[i], e, exists, diags)
	}
	f.move(e, home)
	return exists
}

// longEntry returns the VM keys of an entry in their long forms. They are
// decoded later, after the merge.
func longEntry(field *source.Field, path string, diags *source.Diagnostics) *source.Node {
	keys := field.Value
	if keys.Kind == source.Null {
		keys = source.EmptyMap(&source.Node{Line: field.Line, Col: field.Col, File: field.Value.File})
	}
	return values.Long(values.Appended(keys, path, diags))
}

func (f *Fleet) resolveOS(e *Entry, diags *source.Diagnostics) {
	name := e.Top.nearest("os")
	switch {
	case !name.IsSet():
		name = new(source.Node)
		if !e.inDoubt {
			diags.Errorf(e.Pos, rule.MissingKey, e.Path+".os",
				"missing operating system; accepted: %s", f.systems())
		}
	case name.Kind == source.String:
		e.OS = f.osOf(name.Text, e.Top)
	}
	if e.OS == nil { // an invalid name is reported with its level, or when it is decoded
		e.OS = &catalog.ResolvedOS{Name: name.Text, Node: &source.Node{Kind: source.Map}}
		e.inDoubt = true
		e.markMisread("os")
	}
}

// systems lists the names of operating systems for a message.
func (f *Fleet) systems() string {
	const most = 100
	names := f.Catalog.Names("os")
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// osOf returns the operating system for the CPU architecture of a level, or nil if there is no such system.
func (f *Fleet) osOf(name string, l *Level) *catalog.ResolvedOS {
	os := f.Catalog.OS(name)
	if os == nil {
		return nil
	}
	arch := l.nearest("arch")
	if arch == nil {
		arch = os.Defaults.Get("arch")
	}
	text := cmp.Or(arch.Str(), f.Header.Target.Arch, catalog.DefaultArch)
	if isAdopted(os, l) {
		return f.Catalog.AdoptedOS(name, text)
	}
	return f.Catalog.OSOn(name, text)
}

// isAdopted reports whether a level, or else an operating system, says that VMs are taken over as they are.
func isAdopted(os *catalog.ResolvedOS, l *Level) bool {
	adopted := l.nearest("adopted")
	if adopted == nil {
		adopted = os.Defaults.Get("adopted")
	}
	return adopted != nil && adopted.Kind == source.Bool && adopted.Text == "true"
}

// decode decodes the merged keys. A key that cannot be parsed does not affect
// the others, except that a value that seems to be missing may be in it.
func (e *Entry) decode(diags *source.Diagnostics) {
	var found source.Diagnostics
	source.Decode(e.Keys, &e.VM, e.Path, &found)
	diags.Merge(&found)
	e.inDoubt = e.inDoubt || found.HasErrors()
	if found.HasErrorsBut(rule.UnknownKey) {
		for _, p := range found.Sorted() {
			if p.Rule != rule.UnknownKey && p.Rule != rule.MissingKey {
				e.markMisread(strings.TrimPrefix(p.Path, e.Path+"."))
			}
		}
	}
}

// markMisread suppresses further problems for the VM key at a path.
func (e *Entry) markMisread(path string) {
	if e.misread == nil {
		e.misread = map[string]bool{}
	}
	e.misread[topKey(path)] = true
}

// Errorf reports a problem at pos, under a path below the VM's, unless it
// follows from a problem that was already reported.
func (e *Entry) Errorf(diags *source.Diagnostics, pos source.Pos, id rule.ID, path, format string, args ...any) {
	misread := e.misread[topKey(path)] || e.Keys != nil && e.Keys.Kind != source.Map
	if misread || e.inDoubt && id == rule.MissingKey {
		return
	}
	if path != "" {
		path = "." + path
	}
	diags.Errorf(pos, id, e.Path+path, format, args...)
}

// At returns the position of the value under keys, or of the VM's name if it
// is unset.
func (e *Entry) At(keys ...string) source.Pos {
	n := e.Keys.Get(keys...)
	if n == nil || !e.written(n) {
		return e.Pos
	}
	return n.Pos()
}

// KeyPath returns the path of keys as the user wrote them: without the last key if its value is the short form of the
// one above.
func (e *Entry) KeyPath(keys ...string) string {
	above := keys[:len(keys)-1]
	if e.At(above...) == e.At(keys...) {
		keys = above
	}
	return strings.Join(keys, ".")
}

// KeyAt returns the position of the last of the keys, or of the VM's name if
// it is unset.
func (e *Entry) KeyAt(keys ...string) source.Pos {
	last := len(keys) - 1
	f := e.Keys.Get(keys[:last]...).Field(keys[last])
	if f == nil || !e.written(f.Value) {
		return e.Pos
	}
	return f.Pos()
}

// ItemAt returns the position of item i of the list under key.
func (e *Entry) ItemAt(key string, i int) source.Pos {
	if n := e.Keys.Get(key); n != nil && i < len(n.Items) {
		return n.Items[i].Pos()
	}
	return e.At(key)
}

// written reports whether a value is set in the user's files and options, in
// contrast to built-in values and the disk created for the image of an
// operating system.
func (e *Entry) written(n *source.Node) bool {
	p := n.Pos()
	return (p.Line > 0 || p.File == defaultOption) && !catalog.IsBuiltin(p) && p != e.OS.Node.Pos()
}

// FromOS reports whether the value under keys is that of the operating system's
// entry, with nothing merged over it.
func (e *Entry) FromOS(keys ...string) bool {
	n := e.Keys.Get(keys...)
	return n != nil && n.Level == catalogMark
}

// Own reports whether the VM itself sets a value, at least in part.
func (e *Entry) Own(n *source.Node) bool { return n.Level <= flavorMark(ownMark) }

// Inherits reports whether the VM has its value of a key, if any, only from levels that it shares with other VMs.
func (e *Entry) Inherits(key string) bool {
	for l := e.Top; l != nil; l = l.Parent {
		if l.Keys.Field(key) != nil {
			return !l.OfOneVM()
		}
	}
	return true
}

// origin returns the name of the level that sets a value.
func (e *Entry) origin(n *source.Node) string {
	for l := e.Top; l != nil; l = l.Parent {
		switch n.Level {
		case l.mark:
			return l.Name
		case flavorMark(l.mark):
			return l.Name + ", flavor " + l.Keys.Get("flavor").Text
		}
	}
	return "catalog entry " + e.OS.Name
}

func topKey(path string) string {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i]
	}
	return path
}
