// Package argocd contains the kinds of Argo CD's API, with the fields that vmrender
// sets, the names of its annotations, and the forms of names and URLs that it accepts.
// Other packages decide which Applications to create.
//
// Names and forms are those of argo-cd v3.2, pkg/apis/application/v1alpha1. The kinds
// are structs of our own because that module depends on 132 others and cannot use the
// same version of Kubernetes as current Helm.
package argocd

import (
	"cmp"
	"encoding/json"
)

// APIVersion is the group and version of all of Argo CD's kinds.
const APIVersion = "argoproj.io/v1alpha1"

// PluginName is metadata.name of vmrender's plugin.yaml, by which Applications refer to
// the plugin.
const PluginName = "vmrender"

// OwnCluster is the URL by which Argo CD refers to the cluster that it runs on.
const OwnCluster = "https://kubernetes.default.svc"

// Namespace returns the namespace in which Argo CD is usually installed: on
// OpenShift, that of the OpenShift GitOps operator.
func Namespace(openShift bool) string {
	if openShift {
		return "openshift-gitops"
	}
	return "argocd"
}

// ObjectMeta is the part of the Kubernetes object metadata that Argo CD's kinds need.
type ObjectMeta struct {
	Name        string            `json:"name,omitempty"`
	Namespace   string            `json:"namespace,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Finalizers  []string          `json:"finalizers,omitempty"`
}

// Application defines what is synced from where to where, and how.
type Application struct {
	APIVersion string          `json:"apiVersion"` // [APIVersion]
	Kind       string          `json:"kind"`       // "Application"
	Metadata   ObjectMeta      `json:"metadata"`
	Spec       ApplicationSpec `json:"spec"`
}

// ApplicationSpec is the specification of an Application, and of those that an
// ApplicationSet creates.
type ApplicationSpec struct {
	Project           string                      `json:"project"`
	Source            ApplicationSource           `json:"source"`
	Destination       ApplicationDestination      `json:"destination"`
	SyncPolicy        *SyncPolicy                 `json:"syncPolicy,omitempty"`
	IgnoreDifferences []ResourceIgnoreDifferences `json:"ignoreDifferences,omitempty"`
}

// ApplicationSource is a directory of a Git repository, and the plugin, or Helm, that
// renders it.
type ApplicationSource struct {
	RepoURL string `json:"repoURL"`
	// Path is from the repository's root, with slashes; "." is the root.
	Path string `json:"path,omitempty"`
	// Chart is the name of a chart, if the repository is one of charts.
	Chart          string                   `json:"chart,omitempty"`
	TargetRevision string                   `json:"targetRevision,omitempty"`
	Plugin         *ApplicationSourcePlugin `json:"plugin,omitempty"`
	Helm           *ApplicationSourceHelm   `json:"helm,omitempty"`
}

// ApplicationSourceHelm contains the settings for a chart that Argo CD's own Helm
// renders.
type ApplicationSourceHelm struct {
	ReleaseName string `json:"releaseName,omitempty"`
	// KubeVersion is the version of Kubernetes that the chart is rendered for, such as "1.33"; that of the cluster if it
	// is empty (argo-cd v3.2, pkg/apis/application/v1alpha1/types.go).
	KubeVersion  string          `json:"kubeVersion,omitempty"`
	ValuesObject json.RawMessage `json:"valuesObject,omitempty"` // a map
}

// ApplicationSourcePlugin selects a config management plugin and sets its parameters.
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

// SyncPolicy defines when and how an Application is synced.
type SyncPolicy struct {
	Automated   *SyncPolicyAutomated `json:"automated,omitempty"` // nil if users sync manually
	SyncOptions []string             `json:"syncOptions,omitempty"`
	Retry       *RetryStrategy       `json:"retry,omitempty"`
}

// SyncPolicyAutomated defines what automatic syncs do.
type SyncPolicyAutomated struct {
	Prune    bool `json:"prune,omitempty"`    // delete what is no longer in Git
	SelfHeal bool `json:"selfHeal,omitempty"` // undo changes of live objects
}

// RetryStrategy defines how often a failed sync is retried.
type RetryStrategy struct {
	Limit   int64    `json:"limit"`
	Backoff *Backoff `json:"backoff,omitempty"`
	// Refresh retries with the newest commit instead of the one that failed. Argo CD
	// 3.2 and later support it; older versions ignore it.
	Refresh bool `json:"refresh,omitempty"`
}

// Backoff is the time between two retries; durations have the form "10s".
type Backoff struct {
	Duration    string `json:"duration,omitempty"`
	Factor      *int64 `json:"factor,omitempty"`
	MaxDuration string `json:"maxDuration,omitempty"`
}

// ResourceIgnoreDifferences lists fields of a kind in which live objects may differ
// from Git.
type ResourceIgnoreDifferences struct {
	Group                 string   `json:"group,omitempty"`
	Kind                  string   `json:"kind"`
	Name                  string   `json:"name,omitempty"`
	Namespace             string   `json:"namespace,omitempty"`
	JSONPointers          []string `json:"jsonPointers,omitempty"`
	JQPathExpressions     []string `json:"jqPathExpressions,omitempty"`
	ManagedFieldsManagers []string `json:"managedFieldsManagers,omitempty"`
}

// AppProject limits what the Applications of a project may sync from where to where.
type AppProject struct {
	APIVersion string         `json:"apiVersion"` // [APIVersion]
	Kind       string         `json:"kind"`       // "AppProject"
	Metadata   ObjectMeta     `json:"metadata"`
	Spec       AppProjectSpec `json:"spec"`
}

// AppProjectSpec is the specification of an AppProject. Whatever is not listed is
// forbidden, except namespaced kinds: an empty list allows all of them.
// SourceNamespaces are the namespaces, other than Argo CD's own, that Applications of
// the project may be in.
type AppProjectSpec struct {
	Description                string                   `json:"description,omitempty"`
	SourceRepos                []string                 `json:"sourceRepos,omitempty"`
	Destinations               []ApplicationDestination `json:"destinations,omitempty"`
	ClusterResourceWhitelist   []GroupKind              `json:"clusterResourceWhitelist,omitempty"`
	NamespaceResourceWhitelist []GroupKind              `json:"namespaceResourceWhitelist,omitempty"`
	SourceNamespaces           []string                 `json:"sourceNamespaces,omitempty"`
	SyncWindows                []SyncWindow             `json:"syncWindows,omitempty"`
}

// SyncWindow specifies when Argo CD syncs Applications by itself: with Kind "allow", only from
// a time of the Schedule, in the form of cron and in UTC, for the Duration, such as "4h".
// The names of Applications can be patterns. ManualSync allows users to sync at any time.
type SyncWindow struct {
	Kind         string   `json:"kind"`
	Schedule     string   `json:"schedule"`
	Duration     string   `json:"duration"`
	Applications []string `json:"applications"`
	ManualSync   bool     `json:"manualSync"`
}

// GroupKind refers to a kind; "*" means all.
type GroupKind struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
}

// Compare orders kinds by group and kind. It returns -1, 0 or 1.
func (k GroupKind) Compare(other GroupKind) int {
	return cmp.Or(cmp.Compare(k.Group, other.Group), cmp.Compare(k.Kind, other.Kind))
}

// NewApplication returns an Application with its apiVersion and kind.
func NewApplication(meta ObjectMeta, spec ApplicationSpec) Application {
	return Application{APIVersion: APIVersion, Kind: "Application", Metadata: meta, Spec: spec}
}

// NewAppProject returns an AppProject with its apiVersion and kind.
func NewAppProject(meta ObjectMeta, spec AppProjectSpec) AppProject {
	return AppProject{APIVersion: APIVersion, Kind: "AppProject", Metadata: meta, Spec: spec}
}
