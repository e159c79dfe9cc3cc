package layers

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// projectWave is the sync wave of the AppProject, before those of all Applications.
const projectWave = -100

// syncOptions are the sync options of every layer's Application. With server-side
// apply, operators can own fields of the same objects. An object of a kind that is not
// served yet waits for it.
var syncOptions = []string{
	"ServerSideApply=true", "SkipDryRunOnMissingResource=true", "ApplyOutOfSyncOnly=true", "FailOnSharedResource=true",
}

// RenderApps renders the app-of-apps of the platform at path: an AppProject, and an
// Application in its wave for each managed layer. It also renders all layers, so that
// an error in one is reported before Argo CD sees any. The result must only be used if
// there are no errors.
func RenderApps(path string, opts Options) ([]manifest.Object, *source.Diagnostics) {
	var diags source.Diagnostics
	p := load(path, &diags)
	if p == nil {
		return nil, &diags
	}
	p.checkSources(&diags)
	layers := p.renderAll(opts, &diags)
	if diags.HasErrors() {
		return nil, &diags
	}
	all := []any{p.project(layers)}
	for _, r := range layers {
		all = append(all, p.application(r))
	}
	objects, err := newObjects(all)
	if err != nil {
		diags.Errorf(source.Pos{File: path}, rule.Encode, "", "the Applications cannot be written: %v", err)
	}
	return objects, &diags
}

// checkSources checks that the repositories that the Applications need are set.
func (p *loaded) checkSources(diags *source.Diagnostics) {
	needs := map[string]bool{}
	for i := range p.layers {
		if l := &p.layers[i]; l.managed() {
			needs[l.Render] = true
		}
	}
	if p.Source.RepoURL == "" && (needs[""] || needs["vmrender"]) {
		diags.Errorf(p.root.Pos(), rule.MissingKey, "source.repoURL",
			"missing; expected the URL of the repository that holds this file, for the Applications")
	}
	if p.Charts.RepoURL == "" && needs["helm"] {
		diags.Errorf(p.root.Pos(), rule.MissingKey, "charts.repoURL",
			"missing; expected the URL of the repository that holds the charts, for `render: helm`")
	}
}

func (p *loaded) openShift() bool { return !p.Target.OpenShift.No }

func (p *loaded) meta(name string, wave int) argocd.ObjectMeta {
	return argocd.ObjectMeta{
		Name:      name,
		Namespace: cmp.Or(p.ArgoCDNamespace, argocd.Namespace(p.openShift())),
		Labels: map[string]string{
			"app.kubernetes.io/managed-by": "vmrender", "app.kubernetes.io/part-of": p.Metadata.Name,
		},
		Annotations: map[string]string{argocd.SyncWaveAnnotation: strconv.Itoa(wave)},
	}
}

func (p *loaded) destination(namespace string) argocd.ApplicationDestination {
	d := argocd.ApplicationDestination{Name: p.Destination.Name, Server: p.Destination.Server, Namespace: namespace}
	if d.Name == "" && d.Server == "" {
		d.Server = argocd.OwnCluster
	}
	return d
}

// project returns the AppProject, which limits the layers to their repositories and
// their cluster. It allows all kinds, because Argo CD must still be allowed to prune a
// kind that a layer no longer renders.
func (p *loaded) project(layers []rendered) argocd.AppProject {
	repos := map[string]bool{}
	for _, r := range layers {
		repos[p.source(r).RepoURL] = true
	}
	all := []argocd.GroupKind{{Group: "*", Kind: "*"}}
	return argocd.NewAppProject(p.meta(p.Metadata.Name, projectWave), argocd.AppProjectSpec{
		Description:                "The layers beneath virtual machines",
		SourceRepos:                slices.Sorted(maps.Keys(repos)),
		Destinations:               []argocd.ApplicationDestination{p.destination("*")},
		ClusterResourceWhitelist:   all,
		NamespaceResourceWhitelist: all,
	})
}

// application returns the Application of a layer. It has no finalizer: if a layer is
// removed from the platform, or becomes unmanaged, its Application is deleted and its
// objects stay.
func (p *loaded) application(r rendered) argocd.Application {
	meta := p.meta(p.Metadata.Name+"-"+r.name, r.wave())
	meta.Annotations[labels.Impact] = r.entry.Impact
	meta.Annotations[argocd.CompareOptionsAnnotation] = "ServerSideDiff=true"
	if r.Action == "Ignore" {
		meta.Annotations[argocd.SkipReconcileAnnotation] = "true"
	}
	return argocd.NewApplication(meta, argocd.ApplicationSpec{
		Project:           p.Metadata.Name,
		Source:            p.source(r),
		Destination:       p.destination(r.namespace),
		SyncPolicy:        r.syncPolicy(),
		IgnoreDifferences: r.ignoreDifferences(),
	})
}

func (p *loaded) source(r rendered) argocd.ApplicationSource {
	if r.Render == "helm" {
		s := argocd.ApplicationSource{
			RepoURL:        p.Charts.RepoURL,
			Path:           join(cmp.Or(p.Charts.Path, "charts"), r.entry.Name),
			TargetRevision: cmp.Or(p.Charts.TargetRevision, "HEAD"),
			Helm:           &argocd.ApplicationSourceHelm{ReleaseName: r.name},
		}
		if r.Values != nil {
			s.Helm.ValuesObject = source.AppendJSON(nil, r.Values)
		}
		return s
	}
	return argocd.ApplicationSource{
		RepoURL:        p.Source.RepoURL,
		Path:           cmp.Or(p.Source.Path, "."),
		TargetRevision: cmp.Or(p.Source.TargetRevision, "HEAD"),
		Plugin: &argocd.ApplicationSourcePlugin{
			Name:       argocd.PluginName,
			Parameters: []argocd.ApplicationSourcePluginParameter{{Name: "layer", String: &r.name}},
		},
	}
}

func join(dir, name string) string { return strings.TrimSuffix(dir, "/") + "/" + name }

// syncPolicy returns the sync policy for the layer's action. Operators need time to
// start and to serve their kinds, so the retries last for about half an hour.
func (r rendered) syncPolicy() *argocd.SyncPolicy {
	p := &argocd.SyncPolicy{
		SyncOptions: slices.Concat(syncOptions, r.entry.Options),
		Retry: &argocd.RetryStrategy{
			Limit:   10,
			Backoff: &argocd.Backoff{Duration: "10s", Factor: new(int64(2)), MaxDuration: "5m"},
		},
	}
	if r.Action == "" || r.Action == "Apply" {
		p.Automated = &argocd.SyncPolicyAutomated{Prune: true, SelfHeal: true}
	}
	if len(r.ignored) > 0 {
		p.SyncOptions = append(p.SyncOptions, "RespectIgnoreDifferences=true")
	}
	return p
}

func (r rendered) ignoreDifferences() []argocd.ResourceIgnoreDifferences {
	out := slices.Clone(r.entry.Ignore)
	for _, o := range r.ignored {
		out = append(out, argocd.ResourceIgnoreDifferences{
			Group: o.Group(), Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, JSONPointers: o.pointers,
		})
	}
	return out
}
