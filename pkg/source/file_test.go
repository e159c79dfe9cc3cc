package source

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Reading without package os is only faster.
func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []int{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, 200 << 10, MaxFileSize} {
		path := filepath.Join(dir, "file.yaml")
		want := bytes.Repeat([]byte("a"), size)
		require.NoError(t, os.WriteFile(path, want, 0o600))
		got, err := ReadFile(path)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got), "%d bytes", size)
	}
	for _, path := range []string{filepath.Join(dir, "missing.yaml"), dir} {
		_, want := os.ReadFile(path)
		_, err := ReadFile(path)
		require.ErrorIs(t, err, reason(want), path)
	}
}

// A file that is too large, has no end, or waits for its writer is rejected without being
// read.
func TestReadFileRefuses(t *testing.T) {
	large, pipe := filepath.Join(t.TempDir(), "large"), filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	require.NoError(t, os.Truncate(large, MaxFileSize+1))
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	full := filepath.Join(t.TempDir(), "full")
	require.NoError(t, syscall.Mkfifo(full, 0o600))
	both, err := os.OpenFile(full, os.O_RDWR, 0)
	require.NoError(t, err)
	defer both.Close() //nolint:errcheck // it is a pipe
	_, err = both.WriteString("vms: {}")
	require.NoError(t, err)
	for path, want := range map[string]string{
		full:        "not a regular file",
		large:       "file is too large; a file holds at most 32 MiB",
		pipe:        "not a regular file",
		"/dev/zero": "not a regular file",
		"/dev/null": "not a regular file",
	} {
		_, err := ReadFile(path)
		require.EqualError(t, err, want)
	}
}
