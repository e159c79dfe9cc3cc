package layers

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// onOpenShift is the key of the table of what OpenShift serves by itself.
const onOpenShift = "openshift"

// need is a kind that the cluster must serve before a layer can be applied.
type need struct{ group, kind string }

func (n need) String() string { return n.group + "/" + n.kind }

// in reports whether a list of kinds (GROUP/KIND, or GROUP) includes the kind.
func (n need) in(kinds []string) bool {
	return slices.Contains(kinds, n.group) || slices.Contains(kinds, n.String())
}

// needsOf returns the kinds of objects that Kubernetes does not serve by itself, sorted.
func needsOf(objects []manifest.Object) []need {
	found := map[need]bool{}
	for _, o := range objects {
		if n := (need{o.Group(), o.Kind}); !isKubernetes(n.group) {
			found[n] = true
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b need) int { return strings.Compare(a.String(), b.String()) })
}

// kinds returns the kinds that a layer needs, sorted: those of its objects, and of its `needs`.
func (r rendered) kinds() []need {
	out := needsOf(r.objects)
	for _, n := range references(r.Needs) {
		if n.layer == "" && n.kind.kind != "" && !isKubernetes(n.kind.group) && !slices.Contains(out, n.kind) {
			out = append(out, n.kind)
		}
	}
	slices.SortFunc(out, func(a, b need) int { return strings.Compare(a.String(), b.String()) })
	return out
}

// isKubernetes reports whether an API group is one of Kubernetes' own: those have no
// domain, or one below k8s.io. Snapshots and networks are definitions of other projects.
func isKubernetes(group string) bool {
	return !strings.Contains(group, ".") ||
		strings.HasSuffix(group, ".k8s.io") && !strings.HasSuffix(group, ".storage.k8s.io") || group == "storage.k8s.io"
}

// checkNeeds checks that each kind of a layer's objects is served when the layer is
// applied: by the cluster, by an earlier layer, or by the layer itself.
func (p *loaded) checkNeeds(r rendered, opts Options, diags *source.Diagnostics) {
	needs := slices.DeleteFunc(r.kinds(), func(n need) bool { return p.isServed(n, opts) })
	for _, n := range needs {
		switch from := p.provider(n, r, opts); {
		case from == r.name:
		case from != "" && opts.APIVersions != nil:
			diags.Warnf(r.key, rule.Prerequisite, r.path,
				"the cluster does not serve %s yet; the layer %q provides it", n, from)
		case from == "" && p.unseen(r) != "":
			if opts.APIVersions != nil {
				diags.Warnf(r.key, rule.Prerequisite, r.path, "the cluster does not serve %s yet; "+
					"perhaps the layer %q provides it, which is not rendered here", n, p.unseen(r))
			}
		case from == "":
			p.reportMissing(n, r, opts, diags)
		}
	}
}

// isServed reports whether the cluster serves a kind without any layer. If its APIs are
// not known, it serves what comes with its platform.
func (p *loaded) isServed(n need, opts Options) bool {
	if serves(slices.Concat(opts.APIVersions, p.Target.APIVersions), n) {
		return true
	}
	return opts.APIVersions == nil && p.openShift() && slices.Contains(table().Native[onOpenShift], n.group)
}

// serves reports whether a list of APIs (group/version or group/version/Kind) includes a
// kind. A list that names no kind of the group includes all of them.
func serves(versions []string, n need) bool {
	var group, kinds, found bool
	for _, v := range versions {
		parts := strings.Split(v, "/")
		if parts[0] != n.group || len(parts) < 2 {
			continue
		}
		group = true
		kinds = kinds || len(parts) == 3
		found = found || len(parts) == 3 && parts[2] == n.kind
	}
	return found || group && !kinds
}

// provider returns the name of the layer that provides a kind, in the wave of r or an
// earlier one, or "" if there is none. That may be r itself.
func (p *loaded) provider(n need, r rendered, opts Options) string {
	for i := range p.layers {
		other := &p.layers[i]
		if other.name != r.name && other.wave() > r.wave() {
			continue
		}
		if other.hasAlready(object{need: n}) {
			return other.name
		}
		for _, provided := range other.entry.Provides {
			if n.in(provided.Kinds) && p.brings(other, provided, r, opts) {
				return other.name
			}
		}
		if other.entry.Name == "" && p.defines(n, other, r, opts) {
			return other.name
		}
	}
	return ""
}

// brings reports whether a layer really provides what its chart can provide. What others
// manage is expected to be complete.
func (p *loaded) brings(l *layer, provided Provided, r rendered, opts Options) bool {
	if provided.Package == "" && provided.Object == "" || !l.managed() {
		return true
	}
	objects := r.objects
	if l.name != r.name {
		objects = p.rendered(l, opts).objects
	}
	return slices.ContainsFunc(objects, func(o manifest.Object) bool {
		if provided.Object != "" {
			return need{o.Group(), o.Kind}.String() == provided.Object
		}
		return o.Kind == "Subscription" && packageOf(o) == provided.Package
	})
}

