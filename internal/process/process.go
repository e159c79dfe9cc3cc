// Package process tunes the Go runtime for the commands: short-lived processes
// that read a lot and keep little of it in memory.
package process

import (
	"os"
	"runtime"
	"runtime/debug"
)

const (
	// memoryLimit is the size in bytes above which the garbage collector runs
	// more often instead of letting the heap double: a file of 100,000 VMs stays
	// under 512 MiB.
	memoryLimit = 464 << 20

	// percent is the growth of the heap, in percent, that starts a collection. A
	// short command is done before a collection is worth its cost.
	percent = 400

	// aloneMost is the maximum number of VMs that a single CPU renders. With a
	// second one, rendering takes a quarter more CPU time in total, because they
	// share caches and the memory manager's locks, and saves a third of a second
	// at this size.
	aloneMost = 16 << 10
)

// Tune tunes the runtime for a small fleet, except for what GOMEMLIMIT, GOGC and
// GOMAXPROCS set in the environment.
func Tune() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	if !hasCPUs() {
		runtime.GOMAXPROCS(1)
	}
}

// Room lets the heap grow by what objects of so many bytes of JSON need as trees, all of which a command keeps. Near
// the limit, almost half of its time would go to the garbage collector. GOMEMLIMIT in the environment counts more.
func Room(bytes int) {
	const asTrees = 12 // times the size of their JSON
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit + asTrees*int64(bytes))
	}
}

// allow raises the memory limit to so many bytes, if it is that of [Tune] and not a smaller or a user's one.
func allow(bytes uint64) {
	limit := debug.SetMemoryLimit(-1)
	if os.Getenv("GOMEMLIMIT") == "" && limit >= memoryLimit && bytes > uint64(limit) {
		debug.SetMemoryLimit(int64(bytes))
	}
}

// hasCPUs reports whether the environment sets the number of CPUs.
func hasCPUs() bool { return os.Getenv("GOMAXPROCS") != "" }

// Workers returns a function that tunes the runtime for the number of VMs found so
// far, and returns the number of goroutines to render them with. It must not be
// called concurrently.
func Workers() func(vms int) int {
	alone := true
	return func(vms int) int {
		if alone && vms > aloneMost {
			alone = false
			if !hasCPUs() {
				runtime.SetDefaultGOMAXPROCS()
			}
		}
		if alone {
			return 1
		}
		return runtime.GOMAXPROCS(0)
	}
}
