package rule

// Lifecycle and placement
const (
	// Strategy is a setting that the VM's `lifecycle.strategy` does not allow.
	Strategy ID = "strategy"
	// Replace is `strategy: replace` without `target.applyOutOfSyncOnly`, which recreates all VMs in every sync.
	Replace ID = "replace"
	// Stopped is a VM that is declared to be stopped, for which the fleet's version of Argo CD waits.
	Stopped ID = "stopped"
	// DefaultImage is a fleet with Jobs whose header does not name the image that they run.
	DefaultImage ID = "default-image"
	// SyncOptions is an annotation that makes Argo CD delete the VM in every sync.
	SyncOptions ID = "sync-options"
	// Placement is a node selector that contradicts the fleet's placement.
	Placement ID = "placement"
)