// defines reports whether a layer that is not in the table defines a kind.
func (p *loaded) defines(n need, l *layer, r rendered, opts Options) bool {
	if l.remote || !l.managed() {
		return false
	}
	objects := r.objects
	if l.name != r.name {
		objects = p.rendered(l, opts).objects
	}
	return slices.ContainsFunc(objects, func(o manifest.Object) bool {
		return o.Kind == "CustomResourceDefinition" && defined(o) == n
	})
}

// unseen returns the name of a layer, in the wave of r or an earlier one, of which it is
// not known what it provides, or "" if there is none.
func (p *loaded) unseen(r rendered) string {
	for i := range p.layers {
		l := &p.layers[i]
		if l.name != r.name && l.wave() <= r.wave() && (l.remote || l.entry.Name == "" && !l.managed()) {
			return l.name
		}
	}
	return ""
}

// defined returns the kind that a CustomResourceDefinition defines.
func defined(o manifest.Object) need {
	var definition struct {
		Spec struct {
			Group string `json:"group"`
			Names struct {
				Kind string `json:"kind"`
			} `json:"names"`
		} `json:"spec"`
	}
	if json.Unmarshal(o.JSON, &definition) != nil {
		return need{}
	}
	return need{definition.Spec.Group, definition.Spec.Names.Kind}
}

// rendered renders a layer once, for what it provides to others. Its problems are reported
// where it is rendered for its own sake.
func (p *loaded) rendered(l *layer, opts Options) rendered {
	r, ok := p.others[l.name]
	if !ok {
		p.others[l.name] = rendered{layer: l} // for layers that ask each other
		r = p.render(l, opts, new(source.Diagnostics))
		p.others[l.name] = r
	}
	return r
}

// packageOf returns the name of the operator's package that a Subscription names.
func packageOf(o manifest.Object) string {
	var subscription struct {
		Spec struct {
			Name string `json:"name"`
		} `json:"spec"`
	}
	if json.Unmarshal(o.JSON, &subscription) != nil {
		return ""
	}
	return subscription.Spec.Name
}

// reportMissing reports a kind that nothing provides. What the platform itself could have provided is an error of its
// file. In a cluster whose APIs are known, it is a warning: the layer waits there until the kind is served, and an
// error would take the other layers with it, perhaps that which is about to serve the kind.
func (p *loaded) reportMissing(n need, r rendered, opts Options, diags *source.Diagnostics) {
	here, elsewhere := p.couldBring(n, r, opts)
	switch {
	case opts.APIVersions != nil:
		diags.Warnf(r.key, rule.Prerequisite, r.path, "the cluster does not serve %s, and no layer of the platform "+
			"provides it, so this layer waits; %s", n, cmp.Or(here, elsewhere))
	case here != "":
		diags.Errorf(r.key, rule.Prerequisite, r.path, "nothing provides %s before this layer; %s, "+
			"or list it under `target.apiVersions` if the cluster serves it", n, here)
	case strings.HasSuffix(n.group, ".openshift.io") && !p.openShift():
		diags.Errorf(r.key, rule.Prerequisite, r.path, "%s exists on OpenShift only, and `target.openshift` is false; "+
			"remove what needs it, or list it under `target.apiVersions` if the cluster serves it", n)
	case !p.isKnown(n):
		diags.Warnf(r.key, rule.Prerequisite, r.path, "no layer of the platform is known to provide %s, "+
			"and this layer waits for it; %s", n, elsewhere)
	}
}

// isKnown reports whether a kind is one of OpenShift, or of an operator that a platform can leave to others.
func (p *loaded) isKnown(n need) bool {
	return strings.HasSuffix(n.group, ".openshift.io") || slices.ContainsFunc(Entries(), func(e Entry) bool {
		return slices.ContainsFunc(e.Provides, func(provided Provided) bool { return n.in(provided.Kinds) })
	})
}

// couldBring returns how a layer of the platform could provide a kind, or "" if none
// could, and which charts could.
func (p *loaded) couldBring(n need, r rendered, opts Options) (here, charts string) {
	var names []string
	for _, e := range Entries() {
		for _, provided := range e.Provides {
			if !n.in(provided.Kinds) {
				continue
			}
			names = append(names, e.Name)
			if provided.Object != "" && opts.APIVersions == nil {
				continue // the layer is told that something else creates the object
			}
			if i := slices.IndexFunc(p.layers, func(l layer) bool { return l.entry.Name == e.Name }); i >= 0 && here == "" {
				here = p.howToBring(&p.layers[i], provided, r, opts)
			}
		}
	}
	if names == nil {
		return "", "list it under `provides` of the layer that brings it, " +
			"or under `target.apiVersions` if the cluster serves it"
	}
	return here, "expected a layer of the chart " + strings.Join(slices.Compact(names), " or ")
}

func (p *loaded) howToBring(l *layer, provided Provided, r rendered, opts Options) string {
	switch {
	case p.brings(l, provided, r, opts):
		return "move the layer " + l.name + " to an earlier wave"
	case provided.Package != "":
		return "enable the operator of package " + provided.Package + " in the layer " + l.name
	}
	return "create " + provided.Object + " in the layer " + l.name
}
