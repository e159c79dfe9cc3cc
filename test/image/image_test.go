package image_test

import (
	"archive/tar"
	"bytes"
	"debug/buildinfo"
	"io"
	"log"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/image"
)

const root = "../.."

// TestImage builds the image of the checked-out commit twice.
func TestImage(t *testing.T) {
	host := serveRegistry(t)
	var clones, pushed [2]string
	for i := range clones {
		clones[i] = filepath.Join(t.TempDir(), "clone")
		require.NoError(t, image.Clone(root, clones[i]))
		var err error
		pushed[i], err = image.Make(clones[i], "image", "IMAGE="+host+"/vmrender:1")
		require.NoError(t, err)
	}
	require.Regexp(t, `^`+host+`/vmrender@sha256:[0-9a-f]{64}$`, pushed[0])
	require.Equal(t, pushed[0], pushed[1], "the same commit gives the same image")

	ref := digest(t, pushed[0])
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) { testContents(t, pull(t, ref, arch), arch) })
	}
	t.Run("container", func(t *testing.T) { testContainer(t, pushed[0], clones[0]) })
	t.Run("base", func(t *testing.T) { testBase(t, host, clones[0]) })
}

// serveRegistry starts a registry and returns its host.
func serveRegistry(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func pull(t *testing.T, ref name.Reference, arch string) v1.Image {
	t.Helper()
	img, err := remote.Image(ref, remote.WithPlatform(v1.Platform{OS: "linux", Architecture: arch}))
	require.NoError(t, err)
	return img
}

// programs returns what Go recorded in the image's programs, by name.
func programs(t *testing.T, contents map[string][]byte) map[string]*buildinfo.BuildInfo {
	t.Helper()
	found := map[string]*buildinfo.BuildInfo{}
	for _, name := range []string{"vmrender", "vmrender-cmp"} {
		info, err := buildinfo.Read(bytes.NewReader(contents["usr/local/bin/"+name]))
		require.NoError(t, err, name)
		found[name] = info
	}
	return found
}

func setting(info *buildinfo.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// testContents examines the contents of the registry for an architecture.
func testContents(t *testing.T, img v1.Image, arch string) {
	headers, contents, err := image.Files(img)
	require.NoError(t, err)
	found := programs(t, contents)
	cmp := found["vmrender-cmp"]
	require.Equal(t, "linux/"+arch, setting(cmp, "GOOS")+"/"+setting(cmp, "GOARCH"))

	config, err := img.ConfigFile()
	require.NoError(t, err)
	require.Equal(t, arch, config.Architecture)
	require.Equal(t, "999", config.Config.User, "by number: Kubernetes must see that it is not root")
	require.Equal(t, []string{"/var/run/argocd/argocd-cmp-server"}, config.Config.Entrypoint)
	require.Contains(t, config.Config.Env, "PATH=/usr/local/bin:/usr/bin:/bin")
	manifest, err := img.Manifest()
	require.NoError(t, err)
	require.Equal(t, config.Config.Labels, manifest.Annotations)
	require.Equal(t, map[string]string{
		"org.opencontainers.image.title":       "vmrender",
		"org.opencontainers.image.description": config.Config.Labels["org.opencontainers.image.description"],
		"org.opencontainers.image.licenses":    "Apache-2.0",
		"org.opencontainers.image.source":      "https://github.com/vmrender/vmrender",
		"org.opencontainers.image.version":     cmp.Main.Version,
		"org.opencontainers.image.revision":    setting(cmp, "vcs.revision"),
		"org.opencontainers.image.created":     setting(cmp, "vcs.time"),
	}, config.Config.Labels)

	described, err := os.ReadFile(filepath.Join(root, "plugin", "plugin.yaml"))
	require.NoError(t, err)
	require.Equal(t, string(described), string(contents["home/argocd/cmp-server/config/plugin.yaml"]))
	testModes(t, headers)
	testLicenses(t, headers, found)
}

// testModes checks that an image contains only expected files, none of them writable, and no shell.
func testModes(t *testing.T, headers map[string]*tar.Header) {
	t.Helper()
	for name, h := range headers {
		require.Zero(t, h.Uid+h.Gid, "%s belongs to root", name)
		switch {
		case h.Typeflag == tar.TypeDir:
			require.EqualValues(t, 0o555, h.Mode, name)
		case name == "usr/local/bin/vmrender" || name == "usr/local/bin/vmrender-cmp":
			require.EqualValues(t, 0o555, h.Mode, name)
		default:
			require.Equal(t, byte(tar.TypeReg), h.Typeflag, name)
			require.EqualValues(t, 0o444, h.Mode, name)
			require.True(t, name == "home/argocd/cmp-server/config/plugin.yaml" || strings.HasPrefix(name, "licenses/"), name)
		}
	}
}

// testLicenses checks that there is a license for each linked module and for Go.
func testLicenses(t *testing.T, headers map[string]*tar.Header, found map[string]*buildinfo.BuildInfo) {
	t.Helper()
	expected := []string{"github.com/vmrender/vmrender", "go@" + strings.TrimPrefix(found["vmrender"].GoVersion, "go")}
	for _, info := range found {
		for _, dep := range info.Deps {
			expected = append(expected, dep.Path+"@"+dep.Version)
		}
	}
	require.Greater(t, len(expected), 20)
	files := slices.Collect(maps.Keys(headers))
	for _, module := range expected {
		require.True(t, slices.ContainsFunc(files, func(name string) bool {
			return strings.HasPrefix(name, "licenses/"+module+"/") && headers[name].Size > 200
		}), "a license of %s", module)
	}
}

// testContainer runs the programs in the files that a container engine unpacks.
func testContainer(t *testing.T, pushed, clone string) {
	engine, err := image.NewEngine(t.TempDir())
	if err != nil {
		t.Skipf("no container is run: %v", err)
	}
	container, err := engine.Do("from", "--tls-verify=false", pushed)
	require.NoError(t, err)
	fleet := filepath.Join(clone, "examples", "first")
	unpacked, err := engine.Do("mount", container)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := engine.Do("rm", container)
		require.NoError(t, err)
	})

	version, err := engine.Run(container, "vmrender", "version")
	require.NoError(t, err)
	info, err := buildinfo.ReadFile(filepath.Join(unpacked, "usr/local/bin/vmrender"))
	require.NoError(t, err)
	require.Equal(t, "vmrender "+info.Main.Version+" (commit "+setting(info, "vcs.revision")[:12]+" of "+
		setting(info, "vcs.time")+"), "+info.GoVersion+" linux/"+runtime.GOARCH, version)

	var rendered []string
	for _, user := range []string{"999", "1000680000"} { // Argo CD's user, and one that OpenShift assigns
		t.Run(user, func(t *testing.T) {
			printed, err := image.Confined(unpacked, user, fleet, nil, "/usr/local/bin/vmrender", "version")
			require.NoError(t, err)
			require.Equal(t, version+"\n", printed)
			environ := []string{"ARGOCD_APP_NAME=first", "ARGOCD_APP_NAMESPACE=prod", "ARGOCD_APP_SOURCE_PATH=."}
			printed, err = image.Confined(unpacked, user, fleet, environ, "/usr/local/bin/vmrender-cmp", "generate")
			require.NoError(t, err)
			require.Contains(t, printed, `"kind":"VirtualMachine"`)
			rendered = append(rendered, printed)
		})
	}
	require.Len(t, rendered, 2)
	require.Equal(t, rendered[0], rendered[1])
}

