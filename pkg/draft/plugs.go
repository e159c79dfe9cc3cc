package draft

import (
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/node"
)

// KeepPlugs sets `hotpluggable` of the disks that would otherwise get it from the VM's key of that name, and reports
// whether there were any. The entry is to be rendered again then, before [Entry.Settle] patches anything. Rendered is
// the VM that it renders to.
func (e *Entry) KeepPlugs(rendered manifest.Tree) bool {
	plugged := map[string]bool{}
	for _, v := range manifest.List(rendered, PathVolumes...) {
		plugged[manifest.EntryName(v)] = isPlugged(v)
	}
	found := false
	for _, v := range manifest.List(e.Live.Tree, PathVolumes...) {
		name := manifest.EntryName(v)
		key, isDisk := e.Disks[name]
		was, isRendered := plugged[name]
		if isDisk && isRendered && was != isPlugged(v) && e.Keys.Get("disks").Get(key, "hotpluggable") == nil {
			e.putInDisk(key, "hotpluggable", node.Bool(isPlugged(v)))
			found = true
		}
	}
	return found
}

// isPlugged reports whether a volume is hotpluggable.
func isPlugged(volume any) bool {
	return manifest.At(volume, "dataVolume", "hotpluggable") == true ||
		manifest.At(volume, "persistentVolumeClaim", "hotpluggable") == true
}
