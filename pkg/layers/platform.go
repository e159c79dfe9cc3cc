// Package layers renders the platform layers that VMs run on. It reads platform.yaml,
// renders the chart of a layer with Helm's engine, and creates the app-of-apps that
// installs the layers on a cluster in order. It is the only package that imports Helm.
package layers

import (
	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/versions"
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
	// Name of the platform, of its AppProject and of its root Application, and the
	// prefix of its Applications' names.
	Metadata Metadata `json:"metadata"`
	// Another platform.yaml, relative to this file, that this one merges over: maps by key, while scalars and lists
	// replace. `null` removes a layer or a key.
	Base string `json:"base,omitempty"`
	// Name of the environment, such as a cluster or a stage, for templates. Usually set by an overlay.
	Environment string `json:"environment,omitempty"`
	// Values for templates, as `{{ .vars.NAME }}`. A string that contains only such a template gets the value with its
	// type.
	Vars map[string]*source.Node `json:"vars,omitempty"`
	// Cluster that the layers will run on.
	Target Target `json:"target,omitempty"`
	// Repository that contains this file, for the Applications.
	Source Repository `json:"source,omitempty"`
	// Repository that contains the charts, for layers with `render: helm`.
	Charts Repository `json:"charts,omitempty"`
	// Cluster that the layers are deployed to. Defaults to the one that Argo CD runs
	// on.
	Destination Destination `json:"destination,omitempty"`
	// Namespace of the Applications. Defaults to `argocd`, or to `openshift-gitops` on
	// OpenShift.
	ArgoCDNamespace string `json:"argocdNamespace,omitempty"`
	// Namespace and clusters of the policies, for `--as policy`.
	Policy Policy `json:"policy,omitempty"`
	// Layers by name. The name is also that of the chart, unless `chart` sets another.
	Layers map[string]*Layer `json:"layers"`
}

// Metadata names the platform.
type Metadata struct {
	// Name of the platform.
	Name string `json:"name"`
}

// Target is the cluster that the layers will run on.
type Target struct {
	// Kubernetes version, such as "1.33". Defaults to that of the OpenShift release.
	Kubernetes string `json:"kubernetes,omitempty"`
	// Argo CD version, such as "3.2". Defaults to the newest.
	ArgoCD string `json:"argocd,omitempty"`
	// Release of OpenShift, such as "4.20", or whether the cluster is OpenShift. It determines channels, profiles
	// and API versions. Defaults to true.
	OpenShift versions.OpenShift `json:"openshift,omitempty"`
	// KubeVirt version of a cluster that is not OpenShift, such as "1.8". It determines the API version of HyperConverged.
	KubeVirt string `json:"kubevirt,omitempty"`
	// Image of the Jobs that compare the approvals of layers with `approve`.
	Image string `json:"image,omitempty"`
	// API groups and versions that the cluster serves without any layer, such as
	// `operators.coreos.com/v1alpha1`, for charts that check them.
	APIVersions []string `json:"apiVersions,omitempty"`
}

// Repository is a place in a Git repository.
type Repository struct {
	// URL of the repository as configured in Argo CD.
	RepoURL string `json:"repoURL,omitempty"`
	// Branch, tag or commit. Defaults to `HEAD`.
	TargetRevision string `json:"targetRevision,omitempty"`
	// Directory from the repository's root; for `charts` the one that contains the
	// charts.
	Path string `json:"path,omitempty"`
}

// Destination is a cluster in Argo CD, by name or by URL.
type Destination struct {
	// Name of the cluster.
	Name string `json:"name,omitempty"`
	// URL of the cluster.
	Server string `json:"server,omitempty"`
}

