//go:build unix

package source

import (
	"errors"
	"syscall"
)

// openFlags open a pipe without waiting for its other end.
const openFlags = syscall.O_RDONLY | syscall.O_CLOEXEC | syscall.O_NONBLOCK

// slurp reads the start of a file into buf. A pipe, a socket and a terminal have no start, so that pread fails. A fleet
// consists of thousands of small files, and half of the cost of os.Open is for files that support polling. Rendering
// 10,000 files takes 4 % more CPU time with os.Open, 13 % more with os.Root, and 1 % more with fstat.
func slurp(path string, buf []byte) (n int, err error) {
	fd, err := syscall.Open(path, openFlags, 0)
	for errors.Is(err, syscall.EINTR) {
		fd, err = syscall.Open(path, openFlags, 0)
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, syscall.Close(fd)) }()
	for {
		n, err = syscall.Pread(fd, buf, 0) // one read returns all of a regular file that fits
		switch {
		case errors.Is(err, syscall.ESPIPE):
			return 0, errNotRegular
		case !errors.Is(err, syscall.EINTR):
			return max(n, 0), err
		}
	}
}
