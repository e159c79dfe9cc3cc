package layers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/kinds"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// meanings are what the impacts of layers mean, as docs/reference/platform.md describes them.
var meanings = map[string]string{
	"low":    "nothing that runs notices",
	"medium": "operators restart, virtual machines migrate",
	"high":   "nodes reboot, or their network changes",
}

// Headline returns a comment for a layer of the platform at path: its chart, and the
// most that a change of it can do. It is empty if there is no such layer.
func Headline(path, name string, opts Options) string {
	p := load(path, opts, new(source.Diagnostics))
	if p == nil {
		return ""
	}
	for _, l := range p.layers {
		switch {
		case l.name != name:
		case l.entry.Name == "":
			return fmt.Sprintf("# Layer %s of %s, of its own.\n", name, p.Metadata.Name)
		default:
			return fmt.Sprintf("# Layer %s of %s: chart %s, impact %s (%s).\n",
				name, p.Metadata.Name, l.entry.Name, l.entry.Impact, meanings[l.entry.Impact])
		}
	}
	return ""
}

// hasEffect reports whether an object of a layer has an effect.
func hasEffect(o *manifest.Object, e *kinds.Effect) bool {
	return o.Group() == e.Group && o.Kind == e.Name && !skipped(*o) && (e.If == nil || e.If(string(o.JSON)))
}

// Validate reports every problem of the platform at path, and what its layers do to what
// runs. It also returns the number of managed layers, or 0 if there are errors.
func Validate(path string, opts Options) (layers int, diags *source.Diagnostics) {
	diags = new(source.Diagnostics)
	p := load(path, opts, diags)
	if p == nil {
		return 0, diags
	}
	p.checkSources(diags)
	all := p.renderAll(opts, diags)
	for _, r := range all {
		if r.Action == "" || r.Action == "Apply" {
			r.reportEffects(diags)
		}
	}
	if diags.HasErrors() {
		return 0, diags
	}
	return len(all), diags
}

// reportEffects warns once of each thing that the layer does, with the objects that do it.
func (r rendered) reportEffects(diags *source.Diagnostics) {
	effects := kinds.Effects()
	for i := range effects {
		e := &effects[i]
		var names []string
		for j := range r.objects {
			if o := &r.objects[j]; hasEffect(o, e) {
				names = append(names, o.String())
			}
		}
		if names != nil {
			slices.Sort(names)
			diags.Warnf(r.key, rule.Impact, r.path, "impact %s: %s, because of %s; to stage it, %s, or begin with "+
				"`action: DryRun`", e.Impact(), e.Does, strings.Join(names, ", "), e.Stage)
		}
	}
}
