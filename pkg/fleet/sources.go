package fleet

import (
	"cmp"
	"slices"
	"sync"

	"github.com/vmrender/vmrender/pkg/source"
)

// DiskSource is the source of the content of one disk.
type DiskSource struct {
	VM   string // key under `vms`
	Disk string // key under `disks`
	VMs  int    // number of VMs rendered: 1, or the replicas
	Kind string // key of the source, such as "dataSource"
	// Content is the value under that key, and Version that of `version`, or nil if there is none: both as
	// written and with their positions, which for a named image are in its catalog entry.
	Content, Version *source.Node
}

// contentKeys are the sources that have content.
var contentKeys = []string{"dataSource", "registry", "http", "s3", "gcs", "pvc", "snapshot", "containerDisk"}

// Sources returns the sources of all disks of the fleet at path, sorted by VM
// and disk.
func Sources(path string, opts Options) ([]DiskSource, *source.Diagnostics) {
	diags := new(source.Diagnostics)
	f := Open(path, opts, diags)
	var mu sync.Mutex
	var found []DiskSource
	f.Each(func(e *Entry, _ *source.Diagnostics) {
		list := f.sources(e)
		mu.Lock()
		defer mu.Unlock()
		found = append(found, list...)
	})
	slices.SortFunc(found, func(a, b DiskSource) int {
		return cmp.Or(cmp.Compare(a.VM, b.VM), cmp.Compare(a.Disk, b.Disk))
	})
	return found, diags
}

func (f *Fleet) sources(e *Entry) []DiskSource {
	machines := 1
	if n := e.VM.Replicas; n != nil {
		machines = *n
	}
	var out []DiskSource
	for _, disk := range e.Keys.Get("disks").Entries() {
		written := disk.Value.Get("source")
		version := written.Get("version")
		if image := written.Get("image").Str(); image != "" {
			written = f.Catalog.Node("images", image)
			if version.Str() == "" {
				version = written.Get("version")
			}
		}
		if version.Str() == "" {
			version = nil
		}
		for _, kind := range contentKeys {
			if content := written.Get(kind); content.Str() != "" {
				out = append(out, DiskSource{e.Name, disk.Key, machines, kind, content, version})
			}
		}
	}
	return out
}
