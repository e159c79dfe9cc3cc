package rule

// Platforms
const (
	// UnknownLayer is a layer that does not exist.
	UnknownLayer ID = "unknown-layer"
	// Values is a value that a layer's chart does not accept.
	Values ID = "values"
	// Chart is a layer whose chart cannot be rendered.
	Chart ID = "chart"
	// Remote is a layer that cannot be rendered here, because its chart is in a chart repository.
	Remote ID = "remote"
	// UnknownCatalog is an operator from a catalog that no layer creates, and OpenShift may not have. It is an error if
	// the platform creates other catalogs, or disables those of OpenShift.
	UnknownCatalog ID = "unknown-catalog"
	// Unmanaged is an object that is no longer rendered because it belongs to another Application. Argo CD deletes it if
	// no Application has it.
	Unmanaged ID = "unmanaged"
	// Prerequisite is a layer that needs what comes too late or not at all: an error if the platform could bring it
	// earlier, and a warning if the layer waits for it.
	Prerequisite ID = "prerequisite"
	// MigrationNetwork is a network for live migration with which virt-handler cannot run.
	MigrationNetwork ID = "migration-network"
	// Target is a patch of a layer whose target matches no object, or more than one.
	Target ID = "target"
	// Pointer is an invalid JSON pointer under `ignoreDifferences`.
	Pointer ID = "pointer"
	// Policy is a layer that cannot be written as a policy of Advanced Cluster Management.
	Policy ID = "policy"
	// Impact is an effect of a layer on running nodes and VMs.
	Impact ID = "impact"
	// SharedObject is an object that two layers render, although it can belong to only one Application.
	SharedObject ID = "shared-object"
)
