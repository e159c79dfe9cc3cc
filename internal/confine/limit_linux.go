package confine

import (
	"os"
	"syscall"
)

const (
	// rlimitData is RLIMIT_DATA (asm-generic/resource.h, Linux 6.12). It counts what a process can write to.
	rlimitData = 2

	// reserved is the part of the limit, in MiB, that the Go runtime maps and does not use.
	reserved = 32
)

func init() {
	switch {
	case len(os.Args) == 3 && os.Args[1] == Watcher:
		watch(os.Args[2])
		os.Exit(0)
	case len(os.Args) == 2 && (os.Args[1] == "generate" || os.Args[1] == "parameters"):
		if err := limit(); err != nil {
			_, _ = os.Stderr.WriteString(worded(os.Args[1], "limiting the render: "+err.Error()))
			os.Exit(1)
		}
	}
}

// limit limits the memory and the CPU time of this process, and of each program that it starts.
func limit() error {
	if err := limitData(); err != nil {
		return err
	}
	return limitTime(Seconds, Seconds+grace)
}

// limitData limits the memory.
func limitData() error {
	if raced {
		return nil
	}
	limit := uint64(Memory+reserved) << 20
	return syscall.Setrlimit(rlimitData, &syscall.Rlimit{Cur: limit, Max: limit})
}
