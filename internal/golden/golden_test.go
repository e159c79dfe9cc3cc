package golden_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
)

// recorder is a test of which only the failure is kept.
type recorder struct {
	testing.TB
	failed bool
}

func (*recorder) Helper()               {}
func (*recorder) Errorf(string, ...any) {}
func (r *recorder) FailNow()            { r.failed = true }

// A helper that compares nothing would let every golden test pass.
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
