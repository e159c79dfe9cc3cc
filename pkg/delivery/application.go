package delivery

import (
	"path"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
)

// application returns the Application for all of the order's directory.
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
	annotations := map[string]string{argocd.GeneratePathsAnnotation: generatePaths}
	if o.serverSideDiff {
		annotations[argocd.CompareOptionsAnnotation] = "ServerSideDiff=true"
	}
	return annotations
}

// generatePaths is the annotation for a directory and files outside of it.
func generatePaths(files []string) string {
	return strings.Join(append([]string{"."}, absolute(files)...), ";")
}

// absolute writes paths from the repository's root as the annotation wants them.
func absolute(files []string) []string {
	paths := make([]string, len(files))
	for i, file := range files {
		paths[i] = "/" + file
	}
	return paths
}

// outside leaves out the files that lie below a directory.
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

// syncPolicy syncs by itself, in the way that is safe for machines. An
// Application that would lose all of its objects is still left alone, because
// allowEmpty is not set.
func (o order) syncPolicy() *argocd.SyncPolicy {
	factor := int64(2)
	return &argocd.SyncPolicy{
		Automated:   &argocd.SyncPolicyAutomated{Prune: true, SelfHeal: true},
		SyncOptions: o.syncOptions(),
		Retry: &argocd.RetryStrategy{
			Limit:   5,
			Backoff: &argocd.Backoff{Duration: "10s", Factor: &factor, MaxDuration: "3m"},
			Refresh: o.retryNewest,
		},
	}
}

// syncOptions are those of argo-cd v3.2, docs/user-guide/sync-options.md.
func (o order) syncOptions() []string {
	options := []string{
		// What has not changed is not applied: the cost of a sync is that of the
		// change, and a VM with Force=true,Replace=true is not recreated for nothing.
		"ApplyOutOfSyncOnly=true",
		// Two Applications that render the same VM must not take turns with it.
		"FailOnSharedResource=true",
		// What is gone from Git goes last, when all the rest is healthy.
		"PruneLast=true",
		// No annotation with a copy of the manifest, whose limit a large cloud-init
		// exceeds, and fields that KubeVirt owns stay.
		"ServerSideApply=true",
	}
	if o.destination.Namespace != "" {
		options = append(options, "CreateNamespace=true")
	}
	if o.respectIgnored {
		options = append(options, "RespectIgnoreDifferences=true")
	}
	return options
}

// segments are the names in a path.
func segments(dir string) []string {
	return slices.DeleteFunc(strings.Split(path.Clean(dir), "/"), func(name string) bool { return name == "." })
}
