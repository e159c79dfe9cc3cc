//go:build !race

package manifest_test

// raceDetector reports whether the race detector is on, under which pools lose what is put into them.
const raceDetector = false
