package layers

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// ChartSource is the chart of a layer. A name is short for `{name: NAME}`.
type ChartSource struct {
	// Name of a chart of vmrender, directory of a chart in the repository, relative to this file, such as
	// `./charts/mine`, or name of a chart under `repoURL`.
	Name string `json:"name"`
	// URL of the Helm repository (`https://…`) or OCI registry (`oci://…`) of the chart, which Argo CD's own Helm
	// renders.
	RepoURL string `json:"repoURL,omitempty"`
	// Version of the chart under `repoURL`, such as `1.16.2`.
	Version string `json:"version,omitempty"`
}

// DecodeNode reads a name or the long form.
func (c *ChartSource) DecodeNode(n *source.Node, path source.Path, diags *source.Diagnostics) {
	if n.Kind == source.String {
		c.Name = n.Text
		return
	}
	source.DecodeFields(n, c, path, diags)
}

// remote reports whether the chart comes from a repository of charts.
func (c *ChartSource) remote() bool { return c.RepoURL != "" || c.Version != "" }

// isDir reports whether the name is a directory.
func (c *ChartSource) isDir() bool {
	return strings.HasPrefix(c.Name, "./") || strings.HasPrefix(c.Name, "../")
}

// OwnWave returns the wave of layers that are not in the table: after all that are.
func OwnWave() int {
	last := 0
	for _, e := range Entries() {
		last = max(last, e.Wave)
	}
	return last + 1
}

// resolve finds what the layer's objects come from: a list of objects, a directory, a
// repository of charts, or one of the charts that are built in. It reports whether there
// is one.
func (p *loaded) resolve(l *layer, diags *source.Diagnostics) bool {
	l.entry.Wave = OwnWave()
	given := l.node.Get("chart")
	switch {
	case l.node.Get("objects").IsSet():
		return l.checkObjects(diags)
	case l.Chart.remote():
		l.remote = true
		return l.checkRemote(diags)
	case l.Chart.isDir():
		at := given
		if given.Kind == source.Map {
			at = given.Get("name")
		}
		dir, ok := p.doc.Locate(at, l.path+".chart", diags)
		l.dir = dir
		if _, err := os.Stat(dir); ok && errors.Is(err, fs.ErrNotExist) {
			diags.Errorf(at.Pos(), rule.Unreadable, l.path+".chart",
				"there is no directory %q; expected a chart in the repository, relative to this file", at.Text)
			return false
		}
		return ok
	}
	name, at, path := l.name, l.key, l.path
	if l.Chart.Name != "" {
		name, at, path = l.Chart.Name, given.Pos(), l.path+".chart"
	}
	entry, known := find(name)
	if !known {
		diags.Errorf(at, rule.UnknownLayer, path, "unknown chart %q; %s", name, hint(name))
	}
	l.entry = entry
	return known
}

// hint returns what could be written in place of an unknown chart.
func hint(name string) string {
	if strings.Contains(name, "/") {
		return "a directory is written with a leading ./ or ../"
	}
	return suggest.DidYouMean(name, chartNames())
}

// checkObjects rejects what does not go with a list of objects.
func (l *layer) checkObjects(diags *source.Diagnostics) bool {
	for _, key := range []string{"chart", "values", "render"} {
		if f := l.node.Field(key); f != nil && f.Value.IsSet() {
			diags.Errorf(f.Pos(), rule.Conflict, l.path+"."+key,
				"does not go with `objects`, which are a layer of their own; remove one of them")
		}
	}
	if _, known := find(l.name); known {
		diags.Errorf(l.key, rule.Conflict, l.path,
			"is the name of a chart, to which `objects` adds nothing; expected a name of its own for the layer")
	}
	return true
}

// exactVersion matches one version of a chart, which a range would not pin.
var exactVersion = lazyregexp.New(`^v?\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$`)

// ociForm matches what follows the scheme of an OCI registry.
var ociForm = lazyregexp.New(`^[\w.-]+(:\d+)?(/[\w.-]+)*$`)

// checkRemote checks where a chart comes from.
func (l *layer) checkRemote(diags *source.Diagnostics) bool {
	at, path := l.node.Get("chart"), l.path+".chart"
	for _, want := range []struct{ key, value, meaning string }{
		{"name", l.Chart.Name, "the name of the chart in the repository"},
		{"repoURL", l.Chart.RepoURL, "the URL of the repository, or `name` alone"},
		{"version", l.Chart.Version, "one version of the chart, such as \"1.16.2\""},
	} {
		if want.value == "" {
			diags.Errorf(at.Pos(), rule.MissingKey, path+"."+want.key, "missing; expected %s", want.meaning)
		}
	}
	if l.Chart.Version != "" && !exactVersion().MatchString(l.Chart.Version) {
		diags.Errorf(at.Get("version").Pos(), rule.BadVersion, path+".version",
			"%q is not one version; expected one such as \"1.16.2\", so that the same commit always gives the same objects",
			l.Chart.Version)
	}
	if url := l.Chart.RepoURL; url != "" && !isChartRepository(url) {
		diags.Errorf(at.Get("repoURL").Pos(), rule.BadValue, path+".repoURL",
			"not the URL of a repository of charts, or one with credentials, which belong into Argo CD's Secret for it; "+
				"expected https://… or oci://…")
	}
	if l.Render == "vmrender" {
		diags.Errorf(l.node.Get("render").Pos(), rule.Conflict, l.path+".render",
			"a chart of a repository is rendered by Argo CD's own Helm; remove it, or copy the chart into a directory")
	}
	return true
}

func isChartRepository(url string) bool {
	if registry, ok := strings.CutPrefix(url, "oci://"); ok {
		return ociForm().MatchString(registry)
	}
	return strings.HasPrefix(url, "https://") && isPublicURL(url)
}

// byArgoCD reports whether Argo CD's own Helm renders the layer.
func (l *layer) byArgoCD() bool { return l.remote || l.Render == "helm" }

// helmSource returns the source of an Application that Argo CD's own Helm renders. For a
// chart in an OCI registry, Argo CD expects the URL without its scheme (argo-cd v3.2,
// util/helm/client.go, IsHelmOciRepo). The chart is rendered for the target, from which checks before a merge are made.
func (p *loaded) helmSource(r rendered) argocd.ApplicationSource {
	s := argocd.ApplicationSource{Helm: &argocd.ApplicationSourceHelm{
		ReleaseName: r.name, KubeVersion: cmp.Or(p.Target.Kubernetes, p.Target.OpenShift.Kubernetes()),
	}}
	switch {
	case r.remote:
		s.RepoURL, s.Chart = strings.TrimPrefix(r.Chart.RepoURL, "oci://"), r.Chart.Name
		s.TargetRevision = r.Chart.Version
	case r.dir != "":
		rel, err := filepath.Rel(p.dir, r.dir)
		if err != nil {
			rel = r.dir
		}
		s.RepoURL, s.Path = p.Source.RepoURL, filepath.ToSlash(filepath.Join(p.Source.Path, rel))
		s.TargetRevision = cmp.Or(p.Source.TargetRevision, "HEAD")
	default:
		s.RepoURL, s.Path = p.Charts.RepoURL, join(cmp.Or(p.Charts.Path, "charts"), r.entry.Name)
		s.TargetRevision = cmp.Or(p.Charts.TargetRevision, "HEAD")
	}
	if r.Values != nil {
		s.Helm.ValuesObject = source.AppendJSON(nil, r.Values)
	}
	return s
}
