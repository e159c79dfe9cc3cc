package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"
)

// command is one program call.
type command struct {
	Path string
	Args []string
	Dir  string   // working directory, the caller's if empty
	Env  []string // in addition to the caller's environment, as KEY=VALUE
}

func (c command) exec(ctx context.Context, prefix ...string) *exec.Cmd {
	words := slices.Concat(prefix, []string{c.Path}, c.Args)
	call := exec.CommandContext(ctx, words[0], words[1:]...)
	call.Dir = c.Dir
	call.Env = append(os.Environ(), c.Env...)
	return call
}

// output runs the command and returns its standard output.
func (c command) output(ctx context.Context) ([]byte, error) {
	call := c.exec(ctx)
	var stderr bytes.Buffer
	call.Stderr = &stderr
	out, err := call.Output()
	if err != nil {
		return nil, fmt.Errorf("running %s %q: %w: %s", c.Path, c.Args, err, firstBytes(stderr.Bytes(), 2000))
	}
	return out, nil
}

// sample is the cost of one run of a command.
type sample struct {
	CPU    time.Duration // user and system time of the process
	Wall   time.Duration // from fork to exit
	Peak   int64         // peak resident set size, bytes
	Output int64         // bytes on standard output
}

// measure runs the command through the program launch, with standard output going
// to a pipe that is drained, and returns the cost. A command that fails is an
// error.
func (c command) measure(ctx context.Context, launch string) (sample, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return sample{}, err
	}
	defer func() { _ = reader.Close() }()
	call := c.exec(ctx, launch)
	call.ExtraFiles = []*os.File{writer} // file descriptor 3
	var stderr bytes.Buffer
	call.Stderr = &stderr
	err = call.Run()
	_ = writer.Close()
	if err != nil {
		return sample{}, fmt.Errorf("measuring %s: %w: %s", c.Path, err, firstBytes(stderr.Bytes(), 2000))
	}
	line, err := io.ReadAll(reader)
	if err != nil {
		return sample{}, err
	}
	got, status, err := parseSample(string(line))
	if err == nil && status != 0 {
		err = fmt.Errorf("%s %q: exit status %d: %s", c.Path, c.Args, status, firstBytes(stderr.Bytes(), 2000))
	}
	return got, err
}

// parseSample reads the line that launch writes.
func parseSample(line string) (sample, int, error) {
	var user, system, wall, peak, size int64
	var status int
	if _, err := fmt.Sscan(line, &user, &system, &wall, &peak, &size, &status); err != nil {
		return sample{}, 0, fmt.Errorf("reading the report of launch %q: %w", line, err)
	}
	if runtime.GOOS != "darwin" { // getrusage(2): ru_maxrss is in bytes there and in KiB elsewhere
		peak *= 1024
	}
	return sample{
		CPU:    time.Duration(user + system),
		Wall:   time.Duration(wall),
		Peak:   peak,
		Output: size,
	}, status, nil
}

func firstBytes(text []byte, most int) []byte {
	return text[:min(len(text), most)]
}

// median returns the middle value, or the upper one of two. There must be at least one value.
func median[T int64 | float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
