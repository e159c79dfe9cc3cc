// Package cluster reads what a cluster has: its settings, and the objects of an export or of the cluster itself, with
// who owns and applies them. It knows the objects that matter to VMs, and nothing of changes.
package cluster
