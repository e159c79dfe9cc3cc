package writeback

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/edit"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// drafted is the keys for a VM, in plain forms.
type drafted struct {
	keys  *source.Node
	disks *source.Node      // by the keys of the entry
	names map[string]string // volume → key of the entry
	nics  map[string]int    // name of the interface → index
}

// uncompared are keys of a draft that are not compared: what no other key sets is found by
// rendering, and the rest does not follow from the VM.
var uncompared = []string{
	"os", "adopted", "consoleLabels", "flavor", "overrides", "patches", "namespace", "disks", "nics",
}

// drafted drafts a VM, with the disks under the keys that the entry has for their volumes.
func (m *merge) drafted(x *merging, l *draft.Live) *drafted {
	e := draft.New(l, x.OS)
	e.Plain = x.OS.Adopted
	if labels := x.of.VM.ConsoleLabels; labels != nil {
		e.Plain = !*labels
	}
	e.Draft(m.namesFor(l))
	all := plainKeys(e.Keys.Node(), x.OS.Topology, false)
	d := &drafted{keys: all, names: map[string]string{}, nics: e.NICs}
	disks := node.Map{}
	keys := map[string]string{}
	for volume, key := range e.Disks {
		keys[key] = volume
	}
	for _, f := range all.Get("disks").Entries() {
		volume := keys[f.Key]
		key, known := x.volumes[volume]
		if !known {
			key = f.Key
		} else if key != f.Key {
			f.Value = placed(f.Value, []string{"name"}, nil)
		}
		if _, taken := d.keyOf(key); taken {
			key = draft.Numbered(key+"-2", func(k string) bool { return disks.Get(k) != nil })
			f.Value = placed(f.Value, []string{"name"}, node.Value(volume))
		}
		d.names[volume] = key
		disks.Put(key, f.Value)
	}
	d.disks = disks.Node()
	return d
}

func (d *drafted) keyOf(key string) (volume string, ok bool) {
	for volume, k := range d.names {
		if k == key {
			return volume, true
		}
	}
	return "", false
}

// namesFor returns the networks of a VM by the names that they have in the catalog, and those that it does not have by
// their definitions. Sizes have no names: an entry with a flavor keeps it until the size is another.
func (m *merge) namesFor(l *draft.Live) *draft.Names {
	out := &draft.Names{Networks: map[string]draft.Network{}}
	for _, on := range l.Spec().Networks {
		if on.Multus == nil {
			continue
		}
		nad := on.Multus.NetworkName
		found := draft.Network{Name: nad, Binding: "bridge"}
		binding := l.BindingOn(on.Name)
		for _, name := range slices.Backward(m.catalog.Names("networks")) {
			of := m.catalog.Network(name)
			if of.NAD == nad && (found.Name == nad || cmp.Or(of.Binding, "bridge") == binding) {
				found = draft.Network{Name: name, Binding: cmp.Or(of.Binding, "bridge")}
			}
		}
		out.Networks[nad] = found
	}
	return out
}

// takenBack returns the keys that the entry should have, with all levels: those that it has,
// with the VM's value for each key whose value differs between the VM and what is rendered.
func (m *merge) takenBack(x *merging, rendered *draft.Live) *source.Node {
	from, to := m.drafted(x, rendered), m.drafted(x, x.Live)
	keys := x.before
	for _, c := range changed(from.keys.Without(uncompared...), to.keys.Without(uncompared...)) {
		for _, c := range each(c, from.keys) {
			keys = x.take(keys, c, from.keys, to.keys)
		}
	}
	if to.keys.Get("instancetype") != nil {
		keys = placed(keys, []string{"flavor"}, nil)
	}
	keys = x.takeDisks(keys, from, to)
	keys = x.takeNICs(keys, from, to)
	x.Disks, x.NICs = maps.Clone(x.volumes), to.nics
	maps.Copy(x.Disks, to.names)
	return m.withoutImposed(x, keys)
}

