// Package rollout does in a cluster what manifests alone cannot: it restarts
// VirtualMachines that have changed, a few at a time, and takes snapshots before
// a change. It is what the Jobs run that a fleet renders.
//
// What to do next is decided from what the cluster shows ([Options] and the
// labels and annotations of the VirtualMachines), and nothing else is kept: a
// run that was killed goes on where it was when it is started again.
package rollout
