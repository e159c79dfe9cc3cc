package kubevirt_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain collects garbage less often than Go does by default, which would take a third of
// the CPU time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
