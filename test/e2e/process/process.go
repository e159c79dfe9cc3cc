// Package process starts the servers that the tests talk to, and ends them.
package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// Server is a program to start.
type Server struct {
	Name  string   // the name of the process and of its log
	Path  string   // the program
	Args  []string // without the name
	Env   []string // in addition to the environment of the tests
	Ready func(context.Context) error
}

// Running is a server that has been started.
type Running struct {
	Name string
	Log  string // path of a file with stdout and stderr

	server Server
	dir    string
	cmd    *exec.Cmd
	done   chan struct{} // closed when it has ended
}

// startTimeout is how long a server may take until it is ready, on a computer
// that is busy with another build.
const startTimeout = 3 * time.Minute

// rarely makes Go programs collect garbage less often than they do by default, up to a limit,
// because memory is available and CPU time is not. An API server with the definitions of all layers
// fills 2 GiB.
var rarely = []string{"GOGC=400", "GOMEMLIMIT=3GiB"}

// Unlimited is the environment of a program that has no limit of memory and collects garbage as Go does by default.
var Unlimited = []string{AsReleased, "GOMEMLIMIT=off"}

// AsReleased is the environment of a program that is to collect garbage as it does elsewhere.
// Its limit must be set, too.
const AsReleased = "GOGC=100"

// Start starts the server, with its log in dir, and waits until it is ready.
func Start(ctx context.Context, dir string, s Server) (*Running, error) {
	r := &Running{Name: s.Name, Log: filepath.Join(dir, s.Name+".log"), server: s, dir: dir}
	return r, r.Again(ctx)
}

// Again starts the server again after [Running.Stop], and waits until it is ready. Its log
// continues.
func (r *Running) Again(ctx context.Context) error {
	s := &r.server
	file, err := os.OpenFile(r.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // the server has its own descriptor
	r.cmd, r.done = exec.Command(s.Path, s.Args...), make(chan struct{})
	r.cmd.Args[0] = s.Name
	r.cmd.Dir = r.dir
	r.cmd.Env = slices.Concat(os.Environ(), rarely, s.Env)
	r.cmd.Stdout, r.cmd.Stderr = file, file
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := r.cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", s.Name, err)
	}
	go func(cmd *exec.Cmd, done chan struct{}) {
		_ = cmd.Wait() //nolint:errcheck // that it has ended is what counts
		close(done)
	}(r.cmd, r.done)
	if err := r.waitReady(ctx, s.Ready); err != nil {
		r.Stop()
		return fmt.Errorf("starting %s: %w\n%s", s.Name, err, r.Tail(4096))
	}
	return nil
}

func (r *Running) waitReady(ctx context.Context, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	return Poll(ctx, func(ctx context.Context) error {
		select {
		case <-r.done:
			return Stopped{errors.New("it has ended")}
		default:
			return ready(ctx)
		}
	})
}

// Stop kills the server and everything that it has started, and waits for its
// end. Some servers do not end on a milder signal: argocd-cmp-server only
// removes its socket.
func (r *Running) Stop() {
	_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) //nolint:errcheck // it may have ended already
	<-r.done
}

// PID returns the number of the process.
func (r *Running) PID() int { return r.cmd.Process.Pid }

// MaxRSS returns the largest resident memory, in bytes, of the server and every
// program that it has run, once the server has ended.
func (r *Running) MaxRSS() int64 {
	usage, ok := r.cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}

// Logs returns a function that reports whether the log contains the text. Each call reads only what was written since
// the last one: logs grow to many megabytes, and what waits for a line asks often.
func (r *Running) Logs(text string) func() bool {
	var read int64
	found := false
	return func() bool {
		if found {
			return true
		}
		log, err := os.Open(r.Log)
		if err != nil {
			return false
		}
		defer log.Close()
		news, err := io.ReadAll(io.NewSectionReader(log, read, 1<<40))
		found = err == nil && bytes.Contains(news, []byte(text))
		// The text may have been written in part.
		read += max(0, int64(len(news)-len(text)))
		return found
	}
}

// Tail returns the end of the log.
func (r *Running) Tail(size int) []byte {
	content, err := os.ReadFile(r.Log)
	if err != nil {
		return []byte(err.Error())
	}
	return bytes.TrimSpace(content[max(0, len(content)-size):])
}