// each returns the removals of the keys of a map of texts, for its removal.
func each(c edit.Change, from *source.Node) []edit.Change {
	texts := []string{"labels", "annotations", "podLabels", "podAnnotations", "nodeSelector"}
	if c.Value != nil || len(c.Path) > 1 || !slices.Contains(texts, c.Path[0]) {
		return []edit.Change{c}
	}
	var out []edit.Change
	for _, f := range from.Get(c.Path[0]).Entries() {
		out = append(out, edit.Change{Path: []string{c.Path[0], f.Key}})
	}
	return out
}

// take applies one change of a draft to the entry's keys.
func (x *merging) take(keys *source.Node, c edit.Change, from, to *source.Node) *source.Node {
	key := c.Path[0]
	switch {
	case key == "cloudInit":
		return placed(keys, []string{key}, takeCloudInit(keys.Get(key), to.Get(key)))
	case key == "labels" && len(c.Path) == 2 && c.Value == nil && x.Live.VM.Labels[c.Path[1]] != "":
		return keys // it is on the VM, and not on its pods: an override
	case c.Value != nil && c.Value.Kind == source.List && keys.Get(c.Path...) != nil:
		c.Value = withoutGenerated(from.Get(c.Path...), keys.Get(c.Path...), c.Value)
	case c.Value == nil:
		c.Value = plainKeys(x.OS.Defaults, x.OS.Topology, false).Get(c.Path...)
		if c.Value == nil && key == "runStrategy" && x.inherited.Get(key) != nil {
			c.Value = node.Value("Always")
		}
	}
	return placed(keys, c.Path, c.Value)
}

// takeCloudInit returns cloud-init with the data of the VM in the place of the keys that
// write it; credentials are other fields of a VM, and stay.
func takeCloudInit(was, to *source.Node) *source.Node {
	if to == nil {
		return nil
	}
	out := node.From(to, "")
	for _, key := range []string{"passwordSecret", "sshKeySecret", "bus"} {
		if v := was.Get(key); v != nil && to.Get("secret") == nil {
			out.Put(key, v)
		}
	}
	return out.Node()
}

// withoutGenerated returns a list without the items that are rendered, but are not in the list
// of the entry: other keys, or the fleet, add them.
func withoutGenerated(rendered, own, to *source.Node) *source.Node {
	has := func(list *source.Node, item *source.Node) bool {
		return list != nil && slices.ContainsFunc(list.Items, func(o *source.Node) bool { return sameItem(o, item) })
	}
	if rendered == nil || !slices.ContainsFunc(own.Items, func(o *source.Node) bool { return has(rendered, o) }) {
		return to
	}
	out := &source.Node{Kind: source.List}
	for _, item := range to.Items {
		if !has(rendered, item) || has(own, item) {
			out.Items = append(out.Items, item)
		}
	}
	return out
}

// sameItem reports whether two values are the same, in any order of their keys.
func sameItem(a, b *source.Node) bool {
	return len(edit.Diff(node.One("", a), node.One("", b))) == 0
}

// takeDisks sets the disks of the entry to those of the VM. A disk with another source is
// another disk: none of the old one's keys are kept.
func (x *merging) takeDisks(keys *source.Node, from, to *drafted) *source.Node {
	for _, f := range from.disks.Fields {
		if to.disks.Get(f.Key) != nil {
			continue
		}
		if keys.Get("disks", f.Key) == nil && f.Key == driversVolume {
			keys = placed(keys, []string{"driversDisk"}, nil)
		}
		keys = placed(keys, []string{"disks", f.Key}, nil)
	}
	for _, f := range to.disks.Fields {
		was, at := from.disks.Get(f.Key), []string{"disks", f.Key}
		if was == nil || !cmp.Or(was.Get("source"), node.Null()).Equal(cmp.Or(f.Value.Get("source"), node.Null())) {
			keys = placed(placed(keys, at, nil), at, x.otherDisk(f.Key, f.Value))
			continue
		}
		for _, c := range changed(was, f.Value) {
			keys = placed(keys, append(slices.Clone(at), c.Path...), c.Value)
		}
	}
	return keys
}

