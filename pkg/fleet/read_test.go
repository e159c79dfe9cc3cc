package fleet

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSlurp shows that reading without package os changes nothing but the time.
func TestSlurp(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []int{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, 200 << 10} {
		path := filepath.Join(dir, "file.yaml")
		want := bytes.Repeat([]byte("a"), size)
		require.NoError(t, os.WriteFile(path, want, 0o600))
		got, err := readFile(path)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got), "%d bytes", size)
	}
	for _, path := range []string{filepath.Join(dir, "missing.yaml"), dir} {
		_, want := readWhole(path)
		_, err := readFile(path)
		require.ErrorIs(t, reason(err), reason(want), path)
	}
}

func readWhole(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written to it
	return io.ReadAll(f)
}
