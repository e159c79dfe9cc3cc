package image_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/image"
)

// TestDockerfile builds the Dockerfile in a clone. The image has the files of the one that make pushes, also if the
// sources have no .git, and is run like it.
func TestDockerfile(t *testing.T) {
	engine, err := image.NewEngine(t.TempDir())
	if err != nil {
		t.Skipf("no container engine builds the Dockerfile: %v", err)
	}
	host, clone := serveRegistry(t), filepath.Join(t.TempDir(), "clone")
	require.NoError(t, image.Clone(root, clone))
	pushed, err := image.Make(clone, "image", "IMAGE="+host+"/vmrender:1", "PLATFORMS=linux/"+runtime.GOARCH)
	require.NoError(t, err)
	require.NoError(t, engine.ProvideGo(filepath.Join(clone, "Dockerfile")))

	made, built := pull(t, digest(t, pushed), runtime.GOARCH), buildDockerfile(t, engine, clone, host+"/dockerfile:1")
	madeFiles, madeContents, err := image.Files(made)
	require.NoError(t, err)
	builtFiles, builtContents, err := image.Files(built)
	require.NoError(t, err)
	requireSameFiles(t, madeFiles, builtFiles)
	for path, content := range madeContents {
		require.True(t, bytes.Equal(content, builtContents[path]), path)
	}
	testSameConfig(t, made, built)
	t.Run("container", func(t *testing.T) { testContainer(t, host+"/dockerfile:1", clone) })

	require.NoError(t, os.RemoveAll(filepath.Join(clone, ".git")))
	archived, _, err := image.Files(buildDockerfile(t, engine, clone, host+"/archive:1"))
	require.NoError(t, err)
	requireSameFiles(t, madeFiles, archived)
}

func digest(t *testing.T, pushed string) name.Digest {
	t.Helper()
	ref, err := name.NewDigest(pushed)
	require.NoError(t, err)
	return ref
}

// buildDockerfile builds the image of a directory's Dockerfile, and returns it from the registry.
func buildDockerfile(t *testing.T, engine *image.Engine, dir, tag string) v1.Image {
	t.Helper()
	require.NoError(t, engine.Build(dir, tag))
	ref, err := name.NewTag(tag)
	require.NoError(t, err)
	return pull(t, ref, runtime.GOARCH)
}

// requireSameFiles checks that two images have the same paths, with the same kinds, modes, owners and targets of links.
func requireSameFiles(t *testing.T, want, got map[string]*tar.Header) {
	t.Helper()
	require.Greater(t, len(want), 20)
	require.Empty(t, without(list(want), list(got)), "only in the image of make")
	require.Empty(t, without(list(got), list(want)), "only in the image of the Dockerfile")
}

// list returns a line for each file of an image. Some engines repeat the kind of a file in its mode.
func list(headers map[string]*tar.Header) []string {
	var lines []string
	for path, h := range headers {
		lines = append(lines, fmt.Sprintf("%c %04o %d:%d %s %s", h.Typeflag, h.Mode&0o7777, h.Uid, h.Gid, path, h.Linkname))
	}
	return lines
}

func without(lines, others []string) []string {
	return slices.DeleteFunc(lines, func(l string) bool { return slices.Contains(others, l) })
}

// testSameConfig checks that two images are run in the same way, and have the same labels except those of the commit.
func testSameConfig(t *testing.T, made, built v1.Image) {
	t.Helper()
	madeConfig, err := made.ConfigFile()
	require.NoError(t, err)
	builtConfig, err := built.ConfigFile()
	require.NoError(t, err)
	want, got := madeConfig.Config, builtConfig.Config
	require.Equal(t, want.User, got.User)
	require.Equal(t, want.Entrypoint, got.Entrypoint)
	require.Equal(t, want.Env, got.Env)
	require.Empty(t, got.Cmd)
	labels := maps.Clone(want.Labels)
	maps.DeleteFunc(labels, func(label, _ string) bool {
		return label == "org.opencontainers.image.version" || label == "org.opencontainers.image.revision" ||
			label == "org.opencontainers.image.created"
	})
	maps.DeleteFunc(got.Labels, func(label, _ string) bool { return label == "io.buildah.version" }) // the engine adds it
	require.Equal(t, labels, got.Labels)
}
