//go:build unix

package fleet

import (
	"errors"
	"syscall"
)

// slurp reads what fits into buf of a regular file. A fleet is thousands of
// small files, and half of what os.Open costs is for files that one can wait for.
func slurp(path string, buf []byte) (n int, err error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	for errors.Is(err, syscall.EINTR) {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, syscall.Close(fd)) }()
	for {
		n, err = syscall.Read(fd, buf) // a regular file gives all it has at once
		if !errors.Is(err, syscall.EINTR) {
			return max(n, 0), err
		}
	}
}
