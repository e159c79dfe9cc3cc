package layers

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/platform"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// FileName is the name of a platform's file.
const FileName = "platform.yaml"

// loaded is a platform with the positions of its parts.
type loaded struct {
	Platform
	dir     string // of the file
	doc     *platform.Document
	root    *source.Node
	options Options
	layers  []layer             // those with a known chart, by wave and name
	others  map[string]rendered // layers that were rendered for what they provide to others
	agreed  map[string][]string // by layer, the layers whose values it gets and that may wait
}

// layer is one layer with the table entry of its chart.
type layer struct {
	*Layer
	entry Entry
	name  string
	path  string // such as "layers.network"
	key   source.Pos
	node  *source.Node // as written

	// Where the objects come from, if not from a chart in the table.
	dir    string // of a chart in the repository
	remote bool   // whether a repository of charts has it

	// waits is true if the layer needs something of a layer that waits for a user, and does so, too.
	waits bool

	review     *approval.Layer // with `approve`, once it is rendered
	unapproved bool            // whether the approval is not of what the layer renders
}

// itemAt returns the position of an item of one of the layer's lists.
func (l *layer) itemAt(key string, i int) source.Pos { return l.node.Get(key).Items[i].Pos() }

// wave returns the sync wave of the layer in the app-of-apps.
func (l *layer) wave() int {
	if l.Wave != nil {
		return *l.Wave
	}
	return l.entry.Wave
}

func (l *layer) managed() bool { return l.Mode != "unmanaged" }

// automated reports whether the layer is applied without a user.
func (l *layer) automated() bool {
	return l.managed() && (l.Action == "" || l.Action == "Apply") && !l.waits && !l.unapproved
}

// load reads a platform's file and checks everything that can be checked without the
// charts.
func load(path string, o Options, diags *source.Diagnostics) *loaded {
	doc := platform.Read(path, o.Options, diags)
	if doc == nil {
		return nil
	}
	p := &loaded{
		dir: filepath.Dir(path), doc: doc, root: doc.Tree, options: o,
		others: map[string]rendered{}, agreed: map[string][]string{},
	}
	source.Decode(p.root, &p.Platform, "", diags)
	p.checkHeader(diags)
	if !IsVersion(p.Target.Kubernetes) {
		p.Target.Kubernetes = "" // already reported
	}
	p.collect(diags)
	for i := range p.layers {
		p.checkReferences(&p.layers[i], diags)
		p.checkApproval(&p.layers[i], diags)
	}
	p.followKubeVirt(diags)
	p.agree(diags)
	return p
}

// collect finds what the objects of every layer come from.
func (p *loaded) collect(diags *source.Diagnostics) {
	layers := p.root.Get("layers")
	for name, written := range p.Layers {
		if written == nil {
			written = new(Layer)
		}
		l := layer{
			Layer: written, name: name, path: source.JoinPath("layers", name),
			key: layers.Field(name).Pos(), node: layers.Get(name),
		}
		if !p.resolve(&l, diags) {
			continue
		}
		l.checkRender(diags)
		if l.Namespace != "" && !argocd.IsNamespace(l.Namespace) {
			diags.Errorf(l.node.Get("namespace").Pos(), rule.BadName, l.path+".namespace", namespaceRule, l.Namespace)
		}
		l.checkRequired(diags)
		if app := p.Metadata.Name + "-" + name; argocd.IsApplicationName(p.Metadata.Name) && !argocd.IsApplicationName(app) {
			diags.Errorf(l.key, rule.BadName, l.path,
				"makes the name %q, which an Application cannot have; expected %s", app, nameRule)
		}
		p.layers = append(p.layers, l)
	}
	slices.SortFunc(p.layers, func(a, b layer) int {
		if d := a.wave() - b.wave(); d != 0 {
			return d
		}
		return strings.Compare(a.name, b.name)
	})
}

// checkRequired checks that the required keys of a job template are set.
func (l *layer) checkRequired(diags *source.Diagnostics) {
	if l.Automation == nil {
		return
	}
	for _, want := range []struct{ key, value, meaning string }{
		{"template", l.Automation.Template, "the name of the job template"},
		{"secret", l.Automation.Secret, "the name of the Secret with host and token of the Ansible Automation Platform"},
	} {
		if want.value == "" {
			diags.Errorf(l.node.Get("automation").Pos(), rule.MissingKey, l.path+".automation."+want.key,
				"missing; expected %s", want.meaning)
		}
	}
}

// checkRender rejects keys that Argo CD's own Helm would silently ignore.
func (l *layer) checkRender(diags *source.Diagnostics) {
	if !l.byArgoCD() {
		return
	}
	instead := "remove it, or `render: helm`" + platform.Origin(l.node.Get("render"), l.node)
	if l.remote {
		instead = "remove it, or copy the chart into a directory"
	}
	for _, key := range []string{"patches", "ignoreFields", "unmanaged", "approve"} {
		if f := l.node.Field(key); f != nil && (len(f.Value.Items) > 0 || f.Value.Text != "") {
			diags.Errorf(f.Pos(), rule.Conflict, l.path+"."+key,
				"Argo CD's own Helm does not know it; %s", instead)
		}
	}
}
