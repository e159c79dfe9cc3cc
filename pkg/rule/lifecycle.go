package rule

// Lifecycle and placement
const (
	// Strategy is a setting that the VM's `lifecycle.strategy` does not allow.
	Strategy ID = "strategy"
	// Replace is `strategy: replace` without `target.applyOutOfSyncOnly`, which recreates all VMs in every sync.
	Replace ID = "replace"
	// BlueGreen is `strategy: blue-green` with `target.applyOutOfSyncOnly`, which deletes an old VM even if the new one
	// has failed.
	BlueGreen ID = "blue-green"
	// Delivery is a key that needs Argo CD, in a fleet that Flux delivers.
	Delivery ID = "delivery"
	// Stopped is a VM that is declared stopped, for which a sync waits in the fleet's version of Argo CD.
	Stopped ID = "stopped"
	// DefaultImage is a fleet with Jobs, but without an image for them.
	DefaultImage ID = "default-image"
	// SyncOptions is an annotation that makes Argo CD delete the VM in every sync, or apply it in another wave.
	SyncOptions ID = "sync-options"
	// Protection is an annotation, an override or a patch that removes the protection of the VM from deletion.
	Protection ID = "protection"
	// Removal is `removal: confirm`, which blocks the Application while Argo CD waits, or which it does not support.
	Removal ID = "removal"
	// Approval is an `approve` or a `policy.approved` that no change needs, or that is not a token, or one for something
	// else than a layer renders; or `stage` for cattle.
	Approval ID = "approval"
	// Migrate is a VM that has moved from vSphere, and whose identity in Git differs from that of its guest.
	Migrate ID = "migrate"
	// Gate is a setting that weakens `policy.approve`, `policy.maxImpact` or `policy.limits`: an overlay that sets a worse
	// level or a higher limit, or a strategy that deletes the VM before the cluster can compare an approval.
	Gate ID = "gate"
	// Held is a file of `vmrender hold` that was changed, or that no longer fits its VM.
	Held ID = "held"
	// Reserved is a label or an annotation under `vmrender.io/`, which only vmrender sets.
	Reserved ID = "reserved"
	// Unsafe is a field that no object of a fleet may have, such as finalizers, owner references or external addresses.
	Unsafe ID = "unsafe"
	// Placement is a node selector that contradicts the fleet's placement.
	Placement ID = "placement"
)
