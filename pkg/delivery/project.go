package delivery

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/argocd"
)

// Project returns the AppProject that allows what the Applications of the plan need:
// their repository, the namespaces of their VMs on their clusters, and the given kinds,
// which they consist of. It allows no cluster-wide objects. It also returns notes for
// the user.
func (p *Plan) Project(kinds []argocd.GroupKind) (project argocd.AppProject, notes []string, err error) {
	if p.repo, err = findRepository(p.dir); err != nil {
		return project, nil, err
	}
	found := new(findings)
	o := p.order([]string{p.dir}, found)
	if len(p.options.Clusters) > 0 {
		o.destination.Server, o.destination.Name = "", "*"
		found.notef("the project %q allows every cluster, because labels select them; "+
			"list the names under its destinations to restrict it", o.project)
	}
	found.notef("the project %q allows no Namespaces; those of the VMs must exist", o.project)
	project = o.appProject(p.namespaces(), kinds)
	project.Spec.SyncWindows = p.windows(o, found)
	return project, found.notes, found.err()
}

// namespaces returns the namespaces of the plan's VMs, sorted.
func (p *Plan) namespaces() []string {
	all := make([]string, 0, len(p.fleet.Machines))
	for _, m := range p.fleet.Machines {
		all = append(all, m.Namespace)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (o order) appProject(namespaces []string, kinds []argocd.GroupKind) argocd.AppProject {
	spec := argocd.AppProjectSpec{
		Description:                "The fleet " + o.fleet,
		SourceRepos:                []string{o.repoURL},
		NamespaceResourceWhitelist: kinds,
	}
	for _, namespace := range namespaces {
		to := o.destination
		to.Namespace = namespace
		spec.Destinations = append(spec.Destinations, to)
	}
	if o.namespace != o.argocd {
		spec.SourceNamespaces = []string{o.namespace}
	}
	return argocd.NewAppProject(argocd.ObjectMeta{Name: o.project, Namespace: o.argocd, Labels: o.labels()}, spec)
}
