package render

import (
	"errors"
	"fmt"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
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
	tree, err := treeOf(json, x.Pos)
	if err != nil {
		x.diags.Errorf(x.Pos, "encode", x.Path, "the VirtualMachine cannot be patched: %s", err)
		return vm
	}
	for _, o := range x.Overrides {
		tree = source.Merge(tree, o)
	}
	out, ok := x.decodeVM(tree, x.path("overrides"))
	if !ok {
		return vm
	}
	found := x.validate(out, tree, "overrides")
	if len(x.Patches) > 0 {
		if out, tree, ok = x.patch(tree); !ok {
			return vm
		}
		found = remaining(found, x.validate(out, tree, "patches"))
	}
	x.diags.Merge(found)
	return out
}

// remaining are the problems that there are after the patches; those that were
// there before are reported for the overrides.
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

// patch applies the machine's patches.
func (x *rendering) patch(tree *source.Node) (vm *kubevirtv1.VirtualMachine, patched *source.Node, ok bool) {
	for i := range x.Patches {
		source.ReportAmbiguous(x.Patches[i].Value, x.patchPath(i)+".value", x.diags)
	}
	json := source.AppendJSON(nil, tree)
	if out, err := applyPatches(json, x.Patches); err == nil {
		var found source.Diagnostics
		vm = &kubevirtv1.VirtualMachine{}
		if patched, err = treeOf(out, x.PatchPos); err == nil {
			source.Decode(patched, vm, "", &found)
			if !found.HasErrors() {
				return vm, patched, true
			}
		}
	}
	x.blame(json)
	return nil, nil, false
}

// blame applies the patches one by one, to report the problem for the
// operation that makes it.
func (x *rendering) blame(json []byte) {
	for i := range x.Patches {
		p := x.Patches[i : i+1]
		pos := x.patchPos(&p[0])
		out, err := applyPatches(json, p)
		if err != nil {
			x.diags.Errorf(pos, "patch", x.patchPath(i), "%s: %s", patchText(&p[0]), patchProblem(err))
			return
		}
		tree, err := treeOf(out, pos)
		if err != nil {
			x.diags.Errorf(pos, "patch", x.patchPath(i), "%s: %s", patchText(&p[0]), err)
			return
		}
		if _, ok := x.decodeVM(tree, x.patchPath(i)); !ok {
			return
		}
		json = out
	}
}

func (x *rendering) patchPath(i int) string { return source.IndexPath(x.path("patches"), i) }

// patchPos is where the patch's value stands; the key `patches` for one without a value.
func (x *rendering) patchPos(p *values.Patch) source.Pos {
	if p.Value != nil && p.Value.Line > 0 {
		return p.Value.Pos()
	}
	return x.PatchPos
}

// Operations that cannot be carried out on anything.
var (
	errNoValue   = errors.New("missing value; to drop a key, use `op: remove`")
	errNoFrom    = errors.New("missing `from`; expected the path to take the value from")
	errNoPointer = errors.New("not a path; expected one that starts with \"/\", such as \"/metadata/labels/team\"")
)

// operationProblem reports an operation that lacks what it needs.
func operationProblem(p *values.Patch) error {
	switch needsFrom := p.Op == "move" || p.Op == "copy"; {
	case p.Path != "" && p.Path[0] != '/', p.From != "" && p.From[0] != '/':
		return errNoPointer
	case needsFrom && p.From == "":
		return errNoFrom
	case p.Value == nil && !needsFrom && p.Op != "remove":
		return errNoValue
	}
	return nil
}

// applyPatches applies operations in their order, without the library's
// extensions to RFC 6902.
func applyPatches(json []byte, patches []values.Patch) ([]byte, error) {
	text := []byte{'['}
	for i := range patches {
		p := &patches[i]
		if err := operationProblem(p); err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = appendOperation(text, p)
	}
	patch, err := jsonpatch.DecodePatch(append(text, ']'))
	if err != nil {
		return nil, err
	}
	options := jsonpatch.NewApplyOptions()
	options.SupportNegativeIndices = false
	options.EscapeHTML = false
	return patch.ApplyWithOptions(json, options)
}

func appendOperation(dst []byte, p *values.Patch) []byte {
	dst = fmt.Appendf(dst, `{"op":%s,"path":%s`, quoted(p.Op), quoted(p.Path))
	if p.From != "" {
		dst = fmt.Appendf(dst, `,"from":%s`, quoted(p.From))
	}
	if p.Value != nil {
		dst = append(dst, `,"value":`...)
		dst = source.AppendJSON(dst, p.Value)
	}
	return append(dst, '}')
}

func quoted(s string) []byte {
	return source.AppendJSON(nil, &source.Node{Kind: source.String, Text: s})
}

// patchText says what an operation was to do.
func patchText(p *values.Patch) string {
	if p.From != "" {
		return fmt.Sprintf("%s %q to %q", p.Op, p.From, p.Path)
	}
	return fmt.Sprintf("%s %q", p.Op, p.Path)
}

// patchProblem says in our words why an operation failed.
func patchProblem(err error) string {
	switch {
	case errors.Is(err, jsonpatch.ErrTestFailed):
		return "the value is another one"
	case errors.Is(err, jsonpatch.ErrMissing):
		return "path does not exist"
	case errors.Is(err, jsonpatch.ErrInvalidIndex):
		return "not an index of the list; expected a number within it, or \"-\" to append"
	}
	return err.Error()
}
