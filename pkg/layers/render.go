package layers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// renderLayer renders one layer of the platform at path: the objects of its chart, with
// the patches applied and without the ignored fields. It reports every problem it
// finds; the objects must only be used if there are no errors.
func renderLayer(path, name string, opts Options) ([]manifest.Object, *source.Diagnostics) {
	var diags source.Diagnostics
	p := load(path, opts, &diags)
	if p == nil {
		return nil, &diags
	}
	i := slices.IndexFunc(p.layers, func(l layer) bool { return l.name == name })
	if i < 0 {
		if !diags.HasErrors() {
			diags.Errorf(source.Pos{File: path}, rule.UnknownLayer, "layers",
				"no layer of the name %q; %s", name, suggest.DidYouMean(name, p.layerNames()))
		}
		return nil, &diags
	}
	l := &p.layers[i]
	l.reportRemote(&diags)
	p.reviewAll(opts, new(source.Diagnostics))
	r := p.render(l, opts, &diags)
	p.checkNeeds(r, opts, &diags)
	objects, err := p.withReview(r)
	if err != nil {
		diags.Errorf(l.key, rule.Encode, l.path, "the Job for `approve` cannot be written: %v", err)
	}
	return objects, &diags
}

// reportRemote reports that a layer cannot be rendered here, because its chart is
// elsewhere.
func (l *layer) reportRemote(diags *source.Diagnostics) {
	if !l.remote {
		return
	}
	from := l.Chart.Name + " --repo " + l.Chart.RepoURL
	if strings.HasPrefix(l.Chart.RepoURL, "oci://") {
		from = l.Chart.RepoURL + "/" + l.Chart.Name
	}
	diags.Errorf(l.key, rule.Remote, l.path, "Argo CD's own Helm renders this chart; "+
		"`helm template %s --version %s` shows it, and a copy in a directory of this repository is rendered here",
		from, l.Chart.Version)
}

func (p *loaded) layerNames() []string {
	names := make([]string, 0, len(p.layers))
	for _, l := range p.layers {
		names = append(names, l.name)
	}
	return names
}

// rendered is a layer with its objects.
type rendered struct {
	*layer
	namespace string // of objects that do not set one
	objects   []manifest.Object
	ignored   []ignored
}

func (p *loaded) render(l *layer, opts Options, diags *source.Diagnostics) rendered {
	r := rendered{layer: l}
	r.namespace = l.Namespace
	var found source.Diagnostics
	defer diags.Merge(&found)
	if l.node.Get("objects").IsSet() {
		r.objects = p.ownObjects(l, &found)
	} else if !l.remote {
		p.renderChart(&r, opts, &found)
	}
	if found.HasErrors() || l.remote {
		return r
	}
	if err := p.expect(l, r.objects, opts); err != nil {
		l.reportRefusal(err, &found)
		return r
	}
	l.patch(r.objects, &found)
	r.ignored = l.dropIgnored(r.objects, &found)
	r.objects = l.leave(r.objects, &found)
	return r
}

// renderChart renders the objects of a layer with a chart.
func (p *loaded) renderChart(r *rendered, opts Options, diags *source.Diagnostics) {
	l := r.layer
	open, render := func() (*chart, error) { return openChart(l.entry.Name) }, (*chart).render
	if l.dir != "" {
		open, render = func() (*chart, error) { return p.openDir(l.dir) }, (*chart).renderOwn
	}
	c, err := open()
	if err != nil {
		diags.Errorf(l.key, rule.Chart, l.path, "%v", err)
		return
	}
	r.namespace = c.namespace(l)
	if l.checkValues(c, diags); diags.HasErrors() {
		return
	}
	caps, err := p.capabilities(opts)
	if err == nil {
		r.objects, err = render(c, l, caps)
	}
	if err != nil {
		l.reportRefusal(err, diags)
	}
}

// capabilities returns what charts can query about the cluster.
func (p *loaded) capabilities(opts Options) (*chartutil.Capabilities, error) {
	caps := chartutil.DefaultCapabilities.Copy()
	version := cmp.Or(opts.KubeVersion, p.Target.Kubernetes, p.Target.OpenShift.Kubernetes())
	if version != "" {
		parsed, err := chartutil.ParseKubeVersion(version)
		if err != nil {
			return nil, fmt.Errorf("kubernetes version %q: %w", version, err)
		}
		caps.KubeVersion = *parsed
	}
	caps.APIVersions = append(slices.Clone(p.Target.APIVersions), opts.APIVersions...)
	return caps, nil
}

// failed matches the error that Helm's engine returns for `fail "path: problem"` in a
// chart.
var failed = lazyregexp.New(`^execution error at \([^)]*\): (?:([A-Za-z][-\w]*(?:\.[-\w]+)*): )?(.*)$`)

// reportRefusal reports what a chart itself rejects, at the value that the chart names.
func (l *layer) reportRefusal(err error, diags *source.Diagnostics) {
	m := failed().FindStringSubmatch(err.Error())
	if m == nil {
		diags.Errorf(l.key, rule.Chart, l.path, "%v", err)
		return
	}
	var keys []string
	if m[1] != "" {
		keys = strings.Split(m[1], ".")
	}
	at, path := l.locate(l.Values, keys)
	diags.Errorf(at, rule.Values, path, "%s", m[2])
}
