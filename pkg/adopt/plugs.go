package adopt

import (
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/node"
)

// keepPlugs sets `hotpluggable` of the disks that would otherwise get it from the VM's key of that name, and reports
// whether there were any. They render to something else then, before anything is patched.
func (e *entry) keepPlugs(rendered tree) bool {
	plugged := map[string]bool{}
	for _, v := range manifest.List(rendered, pathVolumes...) {
		plugged[manifest.EntryName(v)] = isPlugged(v)
	}
	found := false
	for _, v := range manifest.List(e.live.tree, pathVolumes...) {
		name := manifest.EntryName(v)
		key, isDisk := e.disks[name]
		was, isRendered := plugged[name]
		if isDisk && isRendered && was != isPlugged(v) && e.keys.Get("disks").Get(key, "hotpluggable") == nil {
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
