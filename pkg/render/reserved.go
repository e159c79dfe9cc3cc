package render

import (
	"maps"
	"slices"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// checkReserved reports labels and annotations under vmrender.io/ that overrides or
// patches change.
func (x *rendering) checkReserved(rendered, vm *kubevirtv1.VirtualMachine) {
	if rendered == vm { // there are none
		return
	}
	before, after := reservedOf(rendered), reservedOf(vm)
	changed := map[string]bool{}
	for path, value := range after {
		old, ok := before[path]
		changed[path] = !ok || old != value
	}
	for path := range before {
		_, ok := after[path]
		changed[path] = changed[path] || !ok
	}
	for _, path := range slices.Sorted(maps.Keys(changed)) {
		if changed[path] {
			x.refuseOverride(rule.Reserved, path, "is set by vmrender, and read by its Jobs; it must not be changed")
		}
	}
}

// reservedOf returns the labels and annotations under vmrender.io/ by their paths.
func reservedOf(vm *kubevirtv1.VirtualMachine) map[string]string {
	out := map[string]string{}
	add := func(path string, m map[string]string) {
		for key, value := range m {
			if labels.IsReserved(key) {
				out[source.JoinPath(path, key)] = value
			}
		}
	}
	add("metadata.labels", vm.Labels)
	add("metadata.annotations", vm.Annotations)
	if t := vm.Spec.Template; t != nil {
		add("spec.template.metadata.labels", t.ObjectMeta.Labels)
		add("spec.template.metadata.annotations", t.ObjectMeta.Annotations)
	}
	for i := range vm.Spec.DataVolumeTemplates {
		d := &vm.Spec.DataVolumeTemplates[i]
		add(source.JoinPath("spec.dataVolumeTemplates", d.Name)+".metadata.labels", d.Labels)
		add(source.JoinPath("spec.dataVolumeTemplates", d.Name)+".metadata.annotations", d.Annotations)
	}
	return out
}
