package layers

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// goOn is the `onFailure` of a layer for which later waves do not wait if it fails.
const goOn = "continue"

// goesOn reports whether later waves do not wait for the layer if it fails.
func (l *layer) goesOn() bool { return l.OnFailure == goOn }

// checkFailures warns about layers that are to go on without another one that they need: they fail with it.
func (p *loaded) checkFailures(layers []rendered, opts Options, diags *source.Diagnostics) {
	for _, from := range layers {
		if !from.goesOn() {
			continue
		}
		for _, r := range layers {
			if r.name != from.name && p.needs(r, from, opts) {
				diags.Warnf(from.node.Field("onFailure").Pos(), rule.Prerequisite, from.path+".onFailure",
					"%s needs this layer, and fails with it; remove it, or use `stop`", r.path)
			}
		}
	}
}

// needs reports whether a layer needs kinds or objects of another one, or names it under `needs`.
func (p *loaded) needs(r, from rendered, opts Options) bool {
	isNamed := func(n reference) bool { return n.layer == from.name }
	brings := func(o object) bool { return slices.ContainsFunc(from.objects, o.is) }
	return slices.Contains(p.needed(r, opts), from.name) ||
		slices.ContainsFunc(references(r.Needs), isNamed) || slices.ContainsFunc(r.objectsOf(), brings)
}
