package adopt

import (
	"reflect"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// settle adds to an entry what no key of it sets: the difference between what it renders
// to and the VM, at the disk or NIC that it belongs to, or as `overrides`.
func (e *entry) settle(rendered tree) {
	live := e.live.tree
	for i := range parts {
		if !e.whole {
			e.settleParts(&parts[i], live, rendered)
		}
	}
	add := e.keys.Get("patches")
	for _, at := range lists {
		add = node.Joined(add, node.List(appended(at, live, rendered)))
	}
	e.keys.Set("patches", add)
	if over := difference(rendered, live); len(over) > 0 {
		if !e.kept {
			e.leaveToOverrides(over)
		}
		e.keys.Put("overrides", source.Compose(e.keys.Get("overrides"), node.Of(over)))
	}
}

// leaveToOverrides removes the keys of lists that overrides replace as a whole: their values
// would appear twice.
func (e *entry) leaveToOverrides(over tree) {
	if hasAny(over, pathDisks, pathVolumes) {
		e.overrideDisks()
	}
	if hasAny(over, pathNICs, pathNetworks) {
		e.overrideNICs()
	}
	for _, key := range []string{"gpus", "hostDevices"} {
		if hasAny(over, []string{"spec", "template", "spec", "domain", "devices", key}) {
			e.keys.Remove(key)
		}
	}
}

// overrideDisks writes all disks and volumes as overrides, instead of the keys that they come from.
func (e *entry) overrideDisks() {
	e.disks = map[string]string{}
	e.keys.Put("disks", node.One(values.RootDisk, node.Null()))
	for _, key := range []string{"cloudInit", "sysprep", "patches"} {
		e.keys.Remove(key)
	}
	e.override(pathDisks)
	e.override(pathVolumes)
}

// overrideNICs writes all NICs and networks as overrides, instead of the key that they come from.
func (e *entry) overrideNICs() {
	e.nics = map[string]int{}
	e.keys.Put("nics", &source.Node{Kind: source.List})
	e.override(pathNICs)
	e.override(pathNetworks)
}

// hasAny reports whether a tree has a list at any of the paths.
func hasAny(t tree, paths ...[]string) bool {
	return slices.ContainsFunc(paths, func(path []string) bool { _, ok := reach(t, path).([]any); return ok })
}

// override adds a part of the VM to its overrides as it is.
func (e *entry) override(path []string) {
	value := node.Of(reach(e.live.tree, path))
	for _, key := range slices.Backward(path) {
		value = node.One(key, value)
	}
	e.keys.Put("overrides", source.Compose(e.keys.Get("overrides"), value))
}

// drop leaves what the format refuses to the overrides: the key that a problem is at, or
// the disk. The path is that of the problem below the entry, such as "disks.data.size".
// It reports whether there was something to leave.
func (e *entry) drop(path string) bool {
	keys := strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' })
	switch {
	case len(keys) == 0 || slices.Contains([]string{"overrides", "patches", "os"}, keys[0]):
		return false
	case keys[0] == "disks" && len(keys) > 1:
		return e.dropDisk(keys[1], len(keys) > 2)
	}
	had := e.keys.Get(keys[0]) != nil
	e.keys.Remove(keys[0])
	return had
}

// dropDisk removes a disk, or at first only what is patched of it.
func (e *entry) dropDisk(key string, below bool) bool {
	disks := node.From(e.keys.Get("disks"), "")
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
	e.keys.Put("disks", disks.Node())
	return true
}

// part is a kind of lists whose entries have patches of their own in the format.
type part struct {
	path []string
	// owned are the fields that no patch changes, since a key sets them.
	owned []string
	put   func(e *entry, name string, patch *source.Node) bool
}

var (
	pathDisks     = []string{"spec", "template", "spec", "domain", "devices", "disks"}
	pathNICs      = []string{"spec", "template", "spec", "domain", "devices", "interfaces"}
	pathVolumes   = []string{"spec", "template", "spec", "volumes"}
	pathNetworks  = []string{"spec", "template", "spec", "networks"}
	pathTemplates = []string{"spec", "dataVolumeTemplates"}

	// lists are the lists that a VM may have more entries of than keys express.
	lists = [][]string{pathDisks, pathVolumes, pathNICs, pathNetworks, pathTemplates}
)

var parts = []part{
	{
		path: pathDisks, put: (*entry).putDisk,
		owned: []string{"name", "bootOrder", "serial", "cache", "io", "shareable"},
	},
	{
		path: pathNICs, put: (*entry).putNIC,
		owned: []string{"name", "macAddress", "bootOrder", "state", "ports"},
	},
	{path: pathTemplates, put: (*entry).putTemplate, owned: []string{}},
}

// settleParts patches the entries of a list one by one, if they have the same names in the
// same order. What is patched is the same in both trees then.
func (e *entry) settleParts(p *part, live, rendered tree) {
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
		over := difference(got[i].(tree), want[i].(tree))
		if len(over) == 0 || slices.ContainsFunc(p.owned, func(key string) bool { _, ok := over[key]; return ok }) {
			continue
		}
		if p.put(e, manifest.EntryName(got[i]), node.Of(over)) {
			got[i] = want[i]
		}
	}
}

// putDisk adds a patch to the disk with a volume of that name.
func (e *entry) putDisk(volume string, patch *source.Node) bool {
	key, ok := e.disks[volume]
	if ok {
		e.putInDisk(key, "overrides", patch)
	}
	return ok
}

// putTemplate adds a patch to the disk with a DataVolume of that name.
func (e *entry) putTemplate(name string, patch *source.Node) bool {
	for _, v := range e.live.spec().Volumes {
		if key, ok := e.disks[v.Name]; ok && v.DataVolume != nil && v.DataVolume.Name == name {
			e.putInDisk(key, "dataVolume", source.Compose(e.keys.Get("disks").Get(key, "dataVolume"), patch))
			return true
		}
	}
	return false
}

func (e *entry) putInDisk(key, name string, patch *source.Node) {
	disks := node.From(e.keys.Get("disks"), "")
	disk := node.From(disks.Get(key), "size")
	disk.Put(name, patch)
	disks.Put(key, disk.Node())
	e.keys.Put("disks", disks.Node())
}

// putNIC adds a patch to the NIC of that name.
func (e *entry) putNIC(name string, patch *source.Node) bool {
	i, ok := e.nics[name]
	if !ok {
		return false
	}
	list := e.keys.Get("nics")
	if list == nil {
		list = node.List([]any{podNetwork})
	}
	items := slices.Clone(list.Items)
	nic := node.From(items[i], "network")
	nic.Put("overrides", patch)
	items[i] = nic.Node()
	e.keys.Put("nics", &source.Node{Kind: source.List, Items: items})
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

// overridden returns what the overrides and patches set, by the last keys of the paths.
func (e *entry) overridden() []string {
	var out []string
	for path, v := range node.Sorted(node.Leaves(e.keys.Get("overrides"))) {
		keys := strings.Split(path, node.Separator)
		if v.IsSet() && !slices.Contains([]string{"labels", "annotations"}, keys[max(len(keys)-2, 0)]) {
			out = append(out, strings.Join(keys[max(len(keys)-2, 0):], "."))
		}
	}
	if patches := e.keys.Get("patches"); patches != nil {
		out = append(out, wording.Count(len(patches.Items), "entry of a list"))
	}
	const most = 4
	if more := len(out) - most; more > 0 {
		out = append(out[:most], wording.Count(more, "more field"))
	}
	return out
}
