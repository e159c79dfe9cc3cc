package compare

import (
	"path/filepath"
	"sync"

	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/machine"
)

// directories collects the directories of the entries of VMs while these are resolved.
type directories struct {
	mu sync.Mutex
	of map[string]string // by NAMESPACE/NAME
}

func newDirectories() *directories { return &directories{of: map[string]string{}} }

// note notes the directory of a VM. It is called from several goroutines.
func (d *directories) note(m *machine.Machine) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.of[m.Namespace+"/"+m.Name] = filepath.Dir(m.Pos.File)
}

// below returns the directories relative to that of the fleet; nil for what has none.
func (d *directories) below(f *inventory.Fleet) map[string]string {
	if f == nil || f.Fleet == nil || f.Root == "" {
		return nil
	}
	relative := map[string]string{}
	for vm, dir := range d.of {
		short, ok := relative[dir]
		if !ok {
			short = dir
			if rel, err := filepath.Rel(f.Root, dir); err == nil {
				short = filepath.ToSlash(rel)
			}
			relative[dir] = short
		}
		d.of[vm] = short
	}
	return d.of
}
