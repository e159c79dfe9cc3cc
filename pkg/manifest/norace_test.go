//go:build !race

package manifest_test

// raceDetector reports whether the race detector is on. With it, more is allocated.
const raceDetector = false
