package rule

// Rendered objects and the cluster
const (
	// Patch is a patch that does not apply to the object, or an invalid one.
	Patch ID = "patch"
	// Identity is an override or a patch of a field that identifies the VM: apiVersion, kind, name or namespace.
	Identity ID = "identity"
	// ObjectKind is an object of a VM whose kind is not allowed, in general or in the fleet.
	ObjectKind ID = "object-kind"
	// Unpaired is an override or a patch that leaves a disk without a volume or a NIC without a network, or the reverse.
	Unpaired ID = "unpaired"
	// Refused is a VM that KubeVirt or the API server refuses, when it is written or when it starts.
	Refused ID = "refused"
	// Encode is an object that cannot be written as YAML.
	Encode ID = "encode"
	// OutputSize is manifests that are larger than what Argo CD accepts.
	OutputSize ID = "output-size"
	// KubeVirtVersion is a feature that KubeVirt or CDI of the target does not have, or whose gate is off there.
	KubeVirtVersion ID = "kubevirt-version"
	// OpenShift is a feature of OpenShift, for a cluster that is not OpenShift.
	OpenShift ID = "openshift"
	// Unserved is a kind of object that the cluster does not serve.
	Unserved ID = "unserved"
)
