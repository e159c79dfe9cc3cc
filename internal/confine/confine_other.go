//go:build !linux

package confine

import (
	"os"
	"syscall"
)

// Guard does nothing.
func Guard(string) (end func()) { return func() {} }

// LimitTime does nothing.
func LimitTime(uint64) error { return nil }

// Slow returns "".
func Slow(*os.ProcessState) string { return "" }

// Child returns nil: the process does not end with this one.
func Child() *syscall.SysProcAttr { return nil }
