package fleet

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/vmrender/vmrender/pkg/source"
)

// DiskSource is where the content of one disk of a VM comes from.
type DiskSource struct {
	VM   string // key under `vms`
	Disk string // key under `disks`
	VMs  int    // how many machines the VM stands for
	Kind string // key of the source, such as "dataSource"
	// Content is the value under that key, and Version that of `version`, nil
	// where there is none: each as it was written and where it was written, which
	// for a named image is its entry in the catalogue.
	Content, Version *source.Node
}

// contentKeys are the sources that have content of their own.
var contentKeys = []string{"dataSource", "registry", "http", "s3", "gcs", "pvc", "snapshot", "containerDisk"}

// Sources lists the sources of all disks of the fleet at path, by VM and disk.
func Sources(path string, opts Options) ([]DiskSource, *source.Diagnostics) {
	l := newLoader(opts)
	var found []DiskSource
	l.inspect = func(entry string, s *subject, _ *level) {
		list := s.sources(entry)
		l.mu.Lock()
		defer l.mu.Unlock()
		found = append(found, list...)
	}
	l.load(path)
	slices.SortFunc(found, func(a, b DiskSource) int { return cmp.Or(cmp.Compare(a.VM, b.VM), cmp.Compare(a.Disk, b.Disk)) })
	return found, &l.diags
}

func (s *subject) sources(vm string) []DiskSource {
	machines := 1
	if n := s.node.Get("replicas"); n != nil && n.Kind == source.Int {
		machines, _ = strconv.Atoi(n.Text) // what is wrong with it is reported when it is decoded
	}
	var out []DiskSource
	disks := s.node.Get("disks")
	if disks == nil {
		return nil
	}
	for _, disk := range disks.Fields {
		written := disk.Value.Get("source")
		version := written.Get("version")
		if image := written.Get("image"); hasText(image) {
			written = s.set.Node("images", image.Text)
			if !hasText(version) {
				version = written.Get("version")
			}
		}
		if !hasText(version) {
			version = nil
		}
		for _, kind := range contentKeys {
			if content := written.Get(kind); hasText(content) {
				out = append(out, DiskSource{vm, disk.Key, machines, kind, content, version})
			}
		}
	}
	return out
}

// hasText tells whether a value is there and not empty.
func hasText(n *source.Node) bool { return n != nil && n.Kind == source.String && n.Text != "" }
