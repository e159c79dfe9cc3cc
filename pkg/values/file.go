// Package values defines the words of the user: the keys of a VM, of fleet.yaml and
// of values files, as structs whose comments and tags are the JSON schema and
// the reference; the short forms of those keys; and the forms of names and
// versions. It knows nothing of inheritance, and nothing of what a key does.
package values

import (
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/source"
)

// APIVersion and Kind are the header of fleet.yaml.
const (
	APIVersion = "vmrender.io/v1alpha1"
	Kind       = "Fleet"
)

// Header is fleet.yaml, the root of a fleet; an overlay has the same keys.
type Header struct {
	// Always `vmrender.io/v1alpha1`.
	APIVersion string `json:"apiVersion" enum:"vmrender.io/v1alpha1"`
	// Always `Fleet`.
	Kind string `json:"kind" enum:"Fleet"`
	// Name of the fleet, from which identities are derived.
	Metadata Metadata `json:"metadata"`
	// What the manifests will run on.
	Target Target `json:"target,omitempty"`
	// Entries beside and over the built-in ones.
	Catalog *catalog.Catalog `json:"catalog,omitempty"`
	// VM keys that every VM of the fleet inherits.
	Defaults *VM `json:"defaults,omitempty"`
	// How identities are derived.
	Identity Identity `json:"identity,omitempty"`
	// Node selector and tolerations that every VM gets, whatever it sets itself.
	Placement Placement `json:"placement,omitempty"`
	// What the fleet allows.
	Policy Policy `json:"policy,omitempty"`
	// Free values for templates, as `{{ .vars.NAME }}`.
	Vars map[string]*source.Node `json:"vars,omitempty"`
	// Globs of files and directories that are not part of the fleet.
	Ignore []string `json:"ignore,omitempty"`
	// A fleet without VMs renders to nothing instead of an error.
	AllowEmpty bool `json:"allowEmpty,omitempty"`
	// VMs by name.
	VMs map[string]*VM `json:"vms,omitempty"`
}

// Metadata names the fleet.
type Metadata struct {
	// Name of the fleet.
	Name string `json:"name"`
}

// Target is the versions that the manifests will run on; the newest where unset.
type Target struct {
	// KubeVirt's version, such as "1.6".
	KubeVirt string `json:"kubevirt,omitempty"`
	// Argo CD's version, such as "3.2".
	ArgoCD string `json:"argocd,omitempty"`
	// Whether the cluster is OpenShift.
	OpenShift bool `json:"openshift,omitempty"`
	// Image of the Jobs that `strategy: rollout` and `snapshotBefore` need, with vmrender in it; `vmrender/vmrender:latest` where unset.
	Image string `json:"image,omitempty"`
	// The Application has the sync option `ApplyOutOfSyncOnly=true`, without which `strategy: replace` recreates VMs in every sync.
	ApplyOutOfSyncOnly bool `json:"applyOutOfSyncOnly,omitempty"`
	// Argo CD has the health checks of this project, with which stopped VMs hold up no sync.
	HealthChecks bool `json:"healthChecks,omitempty"`
}

// DefaultImage is the image of Jobs where the target names none.
const DefaultImage = "vmrender/vmrender:latest"

// Identity is how identities are derived from fleet, namespace and name, so
// that a recreated VM is the same machine to its guest.
type Identity struct {
	// Derive the firmware UUID; true where unset.
	UUID *bool `json:"uuid,omitempty"`
	// Derive the serial number; true where unset.
	Serial *bool `json:"serial,omitempty"`
	// First three bytes of derived MAC addresses, such as "02:a1:b2"; none are derived where unset.
	MACPrefix string `json:"macPrefix,omitempty"`
}

// Placement is where all machines of the fleet run: strict isolation.
type Placement struct {
	// Node labels that every machine needs.
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// Kubernetes' tolerations that every machine gets.
	Tolerations *source.Node `json:"tolerations,omitempty" ref:"tolerations"`
}

// Policy is what the fleet allows.
type Policy struct {
	// Literal passwords in values files: a warning, or an error.
	InlineSecrets string `json:"inlineSecrets,omitempty" enum:"warn,deny"`
}

// File is any other YAML file of a fleet.
type File struct {
	// Namespace of the file's VMs.
	Namespace string `json:"namespace,omitempty"`
	// VM keys that the file's VMs inherit.
	Defaults *VM `json:"defaults,omitempty"`
	// Free values for templates, as `{{ .vars.NAME }}`.
	Vars map[string]*source.Node `json:"vars,omitempty"`
	// VMs by name.
	VMs map[string]*VM `json:"vms"`
}
