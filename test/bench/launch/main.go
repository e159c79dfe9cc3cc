//go:build unix

// Command launch runs one command, reads its standard output to the end, and
// reports its cost. The benchmark starts every measured command through launch
// rather than directly, because the kernel counts the peak memory of the process
// that calls exec towards the new program (Linux, fs/exec.c exec_mmap with
// setmax_mm_hiwater_rss): measured from a large parent, every small program
// seems as large as the parent. Launch uses only the system calls it needs, about
// 2 MiB, which is the smallest peak it can report.
//
// Usage: launch PROGRAM [ARG...]
//
// PROGRAM is a path. Standard error and the environment are passed on. One line
// goes to file descriptor 3: user ns, system ns, wall ns, peak RSS as the system
// counts it, bytes of standard output, exit status.
package main

import (
	"os"
	"strconv"
	"syscall"
	"time"
)

const reportFD = 3

func main() {
	if len(os.Args) < 2 {
		fail("usage: launch PROGRAM [ARG...]")
	}
	syscall.CloseOnExec(reportFD)
	var pipe [2]int
	check(syscall.Pipe(pipe[:]))
	syscall.CloseOnExec(pipe[0])
	syscall.CloseOnExec(pipe[1])

	start := time.Now()
	pid, err := syscall.ForkExec(os.Args[1], os.Args[1:], &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: []uintptr{0, uintptr(pipe[1]), 2},
	})
	check(err)
	check(syscall.Close(pipe[1]))
	size := drain(pipe[0])
	usage, status := wait(pid)
	wall := time.Since(start)
	peak := int64(usage.Maxrss) //nolint:unconvert // narrower on 32-bit systems
	report(usage.Utime.Nano(), usage.Stime.Nano(), wall.Nanoseconds(), peak, size, int64(status))
}

// drain reads fd to its end and returns the number of bytes. The buffer is as
// large as a Linux pipe, so that the writer never waits long.
func drain(fd int) int64 {
	buffer := make([]byte, 64<<10)
	var size int64
	for {
		n, err := syscall.Read(fd, buffer)
		if err == syscall.EINTR {
			continue
		}
		check(err)
		if n == 0 {
			return size
		}
		size += int64(n)
	}
}

// wait returns the resource usage of the process and its exit status, 128 + n for signal n.
func wait(pid int) (syscall.Rusage, int) {
	var usage syscall.Rusage
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(pid, &status, 0, &usage)
		if err == syscall.EINTR {
			continue
		}
		check(err)
		break
	}
	if status.Signaled() {
		return usage, 128 + int(status.Signal())
	}
	return usage, status.ExitStatus()
}

func report(numbers ...int64) {
	var line []byte
	for _, n := range numbers {
		line = strconv.AppendInt(line, n, 10)
		line = append(line, ' ')
	}
	line[len(line)-1] = '\n'
	_, err := syscall.Write(reportFD, line)
	check(err)
}

func check(err error) {
	if err != nil {
		fail(err.Error())
	}
}

func fail(message string) {
	_, _ = os.Stderr.WriteString("launch: " + message + "\n")
	os.Exit(125)
}
