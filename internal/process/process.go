// Package process sets the Go runtime up for the commands: processes that read
// much, keep little of what they make, and end soon.
package process

import (
	"os"
	"runtime"
	"runtime/debug"
)

const (
	// memoryLimit is where, in bytes, the garbage collector starts to work
	// harder rather than let the heap double: a file of 100,000 VMs stays under
	// 512 MiB.
	memoryLimit = 448 << 20

	// smallPercent and largePercent are how far the heap may grow, in percent,
	// before it is collected: a small fleet ends before that is worth it.
	smallPercent = 400
	largePercent = 120

	// smallMost is the most VMs of a small fleet.
	smallMost = 4 << 10

	// aloneMost is the most VMs that one CPU renders alone. A second one takes a
	// quarter more CPU time in all, since they share caches and the memory
	// manager's locks, and would save a third of a second here.
	aloneMost = 16 << 10
)

// Tune sets the runtime up for a small fleet, but for what the environment says
// by GOMEMLIMIT, GOGC and GOMAXPROCS.
func Tune() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	collectAt(smallPercent)
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
}

func collectAt(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// Workers returns a function that is told how many VMs were found so far, sets
// the runtime up for them, and says how many goroutines should render them.
// Its calls must come one after the other.
func Workers() func(vms int) int {
	small, alone := true, true
	return func(vms int) int {
		if small && vms > smallMost {
			small = false
			collectAt(largePercent)
		}
		if alone && vms > aloneMost {
			alone = false
			runtime.SetDefaultGOMAXPROCS()
		}
		if alone {
			return 1
		}
		return runtime.GOMAXPROCS(0)
	}
}
