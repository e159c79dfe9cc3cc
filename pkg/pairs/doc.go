// Package pairs compares the objects of two states of Git, each next to the other, with what the cluster has of them: a
// sync compares Git with the cluster, not with the last revision.
//
// If the state in the cluster is known, the old side of a pair is what the cluster has of the fields that one side of
// Git has: all others stay as they are. Lists are atomic in KubeVirt's API (a sync replaces them as a whole), so their
// other entries also count.
package pairs
