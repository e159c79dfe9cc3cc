package rule

// Fleets and options
const (
	// NoFleet is a path without a fleet.yaml in it or in a directory above it.
	NoFleet ID = "no-fleet"
	// NoVMs is a values file or a fleet without VMs that does not set `allowEmpty: true`.
	NoVMs ID = "no-vms"
	// NotValues is a Kubernetes manifest among the values files.
	NotValues ID = "not-values"
	// BadGlob is an invalid pattern under `ignore`.
	BadGlob ID = "bad-glob"
	// BadPath is a path that does not exist, is outside of the directory that may be
	// read, is neither a file nor a directory, or has a name like that of a special
	// file.
	BadPath ID = "bad-path"
	// UnknownVersion is a version under `target` that is outside of the versions that vmrender has rules for.
	UnknownVersion ID = "unknown-version"
	// BadVersion is an invalid version under `target`.
	BadVersion ID = "bad-version"
	// BadOption is an invalid `--set` or `--default`.
	BadOption ID = "bad-option"
	// BadParameter is an invalid parameter of the Argo CD plugin.
	BadParameter ID = "bad-parameter"
	// NoEffect is an overlay, or a part of one, that changes no VM of the fleet.
	NoEffect ID = "no-effect"
	// NotUpdated is an image version that cannot be updated where it is written.
	NotUpdated ID = "not-updated"
)
