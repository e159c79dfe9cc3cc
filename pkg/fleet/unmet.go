package fleet

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// unmet are the positions of values in overlays that are for VMs, and that no VM has yet.
type unmet map[source.Pos]bool

// expectOverlays adds what the overlays have for VMs, without what a later overlay
// overrides. Only all of the fleet shows that a value changes no VM.
func (f *Fleet) expectOverlays() {
	if !f.isWhole() {
		return
	}
	f.unmet = unmet{}
	for i := range f.overlays {
		for _, p := range f.overlays[i].parts() {
			var later []*source.Node
			for _, o := range f.overlays[i+1:] {
				later = append(later, o.doc.Get(p.Key))
			}
			value := p.value
			if p.Key == "defaults" {
				value = value.Without("disks") // whose order the lowest level decides, which the guest sees
			}
			f.unmet.add(value, later)
		}
	}
}

// add adds the values below n. The later nodes are what later overlays have in its place.
func (u unmet) add(n *source.Node, later []*source.Node) {
	later = slices.DeleteFunc(later, func(l *source.Node) bool { return l == nil })
	isMap := n.Kind == source.Map && len(n.Fields) > 0
	switch {
	case slices.ContainsFunc(later, func(l *source.Node) bool { return l.Kind != source.Map || !isMap }):
		return
	case !isMap:
		eachLeaf(n, func(leaf *source.Node) { u[leaf.Pos()] = true })
		return
	}
	for i := range n.Fields {
		below := make([]*source.Node, 0, len(later))
		for _, l := range later {
			below = append(below, l.Get(n.Fields[i].Key)) // not what appends to it
		}
		u.add(n.Fields[i].Value, below)
	}
}

// meet removes the values of a VM from those that no VM has.
func (f *Fleet) meet(keys *source.Node) {
	if keys == nil || !f.awaits() {
		return
	}
	var found []source.Pos
	eachLeaf(keys, func(n *source.Node) {
		if f.isOverlay(n.File) {
			found = append(found, n.Pos())
		}
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, at := range found {
		delete(f.unmet, at)
	}
}

func (f *Fleet) awaits() bool {
	if len(f.overlays) == 0 {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.unmet) > 0
}

func (f *Fleet) isOverlay(file *source.File) bool {
	return slices.ContainsFunc(f.overlays, func(o overlay) bool { return o.doc.File == file })
}

// eachLeaf calls visit for what is not divided when levels merge: scalars, nulls, items of
// lists, which other levels can append to, and empty maps and lists.
func eachLeaf(n *source.Node, visit func(*source.Node)) {
	if n.Short != nil {
		visit(n.Short)
	}
	switch {
	case n.Kind == source.List && len(n.Items) > 0:
		for _, item := range n.Items {
			visit(item)
		}
		return
	case n.Kind != source.Map || len(n.Fields) == 0:
		visit(n)
		return
	}
	for i := range n.Fields {
		eachLeaf(n.Fields[i].Value, visit)
	}
}

// part is a key of an overlay that is for VMs.
type part struct {
	*source.Field // as written
	value         *source.Node
	advice        string
}

// forVMs are the keys of an overlay that are for VMs, and the reason why one of them can
// change none.
var forVMs = []struct{ key, advice string }{
	{"defaults", "the files and VMs override it; use `every` to override them"},
	{"vars", "the files and VMs override it; use `every` to override them"},
	{"every", "`vms` overrides it"},
	{"vms", "it is empty"},
	{"namespaces", "no VM has this namespace in the fleet's files"},
	{"namespacePrefix", "`namespaces` names the namespaces of all VMs in the fleet's files"},
	{"namespaceSuffix", "`namespaces` names the namespaces of all VMs in the fleet's files"},
}

// parts returns the keys of the overlay that are for VMs, with values in their long
// forms.
func (o *overlay) parts() []part {
	var out []part
	for _, k := range forVMs {
		field := o.doc.Field(k.key)
		if field == nil || !field.Value.IsSet() {
			continue
		}
		p := part{field, field.Value, k.advice}
		switch k.key {
		case "defaults", "every":
			p.value = levelKeys(field.Value, k.key, new(source.Diagnostics))
		case "vms":
			p.value = longEntries(field.Value)
		}
		if p.value != nil {
			out = append(out, p)
		}
	}
	return out
}

// longEntries returns the VMs of an overlay in their long forms, without those that it
// removes.
func longEntries(vms *source.Node) *source.Node {
	out := source.EmptyMap(vms)
	for i := range vms.Entries() {
		if vm := vms.Fields[i]; vm.Value.IsSet() {
			vm.Value = longEntry(&vm, "", new(source.Diagnostics))
			out.Fields = append(out.Fields, vm)
		}
	}
	if len(out.Fields) == 0 && len(vms.Entries()) > 0 {
		return nil
	}
	return out
}

// onlyForVMs reports whether the overlay has no key that is for the whole fleet.
func (o *overlay) onlyForVMs() bool {
	for _, f := range o.doc.Entries() {
		isForVMs := f.Key == "apiVersion" || f.Key == "kind" || !f.Value.IsSet()
		for _, k := range forVMs {
			isForVMs = isForVMs || f.Key == k.key
		}
		if !isForVMs {
			return false
		}
	}
	removes := slices.ContainsFunc(o.vms.Entries(), func(f source.Field) bool { return !f.Value.IsSet() })
	return !removes
}

// reportUnmet warns of overlays that change no VM, and of parts of them.
func (f *Fleet) reportUnmet() {
	if !f.isWhole() || f.Incomplete() || f.diags.HasErrors() {
		return
	}
	for i := range f.overlays {
		o := &f.overlays[i]
		parts := o.parts()
		if o.onlyForVMs() && !slices.ContainsFunc(parts, func(p part) bool { return !f.isUnmet(p.value) }) {
			f.diags.Warnf(o.doc.Pos(), rule.NoEffect, "", "the overlay changes no VM of the fleet; remove it, or set `every`, "+
				"`vms` or `namespaces`, which come above the VMs")
			continue
		}
		for _, p := range parts {
			f.reportPart(&source.Field{Key: p.Key, Line: p.Line, Col: p.Col, Value: p.value}, p.Key, p.advice)
		}
	}
}

// reportPart warns of a value that changes no VM, or of what changes none below it.
func (f *Fleet) reportPart(field *source.Field, path, advice string) {
	if f.isUnmet(field.Value) {
		f.diags.Warnf(field.Pos(), rule.NoEffect, path, "changes no VM of the fleet: %s", advice)
		return
	}
	if field.Value.Kind != source.Map {
		return
	}
	for i := range field.Value.Fields {
		below := &field.Value.Fields[i]
		f.reportPart(below, source.JoinPath(path, below.Key), advice)
	}
}

// isUnmet reports whether no VM has any part of a value.
func (f *Fleet) isUnmet(n *source.Node) bool {
	is := true
	eachLeaf(n, func(leaf *source.Node) { is = is && f.unmet[leaf.Pos()] })
	return is
}