// driversVolume is the name that package resolve gives to the CD-ROM of `driversDisk`.
const driversVolume = "virtiodrivers"

// otherDisk returns a disk. Size and content of the operating system's image have no effect on
// a root disk with another source, so the entry does not have to set them. A root disk that the VM owns, without a
// source, has that image.
func (x *merging) otherDisk(key string, disk *source.Node) *source.Node {
	if key != values.RootDisk {
		return disk
	}
	if image := x.OS.Node.Get("image"); image.IsSet() && disk.Get("source") == nil && disk.Get("keep") != nil {
		disk = placed(disk, []string{"source"}, image)
	}
	if x.OS.RootSize != "" && disk.Get("size") == nil {
		disk = placed(disk, []string{"size"}, node.Value(x.OS.RootSize))
	}
	return disk
}

// takeNICs sets the NICs of the entry to those of the VM, each with what only the entry
// sets for it.
func (x *merging) takeNICs(keys *source.Node, from, to *drafted) *source.Node {
	was, now, own := nicsOf(from.keys), nicsOf(to.keys), nicsOf(keys)
	if was.Equal(now) {
		return keys
	}
	out := &source.Node{Kind: source.List}
	names := map[int]string{}
	for name, i := range to.nics {
		names[i] = name
	}
	for i, item := range now.Items {
		old, known := from.nics[names[i]]
		if known && len(own.Items) == len(was.Items) {
			merged := own.Items[old]
			for _, c := range changed(was.Items[old], item) {
				merged = placed(merged, c.Path, c.Value)
			}
			item = merged
		}
		out.Items = append(out.Items, item)
	}
	of := node.From(keys, "")
	of.Put("nics", out)
	return of.Node()
}

// nicsOf returns the NICs of VM keys: one on the pod network if none are set.
func nicsOf(keys *source.Node) *source.Node {
	if n := keys.Get("nics"); n != nil {
		return n
	}
	return &source.Node{Kind: source.List, Items: []*source.Node{node.One("network", node.Value(draft.PodNetwork))}}
}

// whyOverlay and whyTemplate are why a value is left to the user.
const (
	whyTemplate = "the value is a template; change it manually, or replace it with --overwrite-templates"
	whyOverlay  = "an overlay sets the value; change it there"
)

// withoutImposed reverts the changes of what overlays set, and notes what is left to a
// person.
func (m *merge) withoutImposed(x *merging, keys *source.Node) *source.Node {
	all := changed(x.before, keys)
	for _, c := range all {
		if level := x.of.Imposed(c.Path...); level != "" {
			x.ask(m, c, whyOverlay)
			keys = placed(keys, c.Path, x.before.Get(c.Path...))
		}
	}
	if m.opts.Templates {
		return keys
	}
	for _, c := range all {
		if x.of.Imposed(c.Path...) == "" && hasTemplate(x.before.Get(c.Path...)) {
			x.ask(m, c, whyTemplate)
		}
	}
	return keys
}

// hasTemplate reports whether there is a template in a value.
func hasTemplate(n *source.Node) bool {
	if n == nil {
		return false
	}
	return n.Kind == source.String && strings.Contains(n.Text, "{{") ||
		slices.ContainsFunc(n.Items, hasTemplate) ||
		slices.ContainsFunc(n.Fields, func(f source.Field) bool { return hasTemplate(f.Value) })
}

// leave reverts the changes of templates: the VM keeps them until the user decides. It reports whether there were any.
func (x *merging) leave() (left bool) {
	for _, a := range x.out.Asks {
		if a.Why == whyTemplate {
			x.Keys = *node.From(placed(x.Keys.Node(), a.path, x.before.Get(a.path...)), "")
			left = true
		}
	}
	return left
}
