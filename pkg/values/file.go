// Package values defines the keys that users write: those of a VM, of
// fleet.yaml and of values files, as structs whose comments and tags are the
// source of the JSON schema and the reference. It also defines the short forms
// of those keys, and the syntax of names and versions. Inheritance and the
// effects of keys are in other packages.
package values

import (
	"cmp"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/versions"
)

// APIVersion and Kind are the header of fleet.yaml.
const (
	APIVersion = "vmrender.io/v1alpha1"
	Kind       = "Fleet"
)

// Header is fleet.yaml, the root of a fleet; an [Overlay] has the same keys.
type Header struct {
	// Always `vmrender.io/v1alpha1`.
	APIVersion string `json:"apiVersion" enum:"vmrender.io/v1alpha1"`
	// Always `Fleet`.
	Kind string `json:"kind" enum:"Fleet"`
	// Name of the fleet, from which identities are derived.
	Metadata Metadata `json:"metadata"`
	// Cluster that the manifests will run on.
	Target Target `json:"target,omitempty"`
	// Entries that extend or override the built-in ones.
	Catalog *catalog.Catalog `json:"catalog,omitempty"`
	// VM keys that every VM of the fleet inherits.
	Defaults *VM `json:"defaults,omitempty"`
	// Rules for deriving identities.
	Identity Identity `json:"identity,omitempty"`
	// Node selector and tolerations of every VM, in addition to its own.
	Placement Placement `json:"placement,omitempty"`
	// Restrictions on the VMs of the fleet.
	Policy Policy `json:"policy,omitempty"`
	// Arbitrary values for templates, as `{{ .vars.NAME }}`.
	Vars map[string]*source.Node `json:"vars,omitempty"`
	// Globs of files and directories that are not part of the fleet.
	Ignore []string `json:"ignore,omitempty"`
	// Whether a fleet without VMs is valid, which renders no manifests.
	AllowEmpty bool `json:"allowEmpty,omitempty"`
	// VMs by name.
	VMs map[string]*VM `json:"vms,omitempty"`
}

// Overlay is an environment of a fleet, such as a cluster or a stage. It has the keys of fleet.yaml,
// and some of its own.
type Overlay struct {
	Header
	Environment
}

// Environment is the keys that only an overlay has.
type Environment struct {
	// Name of the environment. Firmware UUIDs, serial numbers and derived MAC addresses are also derived from it, so
	// that the VMs of different environments have different ones. Templates see it as `{{ .environment }}`.
	Environment string `json:"environment,omitempty"`
	// VM keys that merge over those of every VM, also over its own entry.
	Every *VM `json:"every,omitempty"`
	// Replacements of namespaces: from those in the fleet's files to those of this environment.
	Namespaces map[string]string `json:"namespaces,omitempty"`
	// Text in front of every namespace of the fleet's files that `namespaces` does not name.
	NamespacePrefix string `json:"namespacePrefix,omitempty"`
	// Text after every namespace of the fleet's files that `namespaces` does not name.
	NamespaceSuffix string `json:"namespaceSuffix,omitempty"`
}

// Metadata names the fleet.
type Metadata struct {
	// Name of the fleet.
	Name string `json:"name"`
	// Annotations for tools that read the file, such as kustomize and kpt. They are not rendered.
	Annotations map[string]string `json:"annotations,omitempty"`
}

