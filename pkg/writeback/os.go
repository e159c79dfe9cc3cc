package writeback

import (
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/node"
)

// nearestOS returns the entry of the fleet's catalog from which a new VM says the least: the entry of its operating
// system, or one that the fleet has built from that for VMs like this one. It is nil if there is none.
func (m *merge) nearestOS(name string, l *draft.Live) *catalog.ResolvedOS {
	best := draft.OSOf(m.catalog, name, l)
	if best == nil {
		return nil
	}
	most := 0
	for _, other := range m.catalog.Names("os") {
		from := m.catalog.Node("os", other).Get("from")
		if from.Str() != name || catalog.IsBuiltin(from.Pos()) {
			continue
		}
		os := m.catalog.OSOn(other, l.Arch())
		if node.IsTrue(os.Defaults.Get("adopted")) {
			os = m.catalog.AdoptedOS(other, l.Arch())
		}
		if n := sharing(os, l); os.Adopted == best.Adopted && n > most {
			best, most = os, n
		}
	}
	return best
}

// sharing returns how many values of an entry of the catalog a VM has, or -1 if it has another: of the entry's
// overrides, and of its firmware.
func sharing(os *catalog.ResolvedOS, l *draft.Live) int {
	kind, _ := draft.New(l, os).Bootloader()
	if own := os.Defaults.Get("firmware", "type").Str(); own != "" && own != kind {
		return -1
	}
	n := 1 // the entry says at least that the VM is like others
	for path, v := range node.Leaves(os.Overrides) {
		if !node.Of(draft.Reach(l.Tree, node.SplitPath(path))).Equal(v) {
			return -1
		}
		n++
	}
	return n
}
