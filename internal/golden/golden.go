// Package golden compares what a test got with a file of what it should be.
// Under "go test -update" it rewrites the file instead; "make golden" does so
// for every package whose tests import this one.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Update reports whether the test rewrites its golden files. It is for tests
// that keep them in a form of their own, such as a part of an archive.
func Update() bool { return *update }

// Equal fails the test unless got is the content of the file.
func Equal(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "%s differs; run \"make golden\" if this is intended", file)
}
