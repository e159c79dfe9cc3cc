package rule

// Names
const (
	// BadName is a name that Kubernetes, Argo CD or the guest does not accept.
	BadName ID = "bad-name"
	// BadLabel is a label whose key or value Kubernetes does not accept.
	BadLabel ID = "bad-label"
	// UnknownName is a reference to something that is not defined, such as an operating system, a network or a VM.
	UnknownName ID = "unknown-name"
	// Duplicate is a name, address, identity or boot order that is already in use in the fleet.
	Duplicate ID = "duplicate"
	// AmbiguousName is a name in an overlay or on the command line that several VMs have.
	AmbiguousName ID = "ambiguous-name"
	// Cycle is a chain of references that leads back to its start: `dependsOn` of VMs, `from` of catalog entries, or
	// `base` of platforms.
	Cycle ID = "cycle"
)
