//go:build !race

package confine

// raced reports whether the race detector is on.
const raced = false
