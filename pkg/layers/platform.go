// Package layers knows what lies beneath virtual machines: it reads
// platform.yaml, renders a layer's chart with Helm's engine, and makes the
// app-of-apps that brings the layers to a cluster in their order. It is the only
// package that imports Helm.
package layers

import (
	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/source"
)

// APIVersion and Kind are the header of platform.yaml.
const (
	APIVersion = "vmrender.io/v1alpha1"
	Kind       = "Platform"
)

// Platform is platform.yaml: the layers of one cluster, or of clusters that are alike.
type Platform struct {
	// Always `vmrender.io/v1alpha1`.
	APIVersion string `json:"apiVersion" enum:"vmrender.io/v1alpha1"`
	// Always `Platform`.
	Kind string `json:"kind" enum:"Platform"`
	// Name of the platform: of its AppProject and root Application, and the beginning of its Applications' names.
	Metadata Metadata `json:"metadata"`
	// What the layers will run on.
	Target Target `json:"target,omitempty"`
	// Repository that holds this file, for the Applications.
	Source Repository `json:"source,omitempty"`
	// Repository that holds the charts, for layers with `render: helm`.
	Charts Repository `json:"charts,omitempty"`
	// Cluster that the layers go to; the one that Argo CD runs on where unset.
	Destination Destination `json:"destination,omitempty"`
	// Namespace of the Applications; `argocd`, or `openshift-gitops` on OpenShift, where unset.
	ArgoCDNamespace string `json:"argocdNamespace,omitempty"`
	// Where policies go, and whom they bind, for `--as policy`.
	Policy Policy `json:"policy,omitempty"`
	// Layers by name. The name is also that of the chart, unless `chart` says another.
	Layers map[string]*Layer `json:"layers"`
}

// Metadata names the platform.
type Metadata struct {
	// Name of the platform.
	Name string `json:"name"`
}

// Target is what the layers will run on.
type Target struct {
	// Kubernetes' version, such as "1.33".
	Kubernetes string `json:"kubernetes,omitempty"`
	// Argo CD's version, such as "3.2"; the newest where unset.
	ArgoCD string `json:"argocd,omitempty"`
	// Whether the cluster is OpenShift; true where unset.
	OpenShift *bool `json:"openshift,omitempty"`
	// API groups and versions that the cluster serves without any layer, such as `operators.coreos.com/v1alpha1`, for charts that ask.
	APIVersions []string `json:"apiVersions,omitempty"`
}

// Repository is a place in a Git repository.
type Repository struct {
	// URL as Argo CD knows the repository.
	RepoURL string `json:"repoURL,omitempty"`
	// Branch, tag or commit; `HEAD` where unset.
	TargetRevision string `json:"targetRevision,omitempty"`
	// Directory from the repository's root; for `charts` the one that the charts are in.
	Path string `json:"path,omitempty"`
}

// Destination is a cluster as Argo CD knows it, by name or by URL.
type Destination struct {
	// Name of the cluster.
	Name string `json:"name,omitempty"`
	// URL of the cluster.
	Server string `json:"server,omitempty"`
}

// Layer is one layer as written.
type Layer struct {
	// Chart that makes the layer; the layer's name where unset.
	Chart string `json:"chart,omitempty"`
	// Values of the chart; see its README.
	Values *source.Node `json:"values,omitempty"`
	// RFC 6902 operations on what the chart renders, in order.
	Patches []Patch `json:"patches,omitempty"`
	// Fields that somebody else looks after: not rendered, and ignored by Argo CD.
	IgnoreFields []IgnoreField `json:"ignoreFields,omitempty"`
	// Whether the layer is kept: an `unmanaged` layer has no Application, and what an earlier one made stays.
	Mode string `json:"mode,omitempty" enum:"managed,unmanaged"`
	// What Argo CD does with the layer: show the difference and wait for a manual sync (`DryRun`), sync and heal (`Apply`, the default), or not look at it (`Ignore`).
	Action string `json:"action,omitempty" enum:"DryRun,Apply,Ignore"`
	// Who renders: the plugin (`vmrender`, the default), or Argo CD's own Helm, which knows neither `patches` nor `ignoreFields`.
	Render string `json:"render,omitempty" enum:"vmrender,helm"`
	// Sync wave of the layer's Application; that of the chart where unset.
	Wave *int `json:"wave,omitempty"`
	// Job template of Ansible Automation Platform to run when the layer's policy is violated, for `--as policy`.
	Automation *Automation `json:"automation,omitempty"`
}

// Object names what a patch is for. It can be left out where the layer renders
// one object only.
type Object struct {
	// Kind of the object.
	Kind string `json:"kind"`
	// Name of the object; every object of the kind where unset.
	Name string `json:"name,omitempty"`
	// Namespace of the object; any where unset.
	Namespace string `json:"namespace,omitempty"`
}

// Patch is one RFC 6902 operation.
type Patch struct {
	// Objects to change; the layer's only one where unset.
	Target *Object `json:"target,omitempty"`
	patch.Operation
}

// IgnoreField is one field that somebody else looks after. An RFC 6901 pointer
// is short for `{pointer: POINTER}`.
type IgnoreField struct {
	// Objects that have the field; the layer's only one where unset.
	Target *Object `json:"target,omitempty"`
	// RFC 6901 pointer to the field.
	Pointer string `json:"pointer"`
}

// Policy is what Red Hat Advanced Cluster Management is told about all layers.
type Policy struct {
	// Namespace of the policies; `policies` where unset.
	Namespace string `json:"namespace,omitempty"`
	// Labels that a managed cluster needs for the policies to apply to it.
	ClusterSelector map[string]string `json:"clusterSelector,omitempty"`
	// Cluster sets that clusters are chosen from; they are bound to the namespace.
	ClusterSets []string `json:"clusterSets,omitempty"`
}

// Automation runs a job template when the policy of a layer is violated.
type Automation struct {
	// Name of the job template.
	Template string `json:"template"`
	// Name of the Secret with host and token of the Ansible Automation Platform.
	Secret string `json:"secret"`
	// Variables for the job.
	ExtraVars *source.Node `json:"extraVars,omitempty"`
	// When it runs; `once` where unset.
	Mode string `json:"mode,omitempty" enum:"once,everyEvent,disabled"`
}

// DecodeNode reads a pointer or the long form.
func (f *IgnoreField) DecodeNode(n *source.Node, path string, diags *source.Diagnostics) {
	if n.Kind == source.String {
		f.Pointer = n.Text
		return
	}
	source.DecodeFields(n, f, path, diags)
}

// DecodeNode reads the operation together with its target.
func (p *Patch) DecodeNode(n *source.Node, path string, diags *source.Diagnostics) {
	p.DecodeInto(p, n, path, diags)
}
