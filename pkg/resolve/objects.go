package resolve

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/kinds"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/template"
	"github.com/vmrender/vmrender/pkg/values"
)

// objects returns the further objects of the VM, in the order written.
func (d *draft) objects(m *machine.Machine) []machine.Object {
	entries := d.entry.Keys.Get("objects").Entries()
	if len(entries) == 0 {
		return nil
	}
	out, seen := make([]machine.Object, 0, len(entries)), map[string]bool{}
	if m.CloudInit != nil {
		seen["Secret "+m.CloudInit.SecretName] = true
	}
	for _, f := range entries {
		if !f.Value.IsSet() {
			continue
		}
		o, ok := d.object(&f)
		if !ok {
			continue
		}
		id := o.Kind() + " " + o.Name
		if seen[id] {
			d.errorf(f.Pos(), rule.Duplicate, "objects."+f.Key, "the VM has another %s already; set another `metadata.name`", id)
		}
		seen[id] = true
		out = append(out, o)
	}
	return out
}

func (d *draft) object(f *source.Field) (machine.Object, bool) {
	path := "objects." + f.Key
	if f.Value.Kind != source.Map {
		d.errorf(f.Value.Pos(), rule.WrongType, path, "expected a Kubernetes manifest, with `apiVersion` and `kind`")
		return machine.Object{}, false
	}
	if problem := values.NameProblem(f.Key); problem != "" {
		d.errorf(f.Pos(), rule.BadName, path, "%s", problem)
	}
	o := machine.Object{Key: f.Key, Manifest: d.expandNode(f.Value, "objects", f.Key)}
	o.Name = cmp.Or(o.Manifest.Get("metadata", "name").Str(), d.name+"-"+f.Key)
	for _, key := range []string{"apiVersion", "kind"} {
		if o.Manifest.Get(key).Str() == "" {
			d.errorf(f.Pos(), rule.MissingKey, path+"."+key, "missing %s; expected a Kubernetes manifest", key)
			return machine.Object{}, false
		}
	}
	d.checkPlace(&o, path)
	d.checkKind(&o, path)
	d.checkSecretObject(&o, path)
	return o, true
}

// checkPlace reports a name or namespace that the object cannot have.
func (d *draft) checkPlace(o *machine.Object, path string) {
	meta := o.Manifest.Get("metadata")
	if meta.IsSet() && meta.Kind != source.Map {
		d.errorf(meta.Pos(), rule.WrongType, path+".metadata", "expected a map")
		return
	}
	if n := meta.Get("generateName"); n.IsSet() {
		d.errorf(n.Pos(), rule.BadName, path+".metadata.generateName",
			"Argo CD would create another object in every sync; set `name`")
	}
	if n := meta.Get("namespace"); n.IsSet() && n.Text != d.namespace {
		d.errorf(n.Pos(), rule.Identity, path+".metadata.namespace",
			"%q is not the namespace of the VM, %q; remove it", n.Text, d.namespace)
	}
	n := meta.Get("name")
	if problem := values.ObjectNameProblem(o.Name); problem != "" && n.IsSet() {
		d.errorf(n.Pos(), rule.BadName, path+".metadata.name", "%s", problem)
	}
}

// checkKind reports a kind that cannot live and die with a VM, or that the fleet does not permit.
func (d *draft) checkKind(o *machine.Object, path string) {
	kind, at := o.Kind(), o.Manifest.Get("kind").Pos()
	row := kinds.Of(kinds.Split(kind))
	switch {
	case strings.HasSuffix(kind, "List"):
		// Argo CD applies the items (argo-cd v3.2.11, reposerver/repository/repository.go).
		d.errorf(at, rule.ObjectKind, path+".kind", "%q is a list; write each of its items under a name of its own", kind)
	case row.Instead != "":
		d.errorf(at, rule.ObjectKind, path+".kind", "%q has keys of its own; use %s", kind, row.Instead)
	case row.Cluster:
		d.errorf(at, rule.ObjectKind, path+".kind", "%q belongs to no namespace, and to no single VM; "+
			"use a layer of platform.yaml, or an Application of its own", kind)
	case row.Named && !slices.Contains(d.site.Policy.Objects, kind):
		d.errorf(at, rule.ObjectKind, path+".kind",
			"%q %s, which the fleet does not permit; set `policy: {objects: [%s]}` in fleet.yaml", kind, row.Does, kind)
	}
}

// checkSecretObject reports literal secrets.
func (d *draft) checkSecretObject(o *machine.Object, path string) {
	if o.Kind() != "Secret" {
		return
	}
	written := d.entry.Keys.Get("objects", o.Key)
	for _, key := range []string{"data", "stringData"} {
		for _, f := range written.Get(key).Entries() {
			if f.Value.IsScalar() && f.Value.Text != "" && !template.Is(f.Value.Text) {
				d.site.Policy.ReportSecret(f.Value.Pos(), d.entry.Path+"."+source.JoinPath(path+"."+key, f.Key),
					"a secret in clear text; prefer an object that fetches it, such as an ExternalSecret", d.diags)
			}
		}
	}
}
