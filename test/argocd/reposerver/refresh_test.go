package reposerver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A commit renders the Applications that have one of its files in their paths, and all that have no paths.
func TestRefresh(t *testing.T) {
	const fleet = "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: shop}\n" +
		"defaults: {os: fedora, flavor: small}\n"
	ctx, s := servers(t, installation)
	for _, test := range []struct {
		paths, change string
		rendered      int
	}{
		{"", "a/vms.yaml", 2},
		{".;/fleet.yaml", "a/vms.yaml", 1},
		{".;/fleet.yaml", "fleet.yaml", 2},
		{".;/fleet.yaml", "README", 0},
	} {
		t.Run(fmt.Sprint(test.change, " for ", test.paths), func(t *testing.T) {
			repository := commit(t, map[string]string{
				"fleet.yaml": fleet, "a/vms.yaml": "vms: {a: {}}\n", "b/vms.yaml": "vms: {b: {}}\n",
				"README": t.Name() + "\n", // the cache distinguishes commits, not repositories
			})
			refresh := func(synced string) (fromCache int) {
				before := s.CacheHits()
				for _, directory := range []string{"a", "b"} {
					manifests, err := s.Refresh(ctx, Application{
						Name: "shop-" + directory, Namespace: "prod", Repository: repository,
						Path: directory, Paths: test.paths, Cached: true,
					}, synced)
					require.NoError(t, err)
					require.Len(t, manifests, 2, "a VM and its disk")
				}
				return s.CacheHits() - before
			}
			synced := head(t, repository)
			require.Zero(t, refresh(synced))
			require.Equal(t, 2, refresh(synced), "no new commit")
			appendTo(t, repository, test.change)
			require.Equal(t, 2-test.rendered, refresh(synced))
			require.Equal(t, 2, refresh(head(t, repository)), "no newer commit")
		})
	}
}

// head returns the commit of the work tree.
func head(t *testing.T, repository string) string {
	text, err := exec.Command("git", "-C", repository, "rev-parse", "HEAD").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(text))
}

// appendTo commits another line of a file.
func appendTo(t *testing.T, repository, name string) {
	path := filepath.Join(repository, name)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(text, "# changed\n"...), 0o644))
	call := exec.Command("git", "-C", repository, "-c", "user.name=test", "-c", "user.email=test@example.com",
		"-c", "commit.gpgsign=false", "commit", "--quiet", "--all", "--message=Change")
	output, err := call.CombinedOutput()
	require.NoError(t, err, string(output))
}
