package e2e_test

import (
	"debug/buildinfo"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/e2e/build"
)

// The image that is released renders. Argo CD's plugin server has the image's own plugin.yaml and only the
// image's programs, which are built as for a release. Their output is synced.
func TestImage(t *testing.T) {
	t.Parallel()
	command, err := filepath.EvalSymlinks(filepath.Join(lab.argo.Programs(), "vmrender-cmp"))
	require.NoError(t, err)
	root, ok := strings.CutSuffix(command, "/usr/local/bin/vmrender-cmp")
	require.True(t, ok, command)
	require.Equal(t, filepath.Join(root, "home/argocd/cmp-server/config/plugin.yaml"), lab.Programs[build.Plugin])
	require.DirExists(t, filepath.Join(root, "licenses"))
	info, err := buildinfo.ReadFile(command)
	require.NoError(t, err)
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	require.Regexp(t, `^[0-9a-f]{40}$`, settings["vcs.revision"], "of a release")
	require.Equal(t, "false", settings["vcs.modified"])
	mode, err := os.Stat(command)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o555), mode.Mode())

	s := newFleet(t, "image")
	require.Contains(t, s.machines(), "db")
	s.stands(nil)
}
