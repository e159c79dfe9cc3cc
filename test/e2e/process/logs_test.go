package process

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A text is found when all of it is written, in as many parts as it may come.
func TestLogs(t *testing.T) {
	t.Parallel()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	require.NoError(t, err)
	defer log.Close()
	asked := (&Running{Log: log.Name()}).Logs("needs confirmation")
	for _, part := range []string{"", "a line\nneeds", " confir", "matio"} {
		_, err := log.WriteString(part)
		require.NoError(t, err)
		require.False(t, asked(), part)
	}
	_, err = log.WriteString("n\nmore\n")
	require.NoError(t, err)
	require.True(t, asked())
	require.True(t, asked())
	require.False(t, (&Running{Log: filepath.Join(t.TempDir(), "none")}).Logs("a line")())
}
