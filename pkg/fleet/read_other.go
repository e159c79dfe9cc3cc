//go:build !unix

package fleet

import (
	"errors"
	"io"
	"os"
)

// slurp reads as much of a regular file as fits into buf.
func slurp(path string, buf []byte) (n int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	n, err = io.ReadFull(f, buf)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}
