package values

// RestoreFrom puts the disks of a snapshot in place of those of a pet, once. A Job does it before the sync changes
// anything, with `target.image`: it stops the VM, and KubeVirt replaces the claims under their names, so that the next
// sync has nothing to change. What was written since the snapshot is lost. See
// [restore.md](../how-to/restore.md).
type RestoreFrom struct {
	// Name of the VirtualMachineSnapshot, which is of this VM.
	Snapshot string `json:"snapshot,omitempty" format:"name"`
	// Token of `vmrender plan`, without which nothing is restored. It is for this VM, this snapshot and one restore.
	Token string `json:"token,omitempty"`
}
