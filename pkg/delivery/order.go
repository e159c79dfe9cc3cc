package delivery

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/versions"
)

// order specifies an Application, or an ApplicationSet, for a directory of a fleet.
// Paths are from the repository's root, with slashes, "." for the root itself.
type order struct {
	name      string // of the Application or ApplicationSet
	namespace string // of the object
	argocd    string // namespace of Argo CD
	fleet     string // name of the fleet, for a label
	project   string

	repoURL  string
	revision string
	path     string
	// inputs are files outside path that its manifests depend on.
	inputs      []string
	parameters  []argocd.ApplicationSourcePluginParameter
	isSelection bool // only selected VMs are rendered
	destination argocd.ApplicationDestination

	ignoreDifferences []argocd.ResourceIgnoreDifferences
	// respectIgnored also leaves the ignored fields alone during a sync. That is safe
	// for fields that are not in lists.
	respectIgnored bool
	// onlyOutOfSync leaves out of a sync what has not changed, as the fleet requests.
	onlyOutOfSync bool
	// retryNewest retries with the newest commit, which Argo CD 3.2 and later support.
	retryNewest bool
	isManual    bool   // people sync
	planURL     string // of the page with the plans; empty for no link
	// generatePaths limits what makes Argo CD render again to the files above.
	generatePaths bool
	// isTenant is true if a project limits the Application to namespaces that it does
	// not create itself.
	isTenant bool
}

// order returns the order for the plan. dirs are the directories that are rendered,
// each alone.
func (p *Plan) order(dirs []string, found *findings) order {
	ignored, err := ignoredDifferences(p.ignored())
	found.add(err)
	home := cmp.Or(p.options.ArgoCDNamespace, argocd.Namespace(p.fleet.Header.Target.OnOpenShift()))
	o := order{
		fleet:             p.fleet.Header.Metadata.Name,
		namespace:         cmp.Or(p.options.AppNamespace, home),
		argocd:            home,
		project:           p.options.Project,
		revision:          p.options.Revision,
		destination:       p.options.destination(),
		ignoreDifferences: ignored,
		respectIgnored:    len(p.ignored()) > 0,
		generatePaths:     p.options.GeneratePaths,
		planURL:           p.options.PlanURL,
		isManual:          p.options.ManualSync,
		isTenant:          p.options.WithProject,
		onlyOutOfSync:     p.fleet.Header.Target.ApplyOutOfSyncOnly,
		retryNewest:       !versions.Before(p.fleet.Header.Target.ArgoCD, "3.2"),
	}
	o.repoURL = p.repoURL(found)
	o.path = found.text(p.repo.path(p.dir))
	overlays := found.list(p.repo.paths(p.options.Fleet.Overlays))
	o.parameters = parameters(p.options.Fleet, overlays)
	o.inputs = found.list(p.inputs(dirs))
	o.isSelection = len(p.options.Fleet.VMs) > 0
	o.name = found.text(p.name(o.path, overlays))
	return o
}

func (o *Options) destination() argocd.ApplicationDestination {
	d := argocd.ApplicationDestination{Server: o.Server, Name: o.Cluster, Namespace: o.Fleet.Namespace}
	if o.Server+o.Cluster == "" {
		d.Server = argocd.OwnCluster
	}
	return d
}

// repoURL returns the URL set by --repo, or that of the remote "origin", without
// credentials.
func (p *Plan) repoURL(found *findings) string {
	given := p.options.Repo
	if given == "" {
		given = found.text(p.repo.origin())
	}
	if given == "" {
		return ""
	}
	public, secret, err := argocd.PublicURL(given)
	if secret {
		found.notef(
			"the credentials in the repository's URL are left out; Argo CD keeps its own, in a Secret for the repository")
	}
	if err != nil {
		found.add(fmt.Errorf("the repository's URL: %w; give --repo", err))
	}
	return public
}

// parameters returns the parameters that the Application passes to the plugin. overlays
// are paths from the repository's root.
func parameters(opts fleet.Options, overlays []string) []argocd.ApplicationSourcePluginParameter {
	all := []argocd.ApplicationSourcePluginParameter{
		{Name: "vm", Array: opts.VMs},
		{Name: "overlay", Array: absolute(overlays)},
		{Name: "defaults", Map: pairs(opts.Defaults)},
		{Name: "vars", Map: pairs(opts.Set)},
	}
	return slices.DeleteFunc(all, func(p argocd.ApplicationSourcePluginParameter) bool {
		return len(p.Array)+len(p.Map) == 0
	})
}

// inputs returns the files outside the directories that these depend on, by their paths
// from the repository's root.
func (p *Plan) inputs(dirs []string) ([]string, error) {
	files := slices.Clone(p.options.Fleet.Overlays)
	for _, dir := range dirs {
		more, err := p.fleet.Inputs(dir)
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	paths, err := p.repo.paths(files)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(paths, func(path string) bool { return strings.Contains(path, ";") }); i >= 0 {
		return nil, fmt.Errorf("%s: a semicolon in a path, which separates paths in the annotation %s; rename it",
			files[i], argocd.GeneratePathsAnnotation)
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}
