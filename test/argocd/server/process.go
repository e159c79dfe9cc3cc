// Package server builds and runs the servers of Argo CD and reports their
// usage. It reads Linux's /proc.
package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Process is a running server.
type Process struct {
	cmd  *exec.Cmd
	log  string        // path of its output
	done chan struct{} // closed when the process has ended
}

// Start starts a program under that name. The servers of Argo CD are one
// program that selects the server by its name. The environment is env alone.
// The output goes to a file in dir.
func Start(program, name, dir string, args, env []string) (*Process, error) {
	log, err := os.Create(filepath.Join(dir, name+".log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	p := &Process{log: log.Name(), done: make(chan struct{})}
	p.cmd = &exec.Cmd{Path: program, Args: append([]string{name}, args...), Env: env, Dir: dir, Stdout: log, Stderr: log}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// pollEvery is the pause between two checks of a starting server.
const pollEvery = 20 * time.Millisecond

// Await waits until ready returns no error, the process ends, or ctx is done.
func (p *Process) Await(ctx context.Context, ready func() error) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		err := ready()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
			continue
		case <-p.done:
			err = errors.New("it has ended")
		case <-ctx.Done():
		}
		return fmt.Errorf("waiting for %s: %w\n%s", p.cmd.Args[0], err, p.Log())
	}
}

// Log returns what the process has written so far.
func (p *Process) Log() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Kill ends the process and waits for it. It returns the peak resident set, in
// bytes, of the process or of its largest child, whichever is larger. It sends
// SIGKILL because cmp-server continues after SIGTERM (argo-cd v3.2.11,
// cmpserver/server.go Run: only the socket is removed).
func (p *Process) Kill() (peak int64) {
	_ = p.cmd.Process.Kill()
	<-p.done
	if usage, ok := p.cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak = usage.Maxrss << 10 // getrusage(2): KiB
	}
	return peak
}
