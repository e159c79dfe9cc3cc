package delivery

import (
	"path"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
)

// application returns the Application for the order's whole directory.
func (o order) application() argocd.Application {
	return argocd.NewApplication(argocd.ObjectMeta{
		Name:        o.name,
		Namespace:   o.namespace,
		Labels:      o.labels(),
		Annotations: o.annotations(generatePaths(outside(o.path, o.inputs))),
	}, o.spec())
}

func (o order) labels() map[string]string { return map[string]string{labels.Fleet: o.fleet} }

func (o order) annotations(generatePaths string) map[string]string {
	out := map[string]string{}
	if o.generatePaths {
		out[argocd.GeneratePathsAnnotation] = generatePaths
	}
	if o.planURL != "" {
		out[argocd.PlanLinkAnnotation] = "Plans|" + o.planURL
	}
	return out
}

// generatePaths returns the annotation for a directory and files outside it.
func generatePaths(files []string) string {
	return strings.Join(append([]string{"."}, absolute(files)...), ";")
}

// absolute returns paths from the repository's root in the form of the annotation.
func absolute(files []string) []string {
	paths := make([]string, len(files))
	for i, file := range files {
		paths[i] = "/" + file
	}
	return paths
}

// outside returns the files that are not below a directory.
func outside(dir string, files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		return dir == "." || strings.HasPrefix(file, dir+"/")
	})
}

func (o order) spec() argocd.ApplicationSpec {
	return argocd.ApplicationSpec{
		Project: o.project,
		Source: argocd.ApplicationSource{
			RepoURL:        o.repoURL,
			Path:           o.path,
			TargetRevision: o.revision,
			Plugin:         &argocd.ApplicationSourcePlugin{Name: argocd.PluginName, Parameters: o.parameters},
		},
		Destination:       o.destination,
		SyncPolicy:        o.syncPolicy(),
		IgnoreDifferences: o.ignoreDifferences,
	}
}

// syncPolicy returns a policy that syncs automatically, in a way that is safe for VMs, unless
// people sync.
// Argo CD still does not sync an Application that would lose all its objects, because
// allowEmpty is not set. One that renders selected VMs deletes nothing by itself, so
// that a change of the selection, or a name that another Application had, deletes none
// of the other VMs.
func (o order) syncPolicy() *argocd.SyncPolicy {
	var automated *argocd.SyncPolicyAutomated
	if !o.isManual {
		automated = &argocd.SyncPolicyAutomated{Prune: !o.isSelection, SelfHeal: true}
	}
	return &argocd.SyncPolicy{
		Automated:   automated,
		SyncOptions: o.syncOptions(),
		Retry:       o.retry(),
	}
}

// retry returns how often a failed sync is retried: for about five minutes, which a restart of a webhook or of the API
// server takes. A commit that fixes what failed, or changes something else, is synced with the next retry, or
// before Argo CD 3.2 after the last one.
func (o order) retry() *argocd.RetryStrategy {
	factor := int64(2)
	if o.retryNewest {
		backoff := argocd.Backoff{Duration: "5s", Factor: &factor, MaxDuration: "30s"}
		return &argocd.RetryStrategy{Limit: 12, Backoff: &backoff, Refresh: true}
	}
	return &argocd.RetryStrategy{Limit: 5, Backoff: &argocd.Backoff{Duration: "10s", Factor: &factor, MaxDuration: "3m"}}
}

// syncOptions returns sync options (argo-cd v3.2, docs/user-guide/sync-options.md).
func (o order) syncOptions() []string {
	options := []string{
		// Two Applications that render the same VM must not overwrite each other.
		"FailOnSharedResource=true",
		// No annotation contains a copy of the manifest, because a large cloud-init
		// exceeds the limit of annotations, and fields that KubeVirt owns stay.
		"ServerSideApply=true",
	}
	// A VM with Force=true,Replace=true is not recreated needlessly. But a sync that is retried
	// takes what is applied for done, even if it is Degraded, and continues with the next wave and to
	// what it prunes (gitops-engine, pkg/sync/sync_context.go, filterOutOfSyncTasks).
	if o.onlyOutOfSync {
		options = append(options, "ApplyOutOfSyncOnly=true")
	}
	// With CreateNamespace, a project that does not allow Namespaces refuses the whole
	// sync if the namespace is missing (gitops-engine, pkg/sync/sync_context.go, getSyncTasks).
	if o.destination.Namespace != "" && !o.isTenant {
		options = append(options, "CreateNamespace=true")
	}
	if o.respectIgnored {
		options = append(options, "RespectIgnoreDifferences=true")
	}
	return options
}

// segments returns the names in a path.
func segments(dir string) []string {
	return slices.DeleteFunc(strings.Split(path.Clean(dir), "/"), func(name string) bool { return name == "." })
}
