// Package confine limits the memory and the CPU time of vmrender-cmp. Files from a repository can need any amount of
// it, and are only parsed within the limits: the sidecar is shared, and one that exceeds its container's limit ends
// all renders. What ends there is reported in one line.
//
// Importing the package sets the limits, before main. For the report of a crash, which a process cannot make itself,
// a second process watches one that uses much memory. It needs nothing that vmrender-cmp links, and initializing that
// takes longer than rendering a VM, so it works and ends while this package is initialized. Go initializes packages
// in the order of their import paths, as soon as their own imports are (The Go Programming Language Specification,
// version go1.21, Program initialization). This one imports only what is initialized before any package of another
// module, which a test checks.
//
// Where the system cannot limit the memory, none of that happens.
package confine

// Memory is the memory of the process and of each program that it runs, in MiB. It is enough for usual
// fleets whose manifests Argo CD accepts: 40,000 VMs in one file, with 93 MiB of manifests, need up to 202 MiB.
const Memory = 256

// Heap is the size in bytes of the heap near which the Go runtime must keep collecting garbage, before the memory is
// used up.
const Heap = 192 << 20

// Watcher is the first argument of the process that watches another one. The command of that one follows.
const Watcher = "watch"

// worded returns a problem of a command as a line for users.
func worded(command, problem string) string { return "vmrender-cmp " + command + ": " + problem + "\n" }

// needsMore is the problem of a process that has no memory left.
const needsMore = "needs more than 256 MiB of memory, which is all that one render may use; " +
	"divide the fleet among several Applications"

// crashes is how the Go runtime begins the lines that report why it ends a process. noMemory is in such a line
// if there was no memory, for the heap or for another thread (Go 1.26, runtime/panic.go, mem_linux.go, os_linux.go and
// cgo/gcc_util.c). A fault in the runtime itself is one: its garbage collector uses memory that it did not get
// (mgcmark_greenteagc.go, newSpanSPMC). Faults elsewhere are panics.
var (
	crashes  = [...]string{"fatal error: ", "panic: ", "runtime: ", "runtime/cgo: ", "SIGSEGV: "}
	noMemory = [...]string{
		"out of memory", "cannot allocate memory", "cannot map pages", "create", "newosproc", "SIGSEGV: ",
	}
)

// Crash returns why the Go runtime ended a process, from what it wrote to standard error: a single line, without its
// stacks. It returns "" if the runtime did not end it.
func Crash(stderr string) string {
	for start := 0; start < len(stderr); {
		end := start
		for end < len(stderr) && stderr[end] != '\n' {
			end++
		}
		line := stderr[start:end]
		for _, words := range crashes {
			if index(line, words) == 0 {
				return reason(line)
			}
		}
		start = end + 1
	}
	return ""
}

func reason(line string) string {
	for _, words := range noMemory {
		if index(line, words) >= 0 {
			return needsMore
		}
	}
	const most = 300 // bytes
	return "stopped: " + line[:min(len(line), most)]
}

// index returns where part first occurs in text, or -1. Package strings is initialized too late.
func index(text, part string) int {
	for i := range len(text) - len(part) + 1 {
		if text[i:i+len(part)] == part {
			return i
		}
	}
	return -1
}
