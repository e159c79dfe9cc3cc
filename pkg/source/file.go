package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
)

// buffers are reused for reading files, most of which are far smaller.
var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// ReadFile reads a regular file of at most [MaxFileSize] bytes. It never waits: a pipe, a socket or a device is an
// error. Errors do not name the file.
func ReadFile(path string) ([]byte, error) {
	buf := buffers.Get().(*[64 << 10]byte)
	defer buffers.Put(buf)
	n, err := slurp(path, buf[:])
	if err == nil && (n == 0 || n == len(buf)) {
		return readSlowly(path) // it is large, or may be a device that reads as nothing or without an end
	}
	if err != nil {
		return nil, reason(err)
	}
	return bytes.Clone(buf[:n]), nil
}

// ErrTooLarge is the error for a file of more than [MaxFileSize] bytes.
var ErrTooLarge = fmt.Errorf("file is too large; a file holds at most %d MiB", MaxFileSize>>20)

var errNotRegular = errors.New("not a regular file")

// readSlowly reads a file of any size, after a look at what it is.
func readSlowly(path string) ([]byte, error) {
	f, err := os.OpenFile(path, openFlags, 0)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close() //nolint:errcheck // nothing was written to it
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, reason(err)
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	case info.Size() > MaxFileSize:
		return nil, ErrTooLarge
	}
	data := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(f, MaxFileSize+1)); err != nil {
		return nil, reason(err)
	}
	if data.Len() > MaxFileSize {
		return nil, ErrTooLarge
	}
	return data.Bytes(), nil
}

// reason strips the operation and the path from an os error.
func reason(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}
