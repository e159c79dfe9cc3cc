package adopt

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
)

// nameLabels are the labels of pods whose value is the name of their VM by convention: that of the common templates and
// virtctl, that of KubeVirt's examples, KubeVirt's own (which has the host name), Harvester's, and that which MTV sets
// and every VM that is rendered has on its VirtualMachine.
var nameLabels = []string{
	"kubevirt.io/domain", "kubevirt.io/vm", "vm.kubevirt.io/name", "harvesterhci.io/vmName", "app",
}

// shareNames moves labels with the names of the VMs to the level whose VMs all have theirs: the fleet, or a file. It
// reports whether any has moved.
func (w *work) shareNames() bool {
	moved := false
	for _, key := range nameLabels {
		if shareName(&w.defaults, w.entries, key) {
			moved = true
			continue
		}
		for _, g := range w.levels {
			moved = shareName(&g.defaults, g.entries, key) || moved
		}
	}
	return moved
}

// shareName moves a label to the level above entries if each has its name there.
func shareName(above *node.Map, all []*imported, key string) bool {
	const labels = "podLabels"
	isUnnamed := func(e *imported) bool { return e.Live.VM.Spec.Template.ObjectMeta.Labels[key] != e.Live.Name }
	has := func(e *imported) bool { return e.Keys.Get(labels).Get(key) != nil }
	if !slices.ContainsFunc(all, has) || slices.ContainsFunc(all, isUnnamed) {
		return false
	}
	above.Put(labels, source.Compose(above.Get(labels), node.One(key, node.Value("{{ .vm.name }}"))))
	for _, e := range all {
		of := node.From(e.Keys.Get(labels), "")
		of.Remove(key)
		e.Keys.Set(labels, of)
		if of.IsEmpty() {
			e.Keys.Remove(labels)
		}
	}
	return true
}
