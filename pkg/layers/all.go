package layers

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// renderAll renders the managed layers.
func (p *loaded) renderAll(opts Options, diags *source.Diagnostics) []rendered {
	p.reviewAll(opts, diags)
	var out []rendered
	for i := range p.layers {
		if l := &p.layers[i]; l.managed() {
			out = append(out, p.render(l, opts, diags))
		}
	}
	for _, r := range out {
		p.checkNeeds(r, opts, diags)
	}
	p.markWaiting(out, diags)
	checkExcluded(out, diags)
	checkMigrationNetworks(out, diags)
	p.checkCatalogs(out, diags)
	checkShared(out, diags)
	p.checkFailures(out, opts, diags)
	return out
}

// unmanaged renders the layers that others manage: what they have in the cluster is what the chart would render, as
// far as one can tell. Problems of these charts are not reported.
func (p *loaded) unmanaged(opts Options) []rendered {
	var out []rendered
	for i := range p.layers {
		if l := &p.layers[i]; !l.managed() {
			out = append(out, p.rendered(l, opts))
		}
	}
	return out
}

// checkShared reports objects that two layers render: each sync would overwrite what
// the other has set, and with FailOnSharedResource it fails. Argo CD identifies objects
// by their group, not by its version.
func checkShared(layers []rendered, diags *source.Diagnostics) {
	type identity struct{ group, kind, namespace, name string }
	first := map[identity]string{}
	for _, r := range layers {
		if r.Action == "Ignore" {
			continue
		}
		for _, o := range r.objects {
			id := identity{o.Group(), o.Kind, o.Namespace, o.Name}
			if other, shared := first[id]; shared && other != r.path {
				diags.Errorf(r.key, rule.SharedObject, r.path,
					"renders %s, as %s does; an object can belong to only one Application, "+
						"so remove it from one of the layers", o.ID, other)
				continue
			}
			first[id] = r.path
		}
	}
}

// checkExcluded reports layers of which a cluster can have only one.
func checkExcluded(layers []rendered, diags *source.Diagnostics) {
	for _, r := range layers {
		for _, other := range layers {
			if slices.Contains(r.entry.Excludes, other.entry.Name) {
				diags.Errorf(r.key, rule.Conflict, r.path, "the layer %q installs the same; remove one of them", other.name)
			}
		}
	}
}

// newObjects encodes API structs.
func newObjects(structs []any) ([]manifest.Object, error) {
	objects := make([]manifest.Object, 0, len(structs))
	for _, v := range structs {
		o, err := manifest.New(v)
		if err != nil {
			return nil, err
		}
		objects = append(objects, o)
	}
	return objects, nil
}