// Layer is one layer.
type Layer struct {
	// Chart that renders the layer. Defaults to the one with the name of the layer.
	Chart ChartSource `json:"chart,omitempty"`
	// Manifests instead of a chart: a directory or file, relative to this file, or a list of them and of manifests.
	Objects *source.Node `json:"objects,omitempty"`
	// Namespace of objects that do not set one. Defaults to that of the chart.
	Namespace string `json:"namespace,omitempty"`
	// Sync options of the layer's Application, in addition to those of all layers.
	SyncOptions []string `json:"syncOptions,omitempty"`
	// Values of the chart; see its README.
	Values *source.Node `json:"values,omitempty"`
	// RFC 6902 operations on the output of the chart, in order.
	Patches []Patch `json:"patches,omitempty"`
	// Fields that something else manages. They are not rendered, and Argo CD ignores
	// them.
	IgnoreFields []IgnoreField `json:"ignoreFields,omitempty"`
	// What must be there before this layer, in addition to the kinds of its objects: other layers by name, kinds as
	// GROUP/KIND, and objects as GROUP/KIND/NAME or GROUP/KIND/NAMESPACE/NAME. If it comes from a layer that waits for a
	// user, this layer waits, too.
	Needs []string `json:"needs,omitempty" example:"[network]"`
	// What the layer brings in addition to what is known of it: kinds as GROUP/KIND, or GROUP for all of it, that the
	// cluster serves once it is healthy, and objects. Of a layer with another `action` than `Apply`, what is there
	// already.
	Provides []string `json:"provides,omitempty" example:"[ocs.openshift.io]"`
	// Whether the layer is managed. An `unmanaged` layer has no Application, and the
	// objects of an earlier one stay.
	Mode string `json:"mode,omitempty" enum:"managed,unmanaged"`
	// Objects of the layer that Argo CD does not manage: it neither changes nor prunes them. Policies do not contain them.
	Unmanaged []Unmanaged `json:"unmanaged,omitempty"`
	// Action of Argo CD: show the difference and wait for a manual sync (`DryRun`), sync and self-heal (`Apply`, the
	// default), or ignore the layer (`Ignore`).
	Action string `json:"action,omitempty" enum:"DryRun,Apply,Ignore"`
	// Approval of what the layer does: the token that `vmrender plan` prints, or `none` before the first review. If the
	// layer renders something else, or the objects that it changes are no longer as they were in the review, a sync fails
	// before it changes anything. Until there is a new token, other layers treat it as one with `action: DryRun`.
	// Policies have only the first half.
	Approve string `json:"approve,omitempty" example:"none"`
	// What happens to layers in later waves if this one fails: they wait until it is healthy (`stop`, the default), or go
	// on without it (`continue`). Its own Application shows the failure. A layer that needs this one fails with it. A
	// layer that is still being installed has not failed. Policies of later layers do not wait for it at all.
	OnFailure string `json:"onFailure,omitempty" enum:"stop,continue"`
	// Renderer: the plugin (`vmrender`, the default), or Argo CD's own Helm (`helm`),
	// which supports neither `patches` nor `ignoreFields`.
	Render string `json:"render,omitempty" enum:"vmrender,helm"`
	// Sync wave of the layer's Application. Defaults to that of the chart, or to one after all charts of vmrender.
	Wave *int `json:"wave,omitempty"`
	// Job template of Ansible Automation Platform to run when the layer's policy is violated, for `--as policy`.
	Automation *Automation `json:"automation,omitempty"`
}

// Object is the target of a patch. It can be omitted if the layer renders only one
// object.
type Object struct {
	// Kind of the object.
	Kind string `json:"kind"`
	// Name of the object. Defaults to all objects of the kind.
	Name string `json:"name,omitempty"`
	// Namespace of the object. Defaults to any.
	Namespace string `json:"namespace,omitempty"`
}

// Patch is one RFC 6902 operation.
type Patch struct {
	// Objects to change. Defaults to the only object of the layer.
	Target *Object `json:"target,omitempty"`
	patch.Operation
}

// IgnoreField is one field that something else manages. An RFC 6901 pointer is short
// for `{pointer: POINTER}`.
type IgnoreField struct {
	// Objects that have the field. Defaults to the only object of the layer.
	Target *Object `json:"target,omitempty"`
	// RFC 6901 pointer to the field.
	Pointer string `json:"pointer"`
}

// Policy is the configuration of Red Hat Advanced Cluster Management for all layers.
type Policy struct {
	// Namespace of the policies. Defaults to `policies`.
	Namespace string `json:"namespace,omitempty"`
	// Labels that a managed cluster needs for the policies to apply to it.
	ClusterSelector map[string]string `json:"clusterSelector,omitempty"`
	// Cluster sets to choose clusters from; they are bound to the namespace. Defaults to `global`, which contains all
	// clusters.
	ClusterSets []string `json:"clusterSets,omitempty"`
	// Action of the policies of applied layers: change clusters (`enforce`, the default), or only report differences
	// (`inform`), except on clusters of groups that enforce.
	RemediationAction string `json:"remediationAction,omitempty" enum:"enforce,inform"`
	// Groups of clusters, in the order in which they get changes.
	DecisionGroups []DecisionGroup `json:"decisionGroups,omitempty"`
}

// DecisionGroup is a group of clusters, such as canaries.
type DecisionGroup struct {
	// Name of the group.
	GroupName string `json:"groupName"`
	// Labels of its clusters, among those that `policy.clusterSelector` selects.
	ClusterSelector map[string]string `json:"clusterSelector"`
	// `enforce` for a group whose clusters are changed, although the policies inform all other clusters.
	RemediationAction string `json:"remediationAction,omitempty" enum:"enforce"`
}

// Automation runs a job template when the policy of a layer is violated.
type Automation struct {
	// Name of the job template.
	Template string `json:"template"`
	// Name of the Secret with host and token of the Ansible Automation Platform.
	Secret string `json:"secret"`
	// Variables for the job.
	ExtraVars *source.Node `json:"extraVars,omitempty"`
	// When the job runs. Defaults to `once`.
	Mode string `json:"mode,omitempty" enum:"once,everyEvent,disabled"`
}

// DecodeNode reads a pointer or the long form.
func (f *IgnoreField) DecodeNode(n *source.Node, path source.Path, diags *source.Diagnostics) {
	if n.Kind == source.String {
		f.Pointer = n.Text
		return
	}
	source.DecodeFields(n, f, path, diags)
}

// DecodeNode reads the operation together with its target.
func (p *Patch) DecodeNode(n *source.Node, path source.Path, diags *source.Diagnostics) {
	p.DecodeInto(p, n, path, diags)
}
