//go:build !race

package manifest_test

// raceDetector says that pools lose what is put into them, as they do under the race detector.
const raceDetector = false
