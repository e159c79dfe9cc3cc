package layers

import (
	"cmp"
	"maps"
	"path/filepath"
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
// served yet waits for it. ApplyOutOfSyncOnly is not one of them: a sync that is retried
// would skip what is applied and Degraded, such as a canary, and go on with the next wave
// (gitops-engine of Argo CD 3.2, pkg/sync/sync_context.go, filterOutOfSyncTasks).
var syncOptions = []string{"ServerSideApply=true", "SkipDryRunOnMissingResource=true", "FailOnSharedResource=true"}

// appOfApps renders the app-of-apps of the platform at path: an AppProject, and an
// Application in its wave for each managed layer. It also renders all layers, so that
// an error in one is reported before Argo CD sees any. The result must only be used if
// there are no errors.
func appOfApps(path string, opts Options) ([]manifest.Object, *source.Diagnostics) {
	tree, diags := renderApps(path, opts)
	return tree.apps, diags
}

// appTree is an app-of-apps with what its Applications sync.
type appTree struct {
	apps      []manifest.Object
	layers    []rendered
	held      map[string]bool // the names of layers that are held back
	unmanaged []rendered      // what others manage, as far as it can be rendered
}

// renderApps renders the app-of-apps and its layers.
func renderApps(path string, opts Options) (appTree, *source.Diagnostics) {
	var diags source.Diagnostics
	p := load(path, opts, &diags)
	if p == nil {
		return appTree{}, &diags
	}
	p.checkSources(&diags)
	tree := appTree{layers: p.renderAll(opts, &diags)}
	if diags.HasErrors() {
		return appTree{}, &diags
	}
	tree.held, tree.unmanaged = p.held(tree.layers, opts), p.unmanaged(opts)
	all := []any{p.project(tree.layers)}
	for _, r := range tree.layers {
		all = append(all, p.application(r, tree.held[r.name]))
	}
	var err error
	if tree.apps, err = newObjects(all); err != nil {
		diags.Errorf(source.Pos{File: path}, rule.Encode, "", "the Applications cannot be written: %v", err)
	}
	return tree, &diags
}

// checkSources checks that the repositories that the Applications need are set.
func (p *loaded) checkSources(diags *source.Diagnostics) {
	var here, charts bool
	for i := range p.layers {
		l := &p.layers[i]
		here = here || l.managed() && (!l.byArgoCD() || l.dir != "")
		charts = charts || l.managed() && l.Render == "helm" && l.dir == "" && !l.remote
	}
	if p.Source.RepoURL == "" && here {
		diags.Errorf(p.root.Pos(), rule.MissingKey, "source.repoURL",
			"missing; expected the URL of the repository that holds this file, for the Applications")
	}
	if p.Charts.RepoURL == "" && charts {
		diags.Errorf(p.root.Pos(), rule.MissingKey, "charts.repoURL",
			"missing; expected the URL of the repository that holds the charts, for `render: helm`")
	}
}

func (p *loaded) openShift() bool { return !p.Target.OpenShift.Absent }

func (p *loaded) meta(name string, wave int) argocd.ObjectMeta {
	return argocd.ObjectMeta{
		Name:      name,
		Namespace: cmp.Or(p.ArgoCDNamespace, argocd.Namespace(p.openShift())),
		Labels: map[string]string{
			labels.ManagedBy: labels.Manager, "app.kubernetes.io/part-of": p.Metadata.Name,
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
		Description:                "The layers below virtual machines",
		SourceRepos:                slices.Sorted(maps.Keys(repos)),
		Destinations:               []argocd.ApplicationDestination{p.destination("*")},
		ClusterResourceWhitelist:   all,
		NamespaceResourceWhitelist: all,
	})
}

// application returns the Application of a layer. It has no finalizer: if a layer is
// removed from the platform, or becomes unmanaged, its Application is deleted and its
// objects stay.
func (p *loaded) application(r rendered, held bool) argocd.Application {
	wave := r.wave()
	if held {
		wave += heldWaves
	}
	meta := p.meta(p.Metadata.Name+"-"+r.name, wave)
	if impact := r.impact(); impact != "" {
		meta.Annotations[labels.Impact] = impact
	}
	meta.Annotations[argocd.CompareOptionsAnnotation] = "ServerSideDiff=true"
	if r.goesOn() {
		meta.Annotations[labels.OnFailure] = goOn
	}
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

// impact returns the most that a change of the layer can do: that of the table, or of
// the objects that report it, or "" if none does.
func (r rendered) impact() string {
	most := r.entry.Impact
	for _, o := range r.objects {
		if impact := annotationsOf(o)[labels.Impact]; r.entry.Name == "" && rank(impact) > rank(most) {
			most = impact
		}
	}
	return most
}

// rank returns the position of an impact in their order.
func rank(impact string) int { return slices.Index([]string{"low", "medium", "high"}, impact) }

func (p *loaded) source(r rendered) argocd.ApplicationSource {
	if r.byArgoCD() {
		return p.helmSource(r)
	}
	return argocd.ApplicationSource{
		RepoURL:        p.Source.RepoURL,
		Path:           cmp.Or(p.Source.Path, "."),
		TargetRevision: cmp.Or(p.Source.TargetRevision, "HEAD"),
		Plugin: &argocd.ApplicationSourcePlugin{
			Name:       argocd.PluginName,
			Parameters: append([]argocd.ApplicationSourcePluginParameter{{Name: "layer", String: &r.name}}, p.parameters()...),
		},
	}
}

// parameters returns the parameters with which the plugin renders a layer from the same
// values as this app-of-apps: overlays, relative to the platform's directory, and vars.
func (p *loaded) parameters() []argocd.ApplicationSourcePluginParameter {
	var out []argocd.ApplicationSourcePluginParameter
	if len(p.options.Overlays) > 0 {
		overlays := make([]string, 0, len(p.options.Overlays))
		for _, file := range p.options.Overlays {
			if rel, err := filepath.Rel(p.dir, file); err == nil {
				file = filepath.ToSlash(rel)
			}
			overlays = append(overlays, file)
		}
		out = append(out, argocd.ApplicationSourcePluginParameter{Name: "overlay", Array: overlays})
	}
	if len(p.options.Set) > 0 {
		set := map[string]string{}
		for _, pair := range p.options.Set {
			key, value, _ := strings.Cut(pair, "=")
			set[key] = value
		}
		out = append(out, argocd.ApplicationSourcePluginParameter{Name: "vars", Map: set})
	}
	return out
}

func join(dir, name string) string { return strings.TrimSuffix(dir, "/") + "/" + name }

// syncPolicy returns the sync policy for the layer's action. What a layer needs may take
// any time, such as a user who syncs another layer, so a sync is retried until it
// succeeds, each time with the newest commit.
func (r rendered) syncPolicy() *argocd.SyncPolicy {
	p := &argocd.SyncPolicy{
		SyncOptions: slices.Concat(syncOptions, r.entry.Options, r.SyncOptions),
		Retry: &argocd.RetryStrategy{
			Limit:   -1,
			Refresh: true,
			Backoff: &argocd.Backoff{Duration: "10s", Factor: new(int64(2)), MaxDuration: "5m"},
		},
	}
	if r.automated() {
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
