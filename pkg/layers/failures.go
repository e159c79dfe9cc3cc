package layers

import (
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// goOn is the `onFailure` of a layer for which later waves do not wait if it fails.
const goOn = "continue"

// goesOn reports whether later waves do not wait for the layer if it fails.
func (l *layer) goesOn() bool { return l.OnFailure == goOn }

// checkFailures warns about layers that are to go on without another one that they need: they fail with it.
func (p *loaded) checkFailures(layers []rendered, opts Options, diags *source.Diagnostics) {
	for _, r := range layers {
		for _, from := range p.needed(r, opts) {
			if l := p.layer(from); l.goesOn() {
				diags.Warnf(l.node.Field("onFailure").Pos(), rule.Prerequisite, l.path+".onFailure",
					"%s needs this layer, and fails with it; remove it, or use `stop`", r.path)
			}
		}
	}
}
