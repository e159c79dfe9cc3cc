package draft

import (
	"reflect"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/keys"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// Settle adds to an entry what no key of it sets: the difference between what it renders to and the VM, at the disk or
// NIC that it belongs to, as `patches` of lists, or as `overrides`. It changes rendered, the VM that the entry renders
// to, into what it should become. An entry that is settled is rendered again: what was added can render to more than
// the difference.
func (e *Entry) Settle(rendered manifest.Tree) {
	live := e.Live.Tree
	for i := range parts {
		if !e.whole {
			e.settleParts(&parts[i], live, rendered)
		}
	}
	add := e.Keys.Get("patches")
	for _, at := range lists {
		add = node.Joined(add, node.List(appended(at, live, rendered)))
	}
	e.Keys.Set("patches", add)
	if over := Difference(rendered, live); len(over) > 0 {
		if !e.Kept {
			e.leaveToOverrides(over)
		}
		e.Keys.Put("overrides", source.Compose(e.Keys.Get("overrides"), node.Of(over)))
	}
}

// leaveToOverrides removes the keys of lists that overrides replace as a whole: their values
// would appear twice.
func (e *Entry) leaveToOverrides(over tree) {
	if hasAny(over, pathDisks, PathVolumes) {
		e.overrideDisks()
	}
	if hasAny(over, PathNICs, pathNetworks) {
		e.overrideNICs()
	}
	for _, key := range []string{"gpus", "hostDevices"} {
		if hasAny(over, []string{"spec", "template", "spec", "domain", "devices", key}) {
			e.Keys.Remove(key)
		}
	}
}

// overrideDisks writes all disks and volumes as overrides, instead of the keys that they come from.
func (e *Entry) overrideDisks() {
	e.Disks = map[string]string{}
	e.Keys.Put("disks", node.One(values.RootDisk, node.Null()))
	for _, key := range []string{"cloudInit", "sysprep", "patches"} {
		e.Keys.Remove(key)
	}
	e.override(pathDisks)
	e.override(PathVolumes)
}

// overrideNICs writes all NICs and networks as overrides, instead of the key that they come from.
func (e *Entry) overrideNICs() {
	e.NICs = map[string]int{}
	e.Keys.Put("nics", &source.Node{Kind: source.List})
	e.override(PathNICs)
	e.override(pathNetworks)
}

// hasAny reports whether a tree has a list at any of the paths.
func hasAny(t tree, paths ...[]string) bool {
	return slices.ContainsFunc(paths, func(path []string) bool { _, ok := Reach(t, path).([]any); return ok })
}

// override adds a part of the VM to its overrides as it is.
func (e *Entry) override(path []string) {
	value := node.Of(Reach(e.Live.Tree, path))
	for _, key := range slices.Backward(path) {
		value = node.One(key, value)
	}
	e.Keys.Put("overrides", source.Compose(e.Keys.Get("overrides"), value))
}

// Drop removes what the format refuses: the key that a problem is at, or the disk. [Entry.Settle] overrides it then.
// The path is that of the problem below the entry, such as "disks.data.size" or "nics[1].mac". Drop reports whether
// there was something to remove.
func (e *Entry) Drop(path string) bool {
	keys := strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' })
	switch {
	case len(keys) == 0 || slices.Contains([]string{"overrides", "patches", "os"}, keys[0]):
		return false
	case keys[0] == "disks" && len(keys) > 1:
		return e.dropDisk(keys[1], len(keys) > 2)
	}
	had := e.Keys.Get(keys[0]) != nil
	e.Keys.Remove(keys[0])
	return had
}

// dropDisk removes a disk, or at first only what is patched of it.
func (e *Entry) dropDisk(key string, below bool) bool {
	disks := node.From(e.Keys.Get("disks"), "")
	disk := disks.Get(key)
	e.whole = true
	switch {
	case disk == nil || disk.Kind == source.Null:
		return false
	case below && (disk.Get("overrides") != nil || disk.Get("dataVolume") != nil):
		of := node.From(disk, "size")
		of.Remove("overrides")
		of.Remove("dataVolume")
		disks.Put(key, of.Node())
	case key == values.RootDisk:
		disks.Put(key, node.Null())
	default:
		disks.Remove(key)
	}
	e.Keys.Put("disks", disks.Node())
	return true
}

// part is a kind of lists whose entries have patches of their own in the format.
type part struct {
	path []string
	// owned are the fields that no patch changes, since a key sets them; nil if there are none.
	owned func() []string
	put   func(e *Entry, name string, patch *source.Node) bool
}

// The paths of lists in a VirtualMachine, as lists of keys.
var (
	PathNICs    = []string{"spec", "template", "spec", "domain", "devices", "interfaces"}
	PathVolumes = []string{"spec", "template", "spec", "volumes"}

	pathDisks     = []string{"spec", "template", "spec", "domain", "devices", "disks"}
	pathNetworks  = []string{"spec", "template", "spec", "networks"}
	pathTemplates = []string{"spec", "dataVolumeTemplates"}

	// lists are the lists that a VM may have more entries of than keys express.
	lists = [][]string{pathDisks, PathVolumes, PathNICs, pathNetworks, pathTemplates}
)

var parts = []part{
	{
		path: pathDisks, put: (*Entry).putDisk,
		owned: keys.Disk.Paths,
	},
	{
		path: PathNICs, put: (*Entry).putNIC,
		owned: keys.NIC.Paths,
	},
	{path: pathTemplates, put: (*Entry).putTemplate},
}

// settleParts patches the entries of a list one by one, if they have the same names in the
// same order. What is patched is the same in both trees then.
func (e *Entry) settleParts(p *part, live, rendered tree) {
	want, got := manifest.List(live, p.path...), manifest.List(rendered, p.path...)
	if len(got) > len(want) {
		return
	}
	for i := range got {
		if manifest.EntryName(got[i]) != manifest.EntryName(want[i]) {
			return
		}
	}
	for i := range got {
		over := Difference(got[i].(tree), want[i].(tree))
		isOwned := func(path string) bool { _, ok := over[path]; return ok }
		if len(over) == 0 || p.owned != nil && slices.ContainsFunc(p.owned(), isOwned) {
			continue
		}
		if p.put(e, manifest.EntryName(got[i]), node.Of(over)) {
			got[i] = want[i]
		}
	}
}

// putDisk adds a patch to the disk with a volume of that name.
func (e *Entry) putDisk(volume string, patch *source.Node) bool {
	key, ok := e.Disks[volume]
	if ok {
		e.putInDisk(key, "overrides", patch)
	}
	return ok
}

// putTemplate adds a patch to the disk with a DataVolume of that name.
func (e *Entry) putTemplate(name string, patch *source.Node) bool {
	for _, v := range e.Live.Spec().Volumes {
		if key, ok := e.Disks[v.Name]; ok && v.DataVolume != nil && v.DataVolume.Name == name {
			e.putInDisk(key, "dataVolume", source.Compose(e.Keys.Get("disks").Get(key, "dataVolume"), patch))
			return true
		}
	}
	return false
}

func (e *Entry) putInDisk(key, name string, patch *source.Node) {
	disks := node.From(e.Keys.Get("disks"), "")
	disk := node.From(disks.Get(key), "size")
	disk.Put(name, patch)
	disks.Put(key, disk.Node())
	e.Keys.Put("disks", disks.Node())
}

// putNIC adds a patch to the NIC of that name.
func (e *Entry) putNIC(name string, patch *source.Node) bool {
	i, ok := e.NICs[name]
	if !ok {
		return false
	}
	list := e.Keys.Get("nics")
	if list == nil {
		list = node.List([]any{PodNetwork})
	}
	items := slices.Clone(list.Items)
	nic := node.From(items[i], "network")
	nic.Put("overrides", patch)
	items[i] = nic.Node()
	e.Keys.Put("nics", &source.Node{Kind: source.List, Items: items})
	return true
}

// appended returns the operations that append to a list what the VM has beyond what
// is rendered, if that is where it differs.
func appended(at []string, live, rendered tree) []any {
	want, got := manifest.List(live, at...), manifest.List(rendered, at...)
	if len(got) == 0 || len(got) >= len(want) || !reflect.DeepEqual(got, want[:len(got)]) {
		return nil
	}
	var out []any
	for _, item := range want[len(got):] {
		op := node.Map{}
		op.Set("op", "add")
		op.Set("path", "/"+strings.Join(at, "/")+"/-")
		op.Put("value", node.Of(item))
		out = append(out, op.Node())
	}
	parent := manifest.Map(rendered, at[:len(at)-1]...)
	parent[at[len(at)-1]] = want
	return out
}

// Overridden returns what the overrides and patches set, for users: the last two keys of each path, such as
// "cpu.model", without labels and annotations. After four of them, it returns the number of the others.
func (e *Entry) Overridden() []string {
	var out []string
	for path, v := range node.Sorted(node.Leaves(e.Keys.Get("overrides"))) {
		keys := strings.Split(path, node.Separator)
		if v.IsSet() && !slices.Contains([]string{"labels", "annotations"}, keys[max(len(keys)-2, 0)]) {
			out = append(out, strings.Join(keys[max(len(keys)-2, 0):], "."))
		}
	}
	if patches := e.Keys.Get("patches"); patches != nil {
		out = append(out, wording.Count(len(patches.Items), "list item"))
	}
	const most = 4
	if more := len(out) - most; more > 0 {
		out = append(out[:most], wording.Count(more, "more field"))
	}
	return out
}
