package render

import (
	"slices"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// override applies the VM's merge patches, then its JSON patches. It decodes
// the result strictly: KubeVirt's own decoder ignores unknown keys under the
// template's spec.
func (x *rendering) override(vm *kubevirtv1.VirtualMachine) *kubevirtv1.VirtualMachine {
	own := x.refusals(vm)
	if len(x.Overrides) == 0 && len(x.Patches) == 0 {
		x.reportRefusals(own)
		return vm
	}
	tree, err := treeOf(vm, x.Pos)
	if err != nil {
		x.diags.Errorf(x.Pos, rule.Encode, x.Path, "the VirtualMachine cannot be patched: %s", err)
		return vm
	}
	var ok bool
	out, found := vm, new(source.Diagnostics)
	if len(x.Overrides) > 0 {
		for _, o := range x.Overrides {
			tree = source.Merge(tree, o)
		}
		if out, ok = x.decodeVM(tree, x.path("overrides")); !ok {
			return vm
		}
		found = x.validate(out, own, tree, "overrides")
	}
	if len(x.Patches) > 0 {
		if out, tree, ok = x.patch(tree); !ok {
			return vm
		}
		found = remaining(found, x.validate(out, own, tree, "patches"))
	}
	x.diags.Merge(found)
	x.reportRefusals(x.remainingRefusals(own, out))
	x.checkFields(tree, kindVM, "", x.lastKey())
	return out
}

// lastKey returns the key that was applied last: patches or, without any, overrides.
func (x *rendering) lastKey() string {
	if len(x.Patches) > 0 {
		return "patches"
	}
	return "overrides"
}

// treeOf returns an object as a tree in which every node has the position pos.
func treeOf(object any, pos source.Pos) (*source.Node, error) {
	json, err := manifest.Encode(nil, object)
	if err != nil {
		return nil, err
	}
	return patch.FromJSON(json, source.At(pos))
}

// remaining returns the problems that exist after the patches. A problem that
// existed before them is reported as it was found then, for the overrides.
func remaining(before, after *source.Diagnostics) *source.Diagnostics {
	var out source.Diagnostics
	old := before.Sorted()
	for _, d := range after.Sorted() {
		same := func(o source.Diagnostic) bool { return o.Rule == d.Rule && o.Message == d.Message }
		if i := slices.IndexFunc(old, same); i >= 0 {
			d = old[i]
		}
		out.Add(d)
	}
	return &out
}

func (x *rendering) decodeVM(tree *source.Node, path string) (*kubevirtv1.VirtualMachine, bool) {
	var found source.Diagnostics
	vm := &kubevirtv1.VirtualMachine{}
	source.Decode(tree, vm, path, &found)
	x.diags.Merge(&found)
	return vm, !found.HasErrors()
}

// patch applies the VM's patches. Values that they do not set get the position
// of the key `patches`, because the patches cause the problems found there.
func (x *rendering) patch(tree *source.Node) (*kubevirtv1.VirtualMachine, *source.Node, bool) {
	doc := patch.Document{Tree: source.Reposition(tree, source.At(x.PatchPos))}
	for i := range x.Patches {
		if err := doc.Apply(&x.Patches[i]); err != nil {
			x.diags.Errorf(x.Patches[i].Pos, rule.Patch, x.patchPath(i), "%s", err)
			return nil, nil, false
		}
	}
	var found source.Diagnostics
	vm := &kubevirtv1.VirtualMachine{}
	source.Decode(doc.Tree, vm, "", &found)
	if found.HasErrors() {
		x.blame(tree)
		return nil, nil, false
	}
	return vm, doc.Tree, true
}

// blame reports what KubeVirt's types do not accept, at the first patch that causes
// it.
func (x *rendering) blame(tree *source.Node) {
	for i := range x.Patches {
		doc := patch.Document{Tree: source.Reposition(tree, source.At(x.Patches[i].Pos))}
		if doc.Apply(&x.Patches[i]) != nil {
			return // never happens: patch has applied it successfully
		}
		tree = doc.Tree
		if _, ok := x.decodeVM(tree, x.patchPath(i)); !ok {
			return
		}
	}
}

func (x *rendering) patchPath(i int) string { return source.IndexPath(x.path("patches"), i) }
