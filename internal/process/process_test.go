package process_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/process"
)

// TestWorkers checks that one CPU renders most fleets, and all CPUs a large one.
func TestWorkers(t *testing.T) {
	t.Setenv("GOGC", "100") // the test process keeps its own setting
	cpus := runtime.GOMAXPROCS(0)
	workers := process.Workers()
	for _, c := range []struct{ vms, want int }{{1, 1}, {4096, 1}, {4097, 1}, {16384, 1}, {16385, cpus}, {100000, cpus}} {
		require.Equal(t, c.want, workers(c.vms), c.vms)
	}
}

// TestWorkersOfTheEnvironment checks that a number of CPUs that a user sets also applies to a large fleet.
func TestWorkersOfTheEnvironment(t *testing.T) {
	before := runtime.GOMAXPROCS(3) // as the runtime does before main
	defer runtime.GOMAXPROCS(before)
	t.Setenv("GOMAXPROCS", "3")
	workers := process.Workers()
	require.Equal(t, 1, workers(16384))
	require.Equal(t, 3, workers(16385))
}

// TestRoom checks that what a command keeps has room, unless a user sets the limit.
func TestRoom(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	process.Room(0)
	least := debug.SetMemoryLimit(-1)
	process.Room(1 << 20)
	require.EqualValues(t, 12<<20, debug.SetMemoryLimit(-1)-least)

	t.Setenv("GOMEMLIMIT", "1GiB")
	debug.SetMemoryLimit(1 << 30) // as the runtime does before main
	process.Room(1 << 20)
	require.EqualValues(t, 1<<30, debug.SetMemoryLimit(-1))
}
