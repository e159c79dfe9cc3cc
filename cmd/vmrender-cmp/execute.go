package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/vmrender/vmrender/internal/confine"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

// execute runs a program of vmrender with the limits of this process, and copies its messages. It returns
// [problems.ErrReported] if they describe the problem. Of the Go runtime's dump after a crash, only one line remains.
func execute(stdout io.Writer, messages *bounded, path string, args ...string) error {
	var text bounded
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = stdout, &text
	// Whatever this process's environment contains: the last value of a variable counts.
	cmd.Env = append(os.Environ(), "GOMEMLIMIT="+strconv.Itoa(confine.Heap), "GOTRACEBACK=none")
	cmd.SysProcAttr = confine.Child()
	if err := confine.LimitTime(confine.Seconds); err != nil {
		return err
	}
	runtime.LockOSThread() // as Child requires
	err := cmd.Run()
	runtime.UnlockOSThread()
	exit, failed := errors.AsType[*exec.ExitError](err)
	// A fleet with errors is no crash, so its messages are not searched for one.
	if failed && exit.ExitCode() != statusInvalid {
		if crash := confine.Crash(string(text.text)); crash != "" {
			return errors.New(crash)
		}
	}
	if failed && confine.Slow(exit.ProcessState) != "" {
		return errors.New(confine.Slow(exit.ProcessState))
	}
	messages.add(&text)
	// A program that exited has explained why. A signal or a missing program is an error that it could not report.
	if failed && exit.Exited() {
		return problems.ErrReported
	}
	return err
}

// locate returns the path of a program of vmrender: next to the running one, which
// is then of the same release, or in PATH.
func locate(name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("looking for %s: %w", name, err)
	}
	for _, candidate := range []string{filepath.Join(filepath.Dir(self), name), name} {
		if path, err := exec.LookPath(candidate); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no program %q next to this one or in PATH; a platform needs it", name)
}
