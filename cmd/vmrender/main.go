// Command vmrender renders compact values of virtual machines into KubeVirt and
// CDI manifests.
//
// Manifests and requested reports go to stdout, everything for people goes to
// stderr. The exit status is 0 for success, 1 for invalid input, 2 for a
// command line that is not understood.
package main

import (
	"os"
	"runtime/debug"
)

// memoryLimit is where, in bytes, the garbage collector starts to work harder
// rather than let the heap double: a file of 100,000 VMs stays under 512 MiB.
const memoryLimit = 448 << 20

// gcPercent suits a process that keeps little of what it makes and ends soon.
const gcPercent = 150

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	os.Exit(execute(newRootCommand(), os.Args[1:]))
}
