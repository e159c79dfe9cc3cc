// Package editor tests the schemas in yaml-language-server, which provides the YAML support
// of VS Code, IntelliJ, Neovim, and others. It tests the problems, proposals, and texts that
// a user sees while writing the files of a fleet.
package editor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExamples checks that the language server finds nothing in the examples.
func TestExamples(t *testing.T) {
	all := roots(t)
	require.Contains(t, all, "fleet")
	for _, root := range all {
		t.Run(root, func(t *testing.T) {
			f := open(t, root)
			names := f.files()
			require.NotEmpty(t, names)
			for _, name := range names {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					text, err := os.ReadFile(filepath.Join(f.root, name))
					require.NoError(t, err)
					_, found := fleet{t, f.root}.show(name, string(text))
					require.Empty(t, found)
				})
			}
		})
	}
}
