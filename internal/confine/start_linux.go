package confine

import (
	"errors"
	"os"
	"syscall"
	"time"
)

const (
	// rlimitData is RLIMIT_DATA (asm-generic/resource.h, Linux 6.12). It counts what a process can write to.
	rlimitData = 2

	// reserved is the part of the limit, in MiB, that the Go runtime maps and does not use.
	reserved = 32

	// mostText is the maximum size in bytes of what is kept of the second process's standard error. It writes no
	// more than 8 KiB of messages itself.
	mostText = 64 << 10

	// statusInvalid is the exit status for invalid input. A process that the Go runtime ends has a higher one.
	statusInvalid = 1
)

func init() {
	if len(os.Args) == 2 && (os.Args[1] == "generate" || os.Args[1] == "parameters") {
		os.Exit(start(os.Args[1]))
	}
}

// start runs a command in the second process, copies its messages, and returns the exit status.
func start(command string) int {
	text, status, used, err := work(command)
	switch {
	case err != nil:
		text = problem(command, "starting the render: "+err.Error())
	case slow(status, used) != "":
		text += problem(command, slow(status, used))
	case status.Signaled():
		text += problem(command, "signal: "+status.Signal().String())
	case status.ExitStatus() > statusInvalid:
		if crash := Crash(text); crash != "" {
			text = problem(command, crash)
		}
	}
	if _, err := os.Stderr.WriteString(text); err != nil || !status.Exited() {
		return statusInvalid
	}
	return min(status.ExitStatus(), statusInvalid)
}

func problem(command, text string) string { return "vmrender-cmp " + command + ": " + text + "\n" }

// work runs a command in the second process, and returns what it wrote to standard error, and its CPU time.
func work(command string) (stderr string, status syscall.WaitStatus, used time.Duration, err error) {
	if err := limitData(); err != nil {
		return "", 0, 0, err
	}
	if err := LimitTime(Seconds); err != nil {
		return "", 0, 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return "", 0, 0, err
	}
	var pipe [2]int
	if err := syscall.Pipe2(pipe[:], syscall.O_CLOEXEC); err != nil {
		return "", 0, 0, err
	}
	pid, err := syscall.ForkExec(self, []string{os.Args[0], Worker, command}, &syscall.ProcAttr{
		Env: environ(), Files: []uintptr{0, 1, uintptr(pipe[1])}, Sys: Child(),
	})
	_ = syscall.Close(pipe[1]) // so that reading ends with the process
	if err != nil {
		return "", 0, 0, err
	}
	stderr = drain(pipe[0])
	var usage syscall.Rusage
	for {
		if _, err = syscall.Wait4(pid, &status, 0, &usage); !errors.Is(err, syscall.EINTR) {
			return stderr, status, time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), err
		}
	}
}

// limitData limits the memory of this process and of those that it starts.
func limitData() error {
	if raced {
		return nil
	}
	limit := uint64(Memory+reserved) << 20
	return syscall.Setrlimit(rlimitData, &syscall.Rlimit{Cur: limit, Max: limit})
}

// environ returns the environment of the second process. Its Go runtime collects garbage before the memory is used up,
// and prints no stacks, whatever this process's environment contains: the first value of a variable counts.
func environ() []string {
	return append([]string{"GOMEMLIMIT=192MiB", "GOTRACEBACK=none"}, os.Environ()...)
}

// drain reads a pipe to its end, and returns the first bytes.
func drain(pipe int) string {
	text, part := []byte(nil), make([]byte, mostText/8)
	for {
		n, err := syscall.Read(pipe, part)
		if n > 0 {
			text = append(text, part[:min(n, mostText-len(text))]...)
		}
		if !errors.Is(err, syscall.EINTR) && n <= 0 {
			return string(text)
		}
	}
}
