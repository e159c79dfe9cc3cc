package reposerver

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
	commitChanges(t, repository)
}

// commitChanges commits all changes in the work tree.
func commitChanges(t *testing.T, repository string) {
	for _, args := range [][]string{
		{"add", "--all"},
		{
			"-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false",
			"commit", "--quiet", "--message=Change",
		},
	} {
		call := exec.Command("git", args...)
		call.Dir = repository
		output, err := call.CombinedOutput()
		require.NoError(t, err, string(output))
	}
}

// A file that is moved to another directory leaves the Application of the old path, because git in repo-server has the
// settings of the installation. By its defaults, and with variables that Argo CD replaces, the Application keeps the VM.
func TestRefreshAfterAMove(t *testing.T) {
	for name, test := range map[string]struct {
		env  []string
		want []string // VMs of the Application of the old path
	}{
		"as installed":             {want: []string{"kept"}},
		"with the defaults of git": {env: []string{"GIT_CONFIG_GLOBAL="}, want: []string{"kept", "moved"}},
		"without the ConfigMap":    {env: []string{"GIT_CONFIG_GLOBAL=/missing/gitconfig"}, want: []string{"kept", "moved"}},
		"with variables of Argo CD's own": {
			env: []string{
				"GIT_CONFIG_GLOBAL=", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=diff.renames", "GIT_CONFIG_VALUE_0=false",
			},
			want: []string{"kept", "moved"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, s := servers(t, installation, test.env...)
			repository := commit(t, map[string]string{
				"fleet.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: shop}\n" +
					"defaults: {os: fedora, flavor: small}\n",
				"a/kept.yaml": "vms: {kept: {}}\n", "a/moved.yaml": "vms: {moved: {}}\n", "b/vms.yaml": "vms: {b: {}}\n",
			})
			vmsOf := func(synced string) (names []string) {
				manifests, err := s.Refresh(ctx, Application{
					Name: "shop-a", Namespace: "prod", Repository: repository, Path: "a", Paths: ".;/fleet.yaml", Cached: true,
				}, synced)
				require.NoError(t, err)
				for _, manifest := range manifests {
					var object unstructured.Unstructured
					require.NoError(t, json.Unmarshal([]byte(manifest), &object))
					if object.GetKind() == "VirtualMachine" {
						names = append(names, object.GetName())
					}
				}
				return names
			}
			synced := head(t, repository)
			require.Equal(t, []string{"kept", "moved"}, vmsOf(synced))
			require.NoError(t, os.Rename(filepath.Join(repository, "a/moved.yaml"), filepath.Join(repository, "b/moved.yaml")))
			commitChanges(t, repository)
			require.Equal(t, test.want, vmsOf(synced))
		})
	}
}
