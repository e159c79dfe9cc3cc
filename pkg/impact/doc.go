// Package impact tells what a change of an object does: what KubeVirt, CDI, Argo CD and the platform do with each
// field, by version and by the settings of the cluster.
//
// The rules are data: each [Rule] has the path of a field, a condition, a level, a reason, advice and its source. Those
// of a VM are combined: a stopped VM takes everything at its next start, and a restart holds live changes up.
package impact
