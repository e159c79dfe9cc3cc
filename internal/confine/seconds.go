//go:build !valgrind

package confine

// Seconds is the CPU time of a render, where the system can limit it: more than twice what the largest fleets need
// whose manifests Argo CD accepts. What is known to take long has its own bounds, whose messages tell more.
const Seconds = 10
