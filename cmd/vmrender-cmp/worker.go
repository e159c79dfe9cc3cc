package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/internal/process"
	"github.com/vmrender/vmrender/pkg/report"
)

// worker is the first argument of the process that does the work of a command. Files from a repository, which can
// need any amount of memory, are only parsed there: the sidecar is shared, and one that exceeds its container's limit
// ends all renders.
const worker = "worker"

// mostMemory is the memory of a worker and of each program that it runs, in MiB. It is enough for all fleets whose
// manifests Argo CD accepts: 40,000 VMs in one file, with 100 MiB of manifests, need 215 MiB.
const mostMemory = 256

// delegate runs a command in a worker with limited memory. That takes 8 ms of CPU time.
func delegate(command string, environ []string, stdout io.Writer, messages *bounded) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("looking for this program: %w", err)
	}
	settings, err := process.Confine(mostMemory)
	if err != nil {
		return fmt.Errorf("limiting the memory: %w", err)
	}
	return execute(append(environ, settings...), stdout, messages, self, worker, command)
}

// execute runs a program of vmrender, in the environment of this process if environ is nil, and copies its messages.
// It returns [report.ErrReported] if they describe the problem. Of the Go runtime's dump after a crash, only one line
// remains.
func execute(environ []string, stdout io.Writer, messages *bounded, path string, args ...string) error {
	var text bounded
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = environ, stdout, &text
	err := cmd.Run()
	exit, failed := errors.AsType[*exec.ExitError](err)
	if failed && exit.ExitCode() != statusInvalid {
		if crash := crashed().Find(text.text); crash != nil {
			return crashProblem(string(crash))
		}
	}
	messages.add(&text)
	if failed && exit.Exited() {
		return report.ErrReported
	}
	return err
}

// The first line of a crash, and what it contains if there was no memory: for the heap, or for another thread (Go
// 1.26, runtime/panic.go, mem_linux.go, os_linux.go and cgo/gcc_util.c).
var (
	crashed  = lazyregexp.New(`(?m)^(fatal error|panic|runtime|runtime/cgo): .*$`)
	noMemory = lazyregexp.New(`out of memory|cannot allocate memory|cannot map pages|create|newosproc`)
)

func crashProblem(line string) error {
	if noMemory().MatchString(line) {
		return fmt.Errorf("needs more than %d MiB of memory, which is all that one render may use; "+
			"divide the fleet among several Applications", mostMemory)
	}
	return fmt.Errorf("stopped: %.300s", line)
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
	return "", fmt.Errorf("no program %q beside this one or on the path; a platform needs it", name)
}
