//go:build unix

package source

import (
	"errors"
	"syscall"
)

// openFlags open a pipe without waiting for its other end.
const openFlags = syscall.O_RDONLY | syscall.O_CLOEXEC | syscall.O_NONBLOCK

// slurp reads as much of a regular file as fits into buf. A fleet consists of
// thousands of small files, and half of the cost of os.Open is for files that
// support polling. Rendering 10,000 files takes 4 % more CPU time with os.Open,
// and 13 % more with os.Root.
func slurp(path string, buf []byte) (n int, err error) {
	fd, err := syscall.Open(path, openFlags, 0)
	for errors.Is(err, syscall.EINTR) {
		fd, err = syscall.Open(path, openFlags, 0)
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, syscall.Close(fd)) }()
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err != nil {
		return 0, err
	}
	if kind := info.Mode & syscall.S_IFMT; kind != syscall.S_IFREG && kind != syscall.S_IFDIR {
		return 0, errNotRegular // reading a directory fails by itself
	}
	for {
		n, err = syscall.Read(fd, buf) // one read returns all of a regular file that fits
		if !errors.Is(err, syscall.EINTR) {
			return max(n, 0), err
		}
	}
}