// Target is the cluster that the manifests will run on. Versions default to
// the newest.
type Target struct {
	// KubeVirt version, for example "1.6". Defaults to that of the OpenShift release.
	KubeVirt string `json:"kubevirt,omitempty"`
	// CDI version, for example "1.65".
	CDI string `json:"cdi,omitempty"`
	// Delivery is what applies the manifests: Argo CD, or Flux, which reads rendered files from Git or an OCI artifact
	// ([flux.md](../how-to/flux.md)). With flux, keys that need Argo CD are errors. Defaults to argocd.
	Delivery string `json:"delivery,omitempty" enum:"argocd,flux"`
	// Argo CD version, for example "3.2".
	ArgoCD string `json:"argocd,omitempty"`
	// Whether the cluster is OpenShift, or its release, for example "4.20". With false, operating systems have public
	// images instead of OpenShift's boot sources, or none. If unset, they have the boot sources, with a warning if the
	// cluster's API shows no OpenShift.
	OpenShift *versions.OpenShift `json:"openshift,omitempty"`
	// CPU architecture of VMs that set no `arch`. Defaults to amd64.
	Arch string `json:"arch,omitempty" enum:"amd64,arm64,s390x"`
	// Image of the Jobs that `strategy: rollout`, `snapshotBefore`, `maintenance`, `snapshots`, `power` and `restoreFrom`
	// need, which must contain vmrender. Required for such Jobs, unless the sidecar of Argo CD sets VMRENDER_IMAGE.
	Image string `json:"image,omitempty"`
	// Whether the Application has the sync option `ApplyOutOfSyncOnly=true`. Without it, `strategy: replace` recreates
	// VMs in every sync. With it, `strategy: blue-green` deletes the old VM even if the new one has failed. `vmrender
	// app` sets the option if this is true.
	ApplyOutOfSyncOnly bool `json:"applyOutOfSyncOnly,omitempty"`
	// Whether Argo CD has the health checks of this project, with which stopped VMs do not block a sync.
	HealthChecks bool `json:"healthChecks,omitempty"`
	// `vmRolloutStrategy` of the KubeVirt object: whether possible changes are applied to running VMs, or wait for a
	// restart. This key and those below change no manifest; predictions of the effect of a sync need them.
	VMRolloutStrategy string `json:"vmRolloutStrategy,omitempty" enum:"LiveUpdate,Stage"`
	// `workloadUpdateMethods` of the KubeVirt object, from `LiveMigrate` and `Evict`: how KubeVirt applies changes that
	// need a new pod. An empty list selects none.
	WorkloadUpdateMethods []string `json:"workloadUpdateMethods,omitempty" enum:"LiveMigrate,Evict"`
	// Feature gates of KubeVirt that differ from the default of its version: true for on.
	FeatureGates map[string]bool `json:"featureGates,omitempty"`
	// Whether VMs can live-migrate at all, which needs more than one suitable node, and storage that two nodes can use
	// at the same time.
	LiveMigratable *bool `json:"liveMigratable,omitempty"`
}

// WorkloadUpdateMethods are the ways in which KubeVirt updates running VMs.
var WorkloadUpdateMethods = []string{"LiveMigrate", "Evict"}

// Replace puts versions in the place of the target's, by its keys. With another release of OpenShift, the version of
// KubeVirt is that of the release unless it is among the versions.
func (t *Target) Replace(others map[string]string) {
	if release := others["openshift"]; release != "" {
		t.OpenShift, t.KubeVirt, t.CDI = &versions.OpenShift{Release: release}, "", ""
	}
	t.KubeVirt = cmp.Or(others["kubevirt"], t.KubeVirt)
	t.CDI = cmp.Or(others["cdi"], t.CDI)
	t.ArgoCD = cmp.Or(others["argocd"], t.ArgoCD)
}

// ByFlux reports whether Flux applies the manifests instead of Argo CD.
func (t *Target) ByFlux() bool { return t.Delivery == "flux" }

// Plain reports whether the cluster is known not to be OpenShift.
func (t *Target) Plain() bool { return t.OpenShift != nil && t.OpenShift.Absent }

// OnOpenShift reports whether the cluster is known to be OpenShift.
func (t *Target) OnOpenShift() bool { return t.OpenShift != nil && !t.OpenShift.Absent }