// testBase adds the programs to an image such as Argo CD's, with a directory that belongs
// to its user and a library.
func testBase(t *testing.T, host, clone string) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, h := range []tar.Header{
		{Typeflag: tar.TypeDir, Name: "home/argocd/", Mode: 0o775, Uid: 999},
		{Typeflag: tar.TypeReg, Name: "lib/libc.so.6", Mode: 0o755},
	} {
		require.NoError(t, w.WriteHeader(&h))
	}
	require.NoError(t, w.Close())
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil })
	require.NoError(t, err)
	base, err := mutate.AppendLayers(empty.Image, layer)
	require.NoError(t, err)
	base, err = mutate.Config(base, v1.Config{Env: []string{"PATH=/bin", "LANG=C"}, Cmd: []string{"bash"}, WorkingDir: "/home/argocd"})
	require.NoError(t, err)
	ref, err := name.NewTag(host + "/argocd:1")
	require.NoError(t, err)
	require.NoError(t, remote.Write(ref, base))

	pushed, err := image.Make(clone, "image", "IMAGE="+host+"/over:1", "BASE="+ref.String(), "PLATFORMS=linux/"+runtime.GOARCH)
	require.NoError(t, err)
	img := pull(t, digest(t, pushed), runtime.GOARCH)
	headers, contents, err := image.Files(img)
	require.NoError(t, err)
	programs(t, contents)
	require.EqualValues(t, 0o755, headers["lib/libc.so.6"].Mode)
	require.EqualValues(t, 999, headers["home/argocd"].Uid, "the base's directories stay")
	require.EqualValues(t, 0o775, headers["home/argocd"].Mode)
	config, err := img.ConfigFile()
	require.NoError(t, err)
	require.Equal(t, []string{"LANG=C", "PATH=/usr/local/bin:/usr/bin:/bin"}, config.Config.Env)
	require.Empty(t, config.Config.Cmd)
	require.Equal(t, "/home/argocd", config.Config.WorkingDir)
}
