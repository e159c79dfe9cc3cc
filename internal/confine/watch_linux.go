package confine

import (
	"errors"
	"os"
	"syscall"
)

// mostText is the maximum size in bytes of what is kept of what the Go runtime writes in a crash.
const mostText = 64 << 10

// startWatcher starts a process that reads a pipe to its end.
func startWatcher(command string, pipe int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// It has no standard output, which Argo CD would read until it ends.
	_, err = syscall.ForkExec(self, []string{os.Args[0], Watcher, command}, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{uintptr(pipe), 2, 2},
	})
	return err
}

// watch copies standard input to standard error when it has ended. Of a crash, only the reason remains.
func watch(command string) {
	text := drain(0)
	if crash := Crash(text); crash != "" {
		text = worded(command, crash)
	}
	_, _ = os.Stderr.WriteString(text)
}

// drain reads a file to its end, and returns the first bytes.
func drain(fd int) string {
	text, part := []byte(nil), make([]byte, mostText/8)
	for {
		n, err := syscall.Read(fd, part)
		if n > 0 {
			text = append(text, part[:min(n, mostText-len(text))]...)
		}
		if !errors.Is(err, syscall.EINTR) && n <= 0 {
			return string(text)
		}
	}
}
