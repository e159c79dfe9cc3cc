package render

import (
	"errors"
	"fmt"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

// override applies the machine's merge patches, then its JSON patches. What
// comes out is decoded strictly: KubeVirt's own decoder does not see unknown
// keys beneath the template's spec.
func (x *rendering) override(vm *kubevirtv1.VirtualMachine) *kubevirtv1.VirtualMachine {
	if len(x.Overrides) == 0 && len(x.Patches) == 0 {
		return vm
	}
	json, err := manifest.Encode(nil, vm)
	if err != nil {
		x.diags.Errorf(x.Pos, "encode", x.Path, "the VirtualMachine cannot be patched: %s", err)
		return vm
	}
	tree := x.parse(json)
	for _, o := range x.Overrides {
		tree = source.Merge(tree, o)
	}
	out, ok := x.decodeVM(tree, x.path("overrides"))
	if ok && len(x.Patches) > 0 {
		out, tree, ok = x.patch(tree)
	}
	if !ok {
		return vm
	}
	x.validate(out, tree)
	return out
}

// parse turns rendered JSON into a tree that stands where the machine does.
func (x *rendering) parse(json []byte) *source.Node {
	file := &source.File{Name: x.Pos.File, Data: json}
	docs := source.Parse(file, x.diags)
	if len(docs) != 1 {
		return nil
	}
	return source.Reposition(docs[0], at(x.Pos))
}

// at is a node that stands at a position.
func at(p source.Pos) *source.Node {
	return &source.Node{Line: int32(p.Line), Col: int32(p.Col), File: &source.File{Name: p.File}}
}

func (x *rendering) decodeVM(tree *source.Node, path string) (*kubevirtv1.VirtualMachine, bool) {
	var found source.Diagnostics
	vm := &kubevirtv1.VirtualMachine{}
	source.Decode(tree, vm, path, &found)
	x.diags.Merge(&found)
	return vm, !found.HasErrors()
}

// patch applies the machine's patches one by one and decodes what each leaves,
// so that a problem is reported for the operation that makes it.
func (x *rendering) patch(tree *source.Node) (vm *kubevirtv1.VirtualMachine, patched *source.Node, ok bool) {
	json := source.AppendJSON(nil, tree)
	for i := range x.Patches {
		p := &x.Patches[i]
		source.ReportAmbiguous(p.Value, x.patchPath(i)+".value", x.diags)
		var err error
		if json, err = applyPatch(json, p); err != nil {
			x.diags.Errorf(x.patchPos(p), "patch", x.patchPath(i), "%s %q: %s", p.Op, patchTarget(p, err), patchProblem(err))
			return nil, nil, false
		}
		patched = source.Reposition(x.parse(json), at(x.patchPos(p)))
		if vm, ok = x.decodeVM(patched, x.patchPath(i)); !ok {
			return nil, nil, false
		}
	}
	return vm, patched, true
}

func (x *rendering) patchPath(i int) string { return source.IndexPath(x.path("patches"), i) }

// patchPos is where the patch's value stands; the key `patches` for one without a value.
func (x *rendering) patchPos(p *fleet.Patch) source.Pos {
	if p.Value != nil && p.Value.Line > 0 {
		return p.Value.Pos()
	}
	return x.PatchPos
}

// errNoValue reports an operation without the value that it needs.
var errNoValue = errors.New("missing value; to drop a key, want `op: remove`")

// applyPatch applies one operation, without the library's extensions to RFC 6902.
func applyPatch(json []byte, p *fleet.Patch) ([]byte, error) {
	if p.Value == nil && (p.Op == "add" || p.Op == "replace" || p.Op == "test") {
		return nil, errNoValue
	}
	op := fmt.Appendf(nil, `[{"op":%s,"path":%s`, quoted(p.Op), quoted(p.Path))
	if p.From != "" {
		op = fmt.Appendf(op, `,"from":%s`, quoted(p.From))
	}
	if p.Value != nil {
		op = append(op, `,"value":`...)
		op = source.AppendJSON(op, p.Value)
	}
	patch, err := jsonpatch.DecodePatch(append(op, "}]"...))
	if err != nil {
		return nil, err
	}
	options := jsonpatch.NewApplyOptions()
	options.SupportNegativeIndices = false
	options.EscapeHTML = false
	return patch.ApplyWithOptions(json, options)
}

func quoted(s string) []byte {
	return source.AppendJSON(nil, &source.Node{Kind: source.String, Text: s})
}

// patchTarget is the pointer that the problem is about.
func patchTarget(p *fleet.Patch, err error) string {
	if p.From != "" && errors.Is(err, jsonpatch.ErrMissing) && strings.Contains(err.Error(), p.From) {
		return p.From
	}
	return p.Path
}

// patchProblem says in our words why an operation failed.
func patchProblem(err error) string {
	switch {
	case errors.Is(err, jsonpatch.ErrTestFailed):
		return "the value is another one"
	case errors.Is(err, jsonpatch.ErrMissing):
		return "path does not exist"
	case errors.Is(err, jsonpatch.ErrInvalidIndex):
		return "not an index of the list; want a number within it, or \"-\" to append"
	}
	return err.Error()
}
