//go:build !unix

package source

import (
	"errors"
	"io"
	"os"
)

const openFlags = os.O_RDONLY

// slurp reads the start of a regular file into buf.
func slurp(path string, buf []byte) (n int, err error) {
	f, err := os.OpenFile(path, openFlags, 0)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = errNotRegular // reading a directory fails by itself
	}
	if err != nil {
		return 0, err
	}
	n, err = io.ReadFull(f, buf)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}
