package process

import (
	"fmt"
	"syscall"
)

// rlimitData is RLIMIT_DATA (asm-generic/resource.h, Linux 6.12). It counts what a process can write to.
const rlimitData = 2

// Confine limits the memory of the processes that this one starts to a number of MiB, and returns the environment
// variables that they need. A Go process that would need more crashes.
func Confine(mib int) ([]string, error) {
	limit := uint64(mib+reserved) << 20
	err := syscall.Setrlimit(rlimitData, &syscall.Rlimit{Cur: limit, Max: limit})
	return []string{fmt.Sprintf("GOMEMLIMIT=%dMiB", mib*3/4), "GOTRACEBACK=none"}, err
}

// reserved is the part of the limit, in MiB, that the Go runtime maps and does not use.
const reserved = 32
