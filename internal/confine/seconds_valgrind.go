//go:build valgrind

package confine

// Seconds is the CPU time of a render under valgrind, which needs some fifty times as much.
const Seconds = 600
