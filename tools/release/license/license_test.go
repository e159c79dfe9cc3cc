package license_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/tools/release/license"
	"github.com/vmrender/vmrender/tools/release/program"
)

func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
}

// Licenses come from the root of a module and from the directories above linked
// packages. A module without a license is refused.
func TestCollect(t *testing.T) {
	root, here := t.TempDir(), program.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH}
	write(t, root, map[string]string{
		"go.mod":                  "module example.com/a\n\ngo 1.26\n\nrequire example.com/b v1.0.0\n\nreplace example.com/b => ./b\n",
		"main.go":                 "package main\n\nimport _ \"example.com/b/linked/deep\"\n\nfunc main() {}\n",
		"LICENSE.txt":             "of a",
		"b/go.mod":                "module example.com/b\n\ngo 1.26\n",
		"b/linked/deep/deep.go":   "package deep\n",
		"b/linked/COPYING":        "of linked",
		"b/linked/license.go":     "package linked\n",
		"b/unused/LICENSE":        "of unused",
		"b/unused/unused.go":      "package unused\n",
		"b/linked/deep/notice.md": "of deep",
	})
	files, err := license.Collect(t.Context(), root, here, ".")
	require.NoError(t, err)
	goLicense := "go@" + runtime.Version()[len("go"):] + "/LICENSE"
	require.Contains(t, string(files[goLicense]), "The Go Authors")
	require.Equal(t, "of a", string(files["example.com/a/LICENSE.txt"]))
	require.Equal(t, "of linked", string(files["b/linked/COPYING"]))
	require.Equal(t, "of deep", string(files["b/linked/deep/notice.md"]))
	for name := range files {
		require.NotContains(t, name, "unused")
		require.NotContains(t, name, ".go")
	}

	require.NoError(t, os.Remove(filepath.Join(root, "b/linked/COPYING")))
	require.NoError(t, os.Remove(filepath.Join(root, "b/linked/deep/notice.md")))
	_, err = license.Collect(t.Context(), root, here, ".")
	require.ErrorContains(t, err, "has no license in its root, nor next to the packages that are linked")
}
