package manifest_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with the golden file that belongs to an input file, such
// as x.golden.yaml to x.in.yaml, or writes it under -update.
func golden(t *testing.T, input, extension string, got []byte) {
	t.Helper()
	base, _, _ := strings.Cut(input, ".in.")
	name := base + ".golden." + extension
	if *update {
		require.NoError(t, os.WriteFile(name, got, 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "%s; run the test with -update if this is right", name)
}

// inputs calls test for each file that matches the pattern under testdata.
func inputs(t *testing.T, pattern string, test func(t *testing.T, name string, text []byte)) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", pattern))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			test(t, name, text)
		})
	}
}
