package render

import (
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/outcome"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// partPatch is a user's merge patch on one part of what is rendered, such as a disk, found by its name in the values.
type partPatch struct {
	over *source.Node
	key  string // of the patch, below the VM's path: disks.data.overrides
	// owned are the paths that the patch must not change, with what to do instead. A path that ends in ".*" is all
	// that the part has there.
	owned map[string]string
	// allowed are the values, as JSON, that the patch may give to owned paths nevertheless: null if the platform has
	// a default of its own.
	allowed map[string]string
}

// patched returns a part with a patch applied, strictly decoded into the type of the part: the platforms ignore unknown
// keys in most places. It returns the part unchanged if there is no patch, or
// one that cannot be decoded.
func patched[T any](x *rendering, part *T, p partPatch) *T {
	if !p.over.IsSet() {
		return part
	}
	before, err := treeOf(part, x.Pos)
	if err != nil {
		x.diags.Errorf(p.over.Pos(), rule.Encode, x.path(p.key), "the object cannot be patched: %s", err)
		return part
	}
	var found source.Diagnostics
	after, out := source.Merge(before, p.over), new(T)
	source.Decode(after, out, x.path(p.key), &found)
	if found.HasErrors() {
		out = part
	}
	p.checkOwned(x, before, after, &found)
	x.diags.Merge(&found)
	if found.HasErrors() {
		x.misread = append(x.misread, strings.TrimSuffix(p.key, ".overrides"))
	}
	return out
}

// checkOwned reports the owned paths that the patch changes.
func (p *partPatch) checkOwned(x *rendering, before, after *source.Node, found *source.Diagnostics) {
	for _, path := range slices.Sorted(maps.Keys(p.owned)) {
		keys, all := splitPath(path)
		if !all {
			p.checkSame(x, before.Get(keys...), after.Get(keys...), keys, p.owned[path], found)
			continue
		}
		for _, f := range before.Get(keys...).Entries() {
			if outcome.IsGuarded(f.Key) {
				continue // see look
			}
			below := append(slices.Clip(keys), f.Key)
			p.checkSame(x, f.Value, after.Get(below...), below, p.owned[path], found)
		}
	}
}

// splitPath returns the keys of an owned path, and whether it is all that is below them.
func splitPath(path string) (keys []string, all bool) {
	path, all = strings.CutSuffix(path, ".*")
	return strings.Split(path, "."), all
}

func (p *partPatch) checkSame(
	x *rendering, before, after *source.Node, keys []string, instead string, found *source.Diagnostics,
) {
	now := string(source.AppendJSON(nil, after))
	if string(source.AppendJSON(nil, before)) != now && p.allowed[strings.Join(keys, ".")] != now {
		p.refuse(x, keys, "must not be changed; "+instead, found)
	}
}

// refuse reports what the patch sets at keys, at the deepest of them that it contains.
func (p *partPatch) refuse(x *rendering, keys []string, problem string, found *source.Diagnostics) {
	p.report(x, rule.Identity, keys, problem, found)
}

// report reports a problem with what the patch sets at keys, at the deepest of them that it contains.
func (p *partPatch) report(x *rendering, id rule.ID, keys []string, problem string, found *source.Diagnostics) {
	at, n, path := p.over.Pos(), p.over, x.path(p.key)
	for _, key := range keys {
		path = source.JoinPath(path, key)
		if n = n.Get(key); n != nil {
			at = n.Pos()
		}
	}
	found.Errorf(at, id, path, "%s", problem)
}

// ownedMetadata is what no patch on an object changes: the name, and what is rendered for Argo CD and for the Jobs.
var ownedMetadata = map[string]string{
	"apiVersion": "remove it", "kind": "remove it",
	"metadata.name":          "it follows from the names in the values files",
	"metadata.namespace":     "set `namespace` of the VM instead",
	"metadata.labels.*":      "vmrender finds the object by the label",
	"metadata.annotations.*": "the annotation is for Argo CD and for vmrender's Jobs",
}
