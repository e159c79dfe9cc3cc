// Package rollout does in a cluster what manifests alone cannot: it restarts changed
// VirtualMachines, a few at a time, takes snapshots before a change, and approves the
// versions of operators that Git pins. The Jobs that are rendered for a fleet or a
// platform run it.
//
// A run keeps no state. Each step depends only on [Options] and on the objects in the
// cluster, including the labels and annotations of the VirtualMachines: a run that
// was killed resumes where it stopped when it is started again. What one rollout
// leaves to the next is in annotations of its Lease.
package rollout
