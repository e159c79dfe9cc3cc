package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A changed chart needs a higher version, and a line of versions.txt changes only with
// the version. None of this needs the Git history.
func TestVersions(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(file, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	generated := func() string {
		files := map[string][]byte{}
		require.NoError(t, addVersions(files))
		write(versionsFile, string(files[versionsFile]))
		return string(files[versionsFile])
	}
	write("charts/web/Chart.yaml", "name: web\nversion: 0.1.9\n")
	write("charts/web/values.yaml", "a: 1\n")
	write("charts/web/templates/a.yaml", "a\n")
	first := generated()
	require.Regexp(t, "(?m)^web 0\\.1\\.9 [0-9a-f]{16}$", first)
	require.NoError(t, checkVersions())

	write("charts/web/templates/a.yaml", "b\n")
	require.Equal(t, first, generated())
	require.ErrorContains(t, checkVersions(), "charts that have changed since their version: web 0.1.9; raise `version`")

	require.NoError(t, raiseVersions())
	require.NoError(t, checkVersions())
	second := generated()
	require.Regexp(t, "(?m)^web 0\\.1\\.10 ", second)
	write("charts/web/Chart.yaml", "name: web\nversion: 0.1.8\n")
	require.ErrorContains(t, checkVersions(), "web 0.1.8")
	require.Equal(t, second, generated())
}
