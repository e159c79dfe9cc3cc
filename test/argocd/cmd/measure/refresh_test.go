package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A change is a commit of the named files, each with one more comment.
func TestChange(t *testing.T) {
	repository := t.TempDir()
	for _, name := range []string{"a.yaml", "b.yaml"} {
		require.NoError(t, os.WriteFile(filepath.Join(repository, name), []byte("vms: {}\n"), 0o600))
	}
	git := func(args ...string) string {
		text, err := exec.Command("git", append([]string{"-C", repository}, args...)...).CombinedOutput()
		require.NoError(t, err, string(text))
		return string(text)
	}
	git("init", "--quiet")
	git("add", ".")
	require.NoError(t, commit(t.Context(), repository))
	first, err := head(t.Context(), repository)
	require.NoError(t, err)

	require.NoError(t, change(t.Context(), repository, []string{"b.yaml"}))
	second, err := head(t.Context(), repository)
	require.NoError(t, err)
	require.NotEqual(t, first, second)
	require.Equal(t, "b.yaml\n", git("diff", "--name-only", first, second))
	require.Equal(t, "vms: {}\n# changed\n", git("show", "HEAD:b.yaml"))

	require.Error(t, change(t.Context(), repository, []string{"absent.yaml"}))
	_, err = head(t.Context(), t.TempDir())
	require.ErrorContains(t, err, "reading the commit of")
}
