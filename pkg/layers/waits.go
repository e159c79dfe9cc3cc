package layers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// object identifies an object that a layer needs: of a kind, by name, and by namespace unless any will do.
type object struct {
	need
	namespace, name string
}

func (o object) String() string {
	return strings.Join(slices.DeleteFunc([]string{o.group, o.kind, o.namespace, o.name}, func(s string) bool {
		return s == ""
	}), "/")
}

// is reports whether it is an object that is rendered.
func (o object) is(of manifest.Object) bool {
	return o.need == (need{of.Group(), of.Kind}) && o.name == of.Name && (o.namespace == "" || o.namespace == of.Namespace)
}

// reference is an item of `needs` or `provides`: a layer, a kind, or an object.
type reference struct {
	layer string
	kind  need // with an empty kind, all kinds of the group
	name  string
	in    string // namespace of the object, or ""
}

const referenceRule = "expected the name of a layer, GROUP/KIND, or GROUP/KIND/NAME with the namespace before the name"

// parseReference reads an item of `needs` or `provides`. The group of Kubernetes' oldest kinds is `core`.
func parseReference(text string) (reference, bool) {
	parts := strings.Split(text, "/")
	if slices.Contains(parts, "") || len(parts) > 4 {
		return reference{}, false
	}
	if len(parts) == 1 {
		if strings.Contains(text, ".") {
			return reference{kind: need{group: text}}, true
		}
		return reference{layer: text}, true
	}
	r := reference{kind: need{parts[0], parts[1]}}
	if parts[0] == "core" {
		r.kind.group = ""
	}
	if len(parts) > 2 {
		r.name = parts[len(parts)-1]
	}
	if len(parts) == 4 {
		r.in = parts[2]
	}
	return r, true
}

// references returns the items of `needs` or `provides` of a layer that can be read.
func references(items []string) []reference {
	var out []reference
	for _, item := range items {
		if r, ok := parseReference(item); ok {
			out = append(out, r)
		}
	}
	return out
}

// checkReferences reports items of `needs` and `provides` that cannot be read, and layers that do not exist.
func (p *loaded) checkReferences(l *layer, diags *source.Diagnostics) {
	for key, items := range map[string][]string{"needs": l.Needs, "provides": l.Provides} {
		for i, item := range items {
			at, path := l.itemAt(key, i), source.IndexPath(l.path+"."+key, i)
			switch r, ok := parseReference(item); {
			case !ok || r.layer != "" && key == "provides":
				diags.Errorf(at, rule.BadValue, path, "%q: %s", item, referenceRule)
			case r.layer == l.name:
				diags.Errorf(at, rule.Conflict, path, "a layer cannot need itself; remove it")
			case r.layer != "" && p.find(r.layer) == nil:
				diags.Errorf(at, rule.UnknownLayer, path, "no layer of the name %q; %s", r.layer,
					suggest.DidYouMean(r.layer, p.layerNames()))
			case r.layer != "" && p.find(r.layer).wave() > l.wave():
				diags.Errorf(at, rule.Prerequisite, path,
					"the layer %q comes later, in wave %d, and this one in wave %d; set `wave` of one of them",
					r.layer, p.find(r.layer).wave(), l.wave())
			}
		}
	}
}

// find returns the layer of a name, or nil.
func (p *loaded) find(name string) *layer {
	i := slices.IndexFunc(p.layers, func(l layer) bool { return l.name == name })
	if i < 0 {
		return nil
	}
	return &p.layers[i]
}

// objectsOf returns the objects of other layers that a layer needs: those of its `needs`, the networks for live
// migration, without which virt-handler does not start, and the catalogs of its Subscriptions.
func (r rendered) objectsOf() []object {
	var out []object
	for _, n := range references(r.Needs) {
		if n.name != "" {
			out = append(out, object{n.kind, n.in, n.name})
		}
	}
	for _, o := range r.objects {
		if network := migrationNetwork(o); network != "" {
			out = append(out, object{need{"k8s.cni.cncf.io", "NetworkAttachmentDefinition"}, o.Namespace, network})
		}
		if namespace, name := catalogOf(o); name != "" {
			out = append(out, object{need{"operators.coreos.com", "CatalogSource"}, namespace, name})
		}
	}
	return out
}

// catalogOf returns the catalog that a Subscription names, or "".
func catalogOf(o manifest.Object) (namespace, name string) {
	var s struct {
		Spec struct {
			Source          string `json:"source"`
			SourceNamespace string `json:"sourceNamespace"`
		} `json:"spec"`
	}
	if o.Kind != "Subscription" || json.Unmarshal(o.JSON, &s) != nil {
		return "", ""
	}
	return s.Spec.SourceNamespace, s.Spec.Source
}

// hasAlready reports whether a layer says under `provides` that an object, or all of its kind, is there.
func (l *layer) hasAlready(o object) bool {
	return slices.ContainsFunc(references(l.Provides), func(r reference) bool {
		isKind := r.kind == o.need || r.kind == need{group: o.group}
		return isKind && (r.name == "" || r.name == o.name && (r.in == "" || r.in == o.namespace))
	})
}

// pending reports whether others wait for what the layer brings: its objects are not applied before a user has acted.
func (l *layer) pending() bool { return l.managed() && !l.automated() }

// markWaiting finds the layers that wait for a user because they need what a layer brings that does: an object, or all
// of it. Nothing would keep Argo CD from applying them without that, as a kind that is not served does.
func (p *loaded) markWaiting(layers []rendered, diags *source.Diagnostics) {
	for range layers { // by wave, but layers of one wave can need each other
		changed := false
		for _, r := range layers {
			if !r.automated() {
				continue
			}
			if why := p.waitsFor(r, layers); why != "" {
				r.waits, changed = true, true
				diags.Warnf(r.key, rule.Prerequisite, r.path, "is not applied without a user, because %s", why)
			}
		}
		if !changed {
			return
		}
	}
}

// waitsFor returns what a layer needs of one that waits for a user, or "".
func (p *loaded) waitsFor(r rendered, layers []rendered) string {
	for _, n := range references(r.Needs) {
		if l := p.find(n.layer); l != nil && l.pending() {
			return fmt.Sprintf("it needs the layer %q, which is not either; apply that first, or remove it from `needs`", l.name)
		}
	}
	for _, o := range r.objectsOf() {
		for _, from := range layers {
			brings := from.name != r.name && slices.ContainsFunc(from.objects, o.is)
			if brings && from.pending() && !from.hasAlready(o) {
				return fmt.Sprintf("it needs %s of the layer %q, which is not either; apply that first, "+
					"or list the object under its `provides` if it is there", o, from.name)
			}
		}
	}
	for _, from := range p.agreed[r.name] {
		if !p.layer(from).shows() {
			continue
		}
		return fmt.Sprintf("it gets a value of the layer %q, which only shows what it would change; "+
			"to apply this layer before, set the value here as it is applied now", from)
	}
	return ""
}
