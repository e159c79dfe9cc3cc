// Package world models what is in a cluster at one moment: which VMs run, what each of them holds that no other
// running VM may have at the same time, and what its next start takes. Three such moments make a plan: before a sync,
// after it, and after the next starts, in any order.
//
// It knows nothing of levels or of output: what follows from a collision is for package plan.
package world
