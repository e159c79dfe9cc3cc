package forklift

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// The objects of the Migration Toolkit for Virtualization, with the fields that are rendered (kubev2v/forklift v2.12.5,
// pkg/apis/forklift/v1beta1 and operator/config/crd/bases).

// Group is the API group of these objects.
const Group = "forklift.konveyor.io"

// migrationObject is an object of the API group.
type migrationObject[Spec any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec `json:"spec"`
}

// DeepCopyObject returns a copy that shares the spec, which is never changed.
func (o *migrationObject[Spec]) DeepCopyObject() runtime.Object {
	out := *o
	o.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// NetworkMap maps networks of vSphere to those of the cluster.
type NetworkMap = migrationObject[MapSpec[NetworkPair]]

// StorageMap maps datastores of vSphere to storage classes.
type StorageMap = migrationObject[MapSpec[StoragePair]]

// MapSpec is a list of mappings from one Provider to another.
type MapSpec[Pair any] struct {
	Provider ProviderPair `json:"provider"`
	Map      []Pair       `json:"map"`
}

// ProviderPair names the Provider objects of vSphere and of the cluster.
type ProviderPair struct {
	Source      corev1.ObjectReference `json:"source"`
	Destination corev1.ObjectReference `json:"destination"`
}

// VSphereRef names an object of vSphere: by its managed object ID, or by its name or path in the inventory.
type VSphereRef struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
}

// NetworkPair maps one network to another.
type NetworkPair struct {
	Source      VSphereRef         `json:"source"`
	Destination NetworkDestination `json:"destination"`
}

// NetworkDestination is the pod network, or a NetworkAttachmentDefinition.
type NetworkDestination struct {
	Type      string `json:"type"` // pod or multus
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
}

// StoragePair maps a datastore to a storage class.
type StoragePair struct {
	Source      VSphereRef         `json:"source"`
	Destination StorageDestination `json:"destination"`
}

// StorageDestination is a storage class. CDI's StorageProfile has the modes that are empty.
type StorageDestination struct {
	StorageClass string `json:"storageClass"`
	AccessMode   string `json:"accessMode,omitempty"`
	VolumeMode   string `json:"volumeMode,omitempty"`
}

// Plan is a set of VMs that move together.
type Plan = migrationObject[PlanSpec]

// PlanSpec specifies which VMs move, and how. Fields that default to true on the platform are always written.
type PlanSpec struct {
	TargetNamespace string                  `json:"targetNamespace"`
	Provider        ProviderPair            `json:"provider"`
	Map             PlanMaps                `json:"map"`
	Warm            bool                    `json:"warm"`
	TransferNetwork *corev1.ObjectReference `json:"transferNetwork,omitempty"`

	PreserveStaticIPs bool `json:"preserveStaticIPs"`
	// DeleteVMOnFailMigration deletes the objects of a failed run, so that another run can create them.
	DeleteVMOnFailMigration bool `json:"deleteVmOnFailMigration"`
	// PVCNameTemplateUseGenerateName appends random letters to the names of claims.
	PVCNameTemplateUseGenerateName bool `json:"pvcNameTemplateUseGenerateName"`

	VMs []PlanVM `json:"vms"`
}

// PlanMaps names the maps of a Plan.
type PlanMaps struct {
	Network corev1.ObjectReference `json:"network"`
	Storage corev1.ObjectReference `json:"storage"`
}

// PlanVM is one VM of a Plan. Its templates are Go templates.
type PlanVM struct {
	VSphereRef          `json:",inline"`
	TargetName          string `json:"targetName"`
	TargetPowerState    string `json:"targetPowerState,omitempty"`
	PVCNameTemplate     string `json:"pvcNameTemplate,omitempty"`
	VolumeNameTemplate  string `json:"volumeNameTemplate,omitempty"`
	NetworkNameTemplate string `json:"networkNameTemplate,omitempty"`

	Hooks []HookRef `json:"hooks,omitempty"`

	// LUKS is always empty. forklift adds it to every VM when it completes a Plan, and Argo CD would take that for a
	// manual change (pkg/forklift-api/webhooks/mutating-webhook/mutators/plan-mutator.go).
	LUKS struct{} `json:"luks"`
}

// HookRef names the Hook that runs at a step of a VM's migration.
type HookRef struct {
	Step string                 `json:"step"` // PreHook or PostHook
	Hook corev1.ObjectReference `json:"hook"`
}

// Hook is an image that runs before or after a VM moves.
type Hook = migrationObject[HookSpec]

// HookSpec specifies what a Hook runs.
type HookSpec struct {
	Image          string `json:"image"`
	Playbook       string `json:"playbook,omitempty"` // in base64
	ServiceAccount string `json:"serviceAccount,omitempty"`
	Deadline       int    `json:"deadline,omitempty"` // in seconds
}

// PlanRun is a Migration: one run of a Plan.
type PlanRun = migrationObject[PlanRunSpec]

// PlanRunSpec names the Plan that a run is of.
type PlanRunSpec struct {
	Plan    corev1.ObjectReference `json:"plan"`
	Cutover string                 `json:"cutover,omitempty"` // RFC 3339
	Cancel  []VSphereRef           `json:"cancel,omitempty"`
}
