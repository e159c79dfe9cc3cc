package manifest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// goldenOf returns the golden file that belongs to an input file, such as x.golden.yaml
// for x.in.yaml.
func goldenOf(input, extension string) string {
	base, _, _ := strings.Cut(input, ".in.")
	return base + ".golden." + extension
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
