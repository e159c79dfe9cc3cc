package fleet

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// overlay is what an overlay lays over the VMs. Its other keys merge over those of
// fleet.yaml.
type overlay struct {
	doc   *source.Node
	name  string // of its levels
	every *Level // without a parent; nil if it sets nothing
	vms   *source.Node
	below *Level // of its `defaults` and `vars`
}

// overlayKeys returns the keys that overlays have, and fleet.yaml does not.
func overlayKeys() []string {
	var keys []string
	for field := range reflect.TypeFor[values.Environment]().Fields() {
		keys = append(keys, values.Key(field))
	}
	return keys
}

// checkNotOverlay reports keys of overlays in fleet.yaml.
func (f *Fleet) checkNotOverlay() {
	for _, key := range overlayKeys() {
		if field := f.doc.Field(key); field != nil {
			f.diags.Errorf(field.Pos(), rule.UnknownKey, key,
				"%q is a key of overlays; write it in one, and give it as --overlay", key)
		}
	}
}

// addOverlay adds the levels of an overlay.
func (f *Fleet) addOverlay(doc *source.Node) {
	o := overlay{doc: doc, name: "overlay " + filepath.ToSlash(doc.File.Name)}
	if top := f.headerLevel(o.name, f.top, doc); top != f.top {
		f.top, o.below = top, top
	}
	if keys := levelKeys(doc.Get("every"), "every", f.diags); keys != nil {
		f.checkShared(keys, "every", f.diags)
		o.every = f.level(o.name+", every", nil, keys, "every", f.diags)
		o.every.stampAs(overlayMark(len(f.overlays)))
	}
	if vms := doc.Get("vms"); vms != nil && vms.Kind == source.Map {
		o.vms = vms
	}
	f.overlays = append(f.overlays, o)
}

// overlayMark returns the mark of the `every` of an overlay, or of namespaces for a
// negative number. It is above those of the levels that [Level.stamp] counts.
func overlayMark(i int) uint16 {
	const first = 1 << 15
	return uint16(first + 2*i) //nolint:gosec // the number of overlays is that of arguments
}

// above returns the level with another parent.
func (l *Level) above(parent *Level) *Level {
	return &Level{
		Name: l.Name, Keys: l.Keys, Parent: parent, flavor: l.flavor, mark: l.mark,
		depth: parent.depth + 1, inDoubt: l.inDoubt || parent.inDoubt,
	}
}

// entries returns what the overlay has for a VM under `vms`: by its name, and by its
// namespace and name.
func (o *overlay) entries(e *Entry) []*source.Field {
	var out []*source.Field
	for _, name := range []string{e.Name, e.Home + "/" + e.Name} {
		if f := o.vms.Field(name); f != nil {
			out = append(out, f)
		}
	}
	return out
}

// cover adds the levels of an overlay to a VM, and reports whether the VM exists then. The
// values that they may replace are checked.
func (f *Fleet) cover(o *overlay, e *Entry, exists bool, diags *source.Diagnostics) bool {
	if o.every != nil {
		values.CheckTypes(e.Top.Keys, e.Path, diags)
		e.Top = o.every.above(e.Top)
	}
	for _, over := range o.entries(e) {
		if exists = over.Value.Kind != source.Null; !exists {
			continue
		}
		values.CheckTypes(e.Top.Keys, e.Path, diags)
		e.Top = f.level(o.name, e.Top, longEntry(over, e.Path, diags), e.Path, diags)
		e.Top.stamp()
	}
	return exists
}

// noteHome records that a VM exists: overlays must not name others.
func (f *Fleet) noteHome(e *Entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.homes == nil {
		f.homes = map[string][]string{}
	}
	if !slices.Contains(f.homes[e.Name], e.Home) {
		f.homes[e.Name] = append(f.homes[e.Name], e.Home)
	}
}

// checkOverlaid reports the names in overlays that are those of no VM, which only all of
// the fleet shows, or of several.
func (f *Fleet) checkOverlaid() {
	for i := range f.overlays {
		vms := f.overlays[i].vms.Entries()
		for j := range vms {
			f.checkOverlaidName(&vms[j])
		}
	}
}

func (f *Fleet) checkOverlaidName(vm *source.Field) {
	path := source.JoinPath("vms", vm.Key)
	namespace, name, qualified := strings.Cut(vm.Key, "/")
	if !qualified {
		name = vm.Key
	}
	homes := f.homes[name]
	switch {
	case qualified && slices.Contains(homes, namespace), !qualified && len(homes) == 1:
	case !qualified && len(homes) > 1:
		slices.Sort(homes)
		f.diags.Errorf(vm.Pos(), rule.AmbiguousName, path, "more than one VM has the name %q; name one of them: %s",
			name, strings.Join(homes, "/"+name+", ")+"/"+name)
	case f.isWhole() && !f.Incomplete():
		f.diags.Errorf(vm.Pos(), rule.UnknownName, path, "%s", suggest.Later(fmt.Sprintf("unknown VM %q", vm.Key),
			vm.Key, len(f.homes), func() []string { return f.knownAs(qualified) }))
	}
}

// knownAs returns the names of all VMs, sorted.
func (f *Fleet) knownAs(qualified bool) []string {
	var names []string
	for name, homes := range f.homes {
		if !qualified {
			names = append(names, name)
			continue
		}
		for _, home := range homes {
			names = append(names, home+"/"+name)
		}
	}
	slices.Sort(names)
	return names
}
