package golden_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
)

// recorder is a test that only records a failure.
type recorder struct {
	testing.TB
	failed bool
}

func (*recorder) Helper()               {}
func (*recorder) Errorf(string, ...any) {}
func (r *recorder) FailNow()            { r.failed = true }

// If a helper compared nothing, every golden test would pass.
func TestEqual(t *testing.T) {
	if golden.Update() {
		t.Skip("the file is rewritten")
	}
	file := filepath.Join(t.TempDir(), "x.golden")
	require.NoError(t, os.WriteFile(file, []byte("a\n"), 0o600))
	fails := func(file, got string) bool {
		r := recorder{TB: t}
		golden.Equal(&r, file, got)
		return r.failed
	}
	require.False(t, fails(file, "a\n"))
	require.True(t, fails(file, "a"))
	require.True(t, fails(filepath.Dir(file)+"/missing", ""))
}
