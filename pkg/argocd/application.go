// Package argocd holds the kinds of Argo CD's API, with the fields that this
// product writes, the names of its annotations, and the forms of names and URLs
// that it accepts. Which Applications there are is decided elsewhere.
//
// Names and forms are those of argo-cd v3.2, pkg/apis/application/v1alpha1. The
// kinds are structs of our own because that module brings 132 others along and
// cannot share a version of Kubernetes with current Helm.
package argocd

import "encoding/json"

// APIVersion is the group and version of all of Argo CD's kinds.
const APIVersion = "argoproj.io/v1alpha1"

// PluginName is metadata.name of this product's plugin.yaml, by which
// Applications ask for the plugin.
const PluginName = "vmrender"

// OwnCluster is the URL of the cluster that Argo CD itself runs on, as Argo CD
// names it.
const OwnCluster = "https://kubernetes.default.svc"

// Namespace returns the namespace in which Argo CD is usually installed: on
// OpenShift, that of the OpenShift GitOps operator.
func Namespace(openShift bool) string {
	if openShift {
		return "openshift-gitops"
	}
	return "argocd"
}

// ObjectMeta is the part of Kubernetes' object metadata that Argo CD's kinds need.
type ObjectMeta struct {
	Name        string            `json:"name,omitempty"`
	Namespace   string            `json:"namespace,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Finalizers  []string          `json:"finalizers,omitempty"`
}

// Application is what is synced from where to where, and how.
type Application struct {
	APIVersion string          `json:"apiVersion"` // [APIVersion]
	Kind       string          `json:"kind"`       // "Application"
	Metadata   ObjectMeta      `json:"metadata"`
	Spec       ApplicationSpec `json:"spec"`
}

// ApplicationSpec is the specification of an Application, and of those that an
// ApplicationSet makes.
type ApplicationSpec struct {
	Project           string                      `json:"project"`
	Source            ApplicationSource           `json:"source"`
	Destination       ApplicationDestination      `json:"destination"`
	SyncPolicy        *SyncPolicy                 `json:"syncPolicy,omitempty"`
	IgnoreDifferences []ResourceIgnoreDifferences `json:"ignoreDifferences,omitempty"`
}

// ApplicationSource is a directory of a Git repository, and the plugin that
// makes manifests of it.
type ApplicationSource struct {
	RepoURL        string                   `json:"repoURL"`
	Path           string                   `json:"path,omitempty"` // from the repository's root, with slashes; "." is the root
	TargetRevision string                   `json:"targetRevision,omitempty"`
	Plugin         *ApplicationSourcePlugin `json:"plugin,omitempty"`
	Helm           *ApplicationSourceHelm   `json:"helm,omitempty"`
}

// ApplicationSourceHelm is what Argo CD's own Helm renders a chart with.
type ApplicationSourceHelm struct {
	ReleaseName  string          `json:"releaseName,omitempty"`
	ValuesObject json.RawMessage `json:"valuesObject,omitempty"` // a map
}

// ApplicationSourcePlugin names a config management plugin and gives it parameters.
type ApplicationSourcePlugin struct {
	Name       string                             `json:"name,omitempty"`
	Parameters []ApplicationSourcePluginParameter `json:"parameters,omitempty"`
}

// ApplicationSourcePluginParameter is a parameter with its value in the field of
// its collection type.
type ApplicationSourcePluginParameter struct {
	Name   string            `json:"name"`
	String *string           `json:"string,omitempty"`
	Array  []string          `json:"array,omitempty"`
	Map    map[string]string `json:"map,omitempty"`
}

// ApplicationDestination is a cluster, by Server or by Name, and the namespace
// of objects that have none.
type ApplicationDestination struct {
	Server    string `json:"server,omitempty"` // URL of the API server
	Name      string `json:"name,omitempty"`   // of the cluster in Argo CD
	Namespace string `json:"namespace,omitempty"`
}

// SyncPolicy is when and how an Application is synced.
type SyncPolicy struct {
	Automated   *SyncPolicyAutomated `json:"automated,omitempty"` // nil: a person syncs
	SyncOptions []string             `json:"syncOptions,omitempty"`
	Retry       *RetryStrategy       `json:"retry,omitempty"`
}

// SyncPolicyAutomated is what happens without a person.
type SyncPolicyAutomated struct {
	Prune    bool `json:"prune,omitempty"`    // delete what is no longer in Git
	SelfHeal bool `json:"selfHeal,omitempty"` // undo changes of live objects
}

// RetryStrategy is how often a failed sync is tried again.
type RetryStrategy struct {
	Limit   int64    `json:"limit"`
	Backoff *Backoff `json:"backoff,omitempty"`
	// Refresh tries the newest commit instead of the one that failed. Argo CD knows
	// it from v3.2 on; older versions ignore it.
	Refresh bool `json:"refresh,omitempty"`
}

// Backoff is the time between two tries; durations are such as "10s".
type Backoff struct {
	Duration    string `json:"duration,omitempty"`
	Factor      *int64 `json:"factor,omitempty"`
	MaxDuration string `json:"maxDuration,omitempty"`
}

// ResourceIgnoreDifferences are fields of a kind in which live objects may
// differ from Git.
type ResourceIgnoreDifferences struct {
	Group                 string   `json:"group,omitempty"`
	Kind                  string   `json:"kind"`
	Name                  string   `json:"name,omitempty"`
	Namespace             string   `json:"namespace,omitempty"`
	JSONPointers          []string `json:"jsonPointers,omitempty"`
	JQPathExpressions     []string `json:"jqPathExpressions,omitempty"`
	ManagedFieldsManagers []string `json:"managedFieldsManagers,omitempty"`
}

// AppProject bounds what the Applications of a project may sync from where to where.
type AppProject struct {
	APIVersion string         `json:"apiVersion"` // [APIVersion]
	Kind       string         `json:"kind"`       // "AppProject"
	Metadata   ObjectMeta     `json:"metadata"`
	Spec       AppProjectSpec `json:"spec"`
}

// AppProjectSpec is the specification of an AppProject. What is not listed is
// not allowed, but kinds with a namespace, all of which are where none is listed.
type AppProjectSpec struct {
	Description                string                   `json:"description,omitempty"`
	SourceRepos                []string                 `json:"sourceRepos,omitempty"`
	Destinations               []ApplicationDestination `json:"destinations,omitempty"`
	ClusterResourceWhitelist   []GroupKind              `json:"clusterResourceWhitelist,omitempty"`
	NamespaceResourceWhitelist []GroupKind              `json:"namespaceResourceWhitelist,omitempty"`
}

// GroupKind names a kind; "*" stands for all.
type GroupKind struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
}

// NewApplication returns an Application with its header.
func NewApplication(meta ObjectMeta, spec ApplicationSpec) Application {
	return Application{APIVersion: APIVersion, Kind: "Application", Metadata: meta, Spec: spec}
}

// NewAppProject returns an AppProject with its header.
func NewAppProject(meta ObjectMeta, spec AppProjectSpec) AppProject {
	return AppProject{APIVersion: APIVersion, Kind: "AppProject", Metadata: meta, Spec: spec}
}
