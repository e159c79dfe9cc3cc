package argocd

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Order says what to make an Application, or an ApplicationSet, of: a directory
// of a fleet. Paths are from the repository's root, with slashes, "." for the
// root itself.
type Order struct {
	Name      string // of the Application or ApplicationSet
	Namespace string // that it lives in: Argo CD's own
	Fleet     string // name of the fleet, for a label
	Project   string

	RepoURL  string
	Revision string
	Path     string
	// Inputs are files outside of Path on which its manifests depend.
	Inputs      []string
	Parameters  []ApplicationSourcePluginParameter
	Destination ApplicationDestination

	IgnoreDifferences []ResourceIgnoreDifferences
	// RespectIgnored leaves the ignored fields alone when syncing, too; it is safe
	// for fields that do not lie in lists.
	RespectIgnored bool
	// ServerSideDiff compares with what the API server would make of the manifests,
	// so that defaults of webhooks are no difference. It is stable from Argo CD v3.1 on.
	ServerSideDiff bool
	// RetryNewest tries again with the newest commit, which Argo CD can from v3.2 on.
	RetryNewest bool
}

// The labels of the Applications.
const (
	fleetLabel     = "vmrender.io/fleet"     // name of the fleet
	directoryLabel = "vmrender.io/directory" // of those that an ApplicationSet makes: their directory beneath its path
)

// App is the Application for all of the order's directory.
func (o Order) App() App {
	return NewApp(ObjectMeta{
		Name:        o.Name,
		Namespace:   o.Namespace,
		Labels:      o.labels(),
		Annotations: o.annotations(generatePaths(outside(o.Path, o.Inputs))),
	}, o.spec())
}

func (o Order) labels() map[string]string { return map[string]string{fleetLabel: o.Fleet} }

func (o Order) annotations(generatePaths string) map[string]string {
	annotations := map[string]string{GeneratePathsAnnotation: generatePaths}
	if o.ServerSideDiff {
		annotations[CompareOptionsAnnotation] = "ServerSideDiff=true"
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

// outside leaves out the files that lie beneath a directory.
func outside(dir string, files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(file string) bool { return dir == "." || strings.HasPrefix(file, dir+"/") })
}

func (o Order) spec() ApplicationSpec {
	return ApplicationSpec{
		Project: o.Project,
		Source: ApplicationSource{
			RepoURL:        o.RepoURL,
			Path:           o.Path,
			TargetRevision: o.Revision,
			Plugin:         &ApplicationSourcePlugin{Name: PluginName, Parameters: o.Parameters},
		},
		Destination:       o.Destination,
		SyncPolicy:        o.syncPolicy(),
		IgnoreDifferences: o.IgnoreDifferences,
	}
}

// syncPolicy syncs by itself, in the way that is safe for machines. An
// Application that would lose all of its objects is still left alone, because
// allowEmpty is not set.
func (o Order) syncPolicy() *SyncPolicy {
	factor := int64(2)
	return &SyncPolicy{
		Automated:   &SyncPolicyAutomated{Prune: true, SelfHeal: true},
		SyncOptions: o.syncOptions(),
		Retry: &RetryStrategy{
			Limit:   5,
			Backoff: &Backoff{Duration: "10s", Factor: &factor, MaxDuration: "3m"},
			Refresh: o.RetryNewest,
		},
	}
}

// syncOptions are those of argo-cd v3.2, docs/user-guide/sync-options.md.
func (o Order) syncOptions() []string {
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
	if o.Destination.Namespace != "" {
		options = append(options, "CreateNamespace=true")
	}
	if o.RespectIgnored {
		options = append(options, "RespectIgnoreDifferences=true")
	}
	return options
}

// AppName makes the name of the Application for a directory of a fleet, given
// by its path beneath the fleet's root, "." for the root: in lower case, with a
// dash for whatever a name cannot hold. Two directories may have one name, and a
// name may be one that [IsAppName] refuses.
func AppName(fleet, dir string) string {
	if dir == "." {
		return fleet
	}
	return fleet + "-" + normalize(strings.ReplaceAll(dir, "/", "-"))
}

var notInName = regexp.MustCompile(`[^-a-z0-9.]`)

// normalize is the function of that name in an ApplicationSet's templates
// (SanitizeName in argo-cd v3.2, applicationset/utils/template_functions.go).
func normalize(name string) string {
	name = notInName.ReplaceAllString(strings.ToLower(name), "-")
	return strings.Trim(name[:min(len(name), 253)], "-.")
}

var appName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

// maxAppName is the length of a label's value, which an Application's name is
// where Argo CD tracks its objects by label.
const maxAppName = 63

// IsAppName tells the names that an Application can have.
func IsAppName(name string) bool { return len(name) <= maxAppName && appName.MatchString(name) }

// segments are the names in a path.
func segments(dir string) []string {
	return slices.DeleteFunc(strings.Split(path.Clean(dir), "/"), func(name string) bool { return name == "." })
}