// Identity specifies which identities are derived from fleet, namespace and
// name, so that a recreated VM looks like the same computer to its guest.
type Identity struct {
	// Whether to derive the firmware UUID. Defaults to true.
	UUID *bool `json:"uuid,omitempty"`
	// Whether to derive the serial number. Defaults to true.
	Serial *bool `json:"serial,omitempty"`
	// First three bytes of derived MAC addresses, such as "02:a1:b2". If unset, none are derived.
	MACPrefix string `json:"macPrefix,omitempty"`
}

// Placement restricts all VMs of the fleet to certain nodes. A VM cannot
// override it.
type Placement struct {
	// Node labels that every VM requires.
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// Kubernetes tolerations that every VM gets.
	Tolerations *source.Node `json:"tolerations,omitempty" ref:"tolerations"`
}

// Policy restricts the VMs of the fleet.
type Policy struct {
	// Reaction to literal passwords in values files: a warning (the default) or an error.
	InlineSecrets string `json:"inlineSecrets,omitempty" enum:"warn,deny"`
	// Reaction to sizes below the `minimum` of the operating system: a warning (the default) or an error.
	Minimum string `json:"minimum,omitempty" enum:"warn,deny"`
	// Level of impact from which a change of a VM needs its `approve`, such as `restart`: see
	// [gate.md](../how-to/gate.md). An overlay can only set a milder level, which requires more approvals. If unset, no
	// change needs an approval. `none` takes a gate away, which every VM must approve.
	Approve string `json:"approve,omitempty" enum:"live,migrate,staged,restart,power,recreate,delete,data-loss,none"`
	// Highest level of impact that a change of a VM can have, approved or not. An overlay can only set a milder level.
	// If unset, every level is allowed.
	MaxImpact string `json:"maxImpact,omitempty" enum:"metadata,live,migrate,staged,restart,power,recreate,delete"`
	// Tokens of `vmrender plan`, each of which approves one change of several VMs that have a cause in common, as
	// `approve` in each of their entries would: see [gate.md](../how-to/gate.md). The list of an overlay takes the place
	// of that of fleet.yaml.
	Approved []string `json:"approved,omitempty" format:"tokens"`
	// Bounds on the number of VMs that one commit may change, by level. `vmrender plan` exits with status 1 if a commit
	// exceeds one. An overlay can only set lower ones.
	Limits *Limits `json:"limits,omitempty"`
	// Level of impact from which a VM stays as Git last approved it until its change is approved, while the rest of the
	// commit is applied: see [hold.md](../how-to/hold.md). An overlay can only set a milder level. If unset, no VM is
	// held.
	Hold string `json:"hold,omitempty" enum:"live,migrate,staged,restart,power,recreate,delete,data-loss"`
	// Kinds of workloads and permissions that `objects` of VMs can have, such as `apps/Deployment`, or `Pod` of the
	// core group. An overlay can only remove some.
	Objects []string `json:"objects,omitempty"`
}

// Gated reports whether the fleet limits changes to its VMs by their impact.
func (p *Policy) Gated() bool { return p.Approve != "" || p.MaxImpact != "" || p.Hold != "" }

// Keeps reports whether the fleet keeps VMs that a commit removes without an earlier one that permits it.
func (p *Policy) Keeps() bool { return p.Asks() || p.Hold != "" }

// Asks reports whether changes of the fleet's VMs need approvals.
func (p *Policy) Asks() bool { return p.Approve != "" && p.Approve != NoGate }

// NoGate is the level of a gate that is taken away.
const NoGate = "none"

// File is any other YAML file of a fleet.
type File struct {
	// Namespace of the file's VMs.
	Namespace string `json:"namespace,omitempty"`
	// VM keys that the file's VMs inherit.
	Defaults *VM `json:"defaults,omitempty"`
	// Arbitrary values for templates, as `{{ .vars.NAME }}`.
	Vars map[string]*source.Node `json:"vars,omitempty"`
	// VMs by name.
	VMs map[string]*VM `json:"vms"`
}
