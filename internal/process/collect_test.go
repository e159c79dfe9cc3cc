package process

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRest checks that garbage is collected only when there is enough of it.
func TestRest(t *testing.T) {
	before := debug.SetGCPercent(-1)
	defer debug.SetGCPercent(before)
	rest := newHeap().rest
	runtime.GC()
	collected := collections()
	rest()
	require.Equal(t, collected, collections(), "there is nothing to collect")

	allocate(first)
	rest()
	require.Equal(t, collected+1, collections())
	require.Positive(t, debug.SetGCPercent(-1), "the runtime collects garbage that nobody looks for")

	rest()
	require.Equal(t, collected+1, collections(), "little was allocated since")
	allocate(2 * first)
	rest()
	require.Equal(t, collected+1, collections(), "the second time, more is needed")
	allocate(enough)
	rest()
	require.Equal(t, collected+2, collections())

	t.Setenv("GOGC", "100")
	require.Nil(t, Rest())
}

func TestGrowth(t *testing.T) {
	require.EqualValues(t, enough-1<<20, growth(1<<20))
	require.EqualValues(t, 100<<20, growth(100<<20))
}

var sink []byte

func allocate(bytes int) {
	for range bytes >> 10 {
		sink = make([]byte, 1<<10)
	}
}

func collections() uint32 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.NumGC
}

// TestAllow checks that only the own memory limit is raised, and never lowered.
func TestAllow(t *testing.T) {
	before := debug.SetMemoryLimit(memoryLimit)
	defer debug.SetMemoryLimit(before)
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	allow(memoryLimit - 1)
	require.EqualValues(t, memoryLimit, limit())
	allow(memoryLimit + 1)
	require.EqualValues(t, memoryLimit+1, limit())

	t.Setenv("GOMEMLIMIT", "1GiB")
	allow(memoryLimit + 2)
	require.EqualValues(t, memoryLimit+1, limit())

	t.Setenv("GOMEMLIMIT", "")
	debug.SetMemoryLimit(memoryLimit / 2) // of the sidecar
	allow(memoryLimit + 2)
	require.EqualValues(t, memoryLimit/2, limit())
}
