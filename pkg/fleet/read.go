package fleet

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/vmrender/vmrender/pkg/source"
)

// buffers are reused for reading files, most of which are far smaller.
var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

func readFile(path string) ([]byte, error) {
	buf := buffers.Get().(*[64 << 10]byte)
	defer buffers.Put(buf)
	n, err := slurp(path, buf[:])
	if err != nil {
		return nil, err
	}
	if n < len(buf) {
		return bytes.Clone(buf[:n]), nil
	}
	return readLarge(path)
}

// errTooLarge is the error for a file that is not read to its end.
var errTooLarge = errors.New("file is too large; a values file holds at most 32 MiB")

func readLarge(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written to it
	data, err := io.ReadAll(io.LimitReader(f, source.MaxFileSize+1))
	if len(data) > source.MaxFileSize {
		return nil, errTooLarge
	}
	return data, err
}
