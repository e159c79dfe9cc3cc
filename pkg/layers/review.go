package layers

import (
	"cmp"
	"slices"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/platform"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// shows reports whether the layer shows what it would change, instead of changing it.
func (l *layer) shows() bool { return l.Action == "DryRun" || l.unapproved }

// checkApproval reports approvals that cannot be.
func (p *loaded) checkApproval(l *layer, diags *source.Diagnostics) {
	f := l.node.Field("approve")
	if l.Approve == "" || f == nil {
		return
	}
	at, path := f.Value.Pos(), l.path+".approve"
	if _, err := approval.ParseReview(l.Approve); err != nil {
		diags.Errorf(at, rule.Approval, path, "%q is %v; expected the one that `vmrender plan` prints for this layer, or "+
			"`none` before the first review", l.Approve, err)
		return
	}
	switch {
	case !l.managed():
		diags.Errorf(at, rule.Conflict, path, "a layer with `mode: unmanaged`%s has no Application that could wait for it; "+
			"remove one of them", platform.Origin(l.node.Get("mode"), l.node))
	case l.Action == "Ignore":
		diags.Errorf(at, rule.Conflict, path, "a layer with `action: Ignore`%s is not synced; remove one of them",
			platform.Origin(l.node.Get("action"), l.node))
	case p.Target.Image == "" && !l.byArgoCD():
		diags.Errorf(at, rule.DefaultImage, "target.image", "missing; set it to the image of vmrender in your registry, "+
			"which runs the Job that compares the approval of %s before each sync", l.path)
	}
}

// reviewAll compares what layers render with what is approved of them.
func (p *loaded) reviewAll(opts Options, diags *source.Diagnostics) {
	for i := range p.layers { // by wave: what a layer renders can depend on whether earlier ones are applied
		l := &p.layers[i]
		approved, err := approval.ParseReview(l.Approve)
		if l.Approve == "" || err != nil || !l.managed() || l.Action == "Ignore" || l.byArgoCD() {
			continue
		}
		var found source.Diagnostics
		r := p.render(l, opts, &found)
		if found.HasErrors() {
			continue // reported with all layers
		}
		l.review = &approval.Layer{
			Name: l.name, Approved: l.Approve, Rendered: l.digest(r), Namespace: r.namespace,
			Subjects: p.subjects(r, opts),
		}
		if l.unapproved = !l.review.IsRendered(); l.unapproved {
			defer l.reportUnapproved(p, approved, diags)
		}
	}
}

// digest returns the digest of what a layer renders.
func (l *layer) digest(r rendered) string {
	trees := make([]map[string]any, 0, len(r.objects))
	for _, o := range r.objects {
		trees = append(trees, o.Tree())
	}
	return approval.Rendered(l.name, r.namespace, trees)
}

// reportUnapproved warns of a layer whose approval is not of what it renders.
func (l *layer) reportUnapproved(p *loaded, approved approval.Review, diags *source.Diagnostics) {
	why := "is of something else than the layer renders now"
	if approved.Rendered == "" {
		why = "approves nothing yet"
	}
	for i := range p.layers {
		if other := &p.layers[i]; other.review != nil && other.review.Rendered == approved.Rendered && other.name != l.name {
			why = "is that of the layer " + other.name
		}
	}
	diags.Warnf(l.node.Get("approve").Pos(), rule.Approval, l.path+".approve",
		"%q %s, so the layer is not applied; after a review, set %q, or the token that `vmrender plan --live` prints, "+
			"which is also of the state of the cluster", l.Approve, why, l.review.Token(nil))
}

// subjects returns the objects whose state in the cluster a review is about: those of the layer, and those of layers
// with which its values agree. Secrets are not among them: what compares their state would have to read them.
func (p *loaded) subjects(r rendered, opts Options) []approval.Subject {
	var out []approval.Subject
	add := func(of rendered) {
		for _, o := range of.objects {
			if o.Kind != "Secret" && !skipped(o) {
				out = append(out, approval.SubjectOf(o.Tree()))
			}
		}
	}
	add(r)
	for _, name := range p.agreesWith(r.entry.Name) {
		if other := p.layerOf(name); other != nil && other.managed() {
			add(p.render(p.spelledOut(other, r.layer), opts, new(source.Diagnostics)))
		}
	}
	return out
}

// spelledOut returns a layer with all values that must agree with those of a reviewed one. The review is also about a
// field that both leave to their charts, and one that Argo CD ignores: these are what others can change for long.
func (p *loaded) spelledOut(other, reviewed *layer) *layer {
	out, written := *other, *other.Layer
	out.Layer = &written // of the copy, not of the layer that is rendered
	out.IgnoreFields = nil
	for _, a := range table().Agree {
		mine, its := a.To, a.From
		if a.From.Chart == reviewed.entry.Name {
			mine, its = a.From, a.To
		}
		of := mine.Chart == reviewed.entry.Name && its.Chart == other.entry.Name
		if !of || a.As != "" || out.Values.Get(its.keys()...).IsSet() {
			continue
		}
		if value := reviewed.effective(&agreement{From: mine, If: a.ifOf(reviewed)}); value != nil {
			out.Values = source.Merge(nest(its.keys(), value), orEmpty(out.Values))
		}
	}
	return &out
}

// ifOf returns the condition of an agreement, if it is about a value of the layer.
func (a *agreement) ifOf(l *layer) string {
	if a.From.Chart == l.entry.Name {
		return a.If
	}
	return ""
}

// agreesWith returns the charts that have a value in common with a chart, and whose object has it in the cluster.
func (p *loaded) agreesWith(chart string) []string {
	var out []string
	for _, a := range table().Agree {
		other := ""
		switch chart {
		case a.From.Chart:
			other = a.To.Chart
		case a.To.Chart:
			other = a.From.Chart
		}
		if other != "" && !slices.Contains(out, other) {
			out = append(out, other)
		}
	}
	return out
}

// withReview returns the objects of a layer, with the Job that compares its approval before each sync.
func (p *loaded) withReview(r rendered) ([]manifest.Object, error) {
	if r.review == nil {
		return r.objects, nil
	}
	hooks, err := reviewJob(cmp.Or(p.Metadata.Name, "platform")+"-"+r.name+"-review", p.Target.Image, r.review)
	return append(hooks, r.objects...), err
}
