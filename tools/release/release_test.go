package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/tools/release/archive"
	"github.com/vmrender/vmrender/tools/release/program"
)

// Only the commit of a tag is released, without uncommitted changes.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		info    program.Info
		version string
		refused string
	}{
		"tag":            {info: program.Info{Version: "v1.2.3"}, version: "v1.2.3"},
		"tag, not named": {info: program.Info{Version: "v1.2.3-rc.1"}},
		"other tag":      {info: program.Info{Version: "v1.2.3"}, version: "v1.2.4", refused: "the commit is v1.2.3, not v1.2.4; check that tag out"},
		"no tag":         {info: program.Info{Version: "v0.0.0-20260102030405-0123456789ab"}, refused: "has no tag of a release"},
		"after a tag":    {info: program.Info{Version: "v1.2.4-0.20260102030405-0123456789ab"}, refused: "has no tag of a release"},
		"no version":     {info: program.Info{Version: "(devel)"}, refused: "has no tag of a release"},
		"changes":        {info: program.Info{Version: "v1.2.3+dirty", Modified: true}, refused: "changes that are not committed"},
	} {
		t.Run(name, func(t *testing.T) {
			r := release{info: c.info}
			err := r.check(c.version)
			if c.refused == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.refused)
		})
	}
}

// A bill of materials lists every module with its version.
func TestLists(t *testing.T) {
	const bill = `{"packages": [{"name": "example.com/a", "versionInfo": "v1.0.0"}, {"name": "example.com/b", "versionInfo": "v2.0.0"}]}`
	a, b := program.Module{Path: "example.com/a", Version: "v1.0.0"}, program.Module{Path: "example.com/b", Version: "v2.0.1"}
	require.NoError(t, lists([]byte(bill), []program.Module{a}))
	require.EqualError(t, lists([]byte(bill), []program.Module{a, b}), "module example.com/b v2.0.1 is missing")
	require.EqualError(t, lists([]byte(bill), nil), "the program has no modules")
}

// The same files produce the same archives, with the date of the commit.
func TestArchives(t *testing.T) {
	date := time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	files := map[string]archive.File{"vmrender": {Data: []byte("program"), Mode: 0o755}, "licenses/a": {Data: []byte("text"), Mode: 0o644}}
	for name, pack := range map[string]func(map[string]archive.File, time.Time) ([]byte, error){"tar": archive.TarGz, "zip": archive.Zip} {
		first, err := pack(files, date)
		require.NoError(t, err)
		second, err := pack(files, date)
		require.NoError(t, err)
		require.Equal(t, first, second, name)
		unpacked, err := archive.Extract(first)
		require.NoError(t, err)
		require.Equal(t, files, unpacked, name)
	}
}

// The formula has the address and the sum of each archive that Homebrew installs.
func TestFormula(t *testing.T) {
	r := release{dist: t.TempDir(), info: program.Info{Version: "v1.2.3"}}
	for _, p := range platforms() {
		require.NoError(t, os.WriteFile(filepath.Join(r.dist, archiveName("v1.2.3", p)), []byte(p.String()), 0o600))
	}
	require.NoError(t, r.formula(t.Context()))
	got, err := os.ReadFile(filepath.Join(r.dist, "vmrender.rb"))
	require.NoError(t, err)
	want, err := os.ReadFile("testdata/vmrender.golden.rb")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

func TestParsePlatform(t *testing.T) {
	p, err := program.ParsePlatform("linux/arm64")
	require.NoError(t, err)
	require.Equal(t, program.Platform{OS: "linux", Arch: "arm64"}, p)
	for _, text := range []string{"", "linux", "linux/", "/amd64", "linux/arm/v7"} {
		_, err := program.ParsePlatform(text)
		require.ErrorContains(t, err, "expected OS/ARCHITECTURE", text)
	}
}

// An unknown command is refused with a list of the existing ones.
func TestCommands(t *testing.T) {
	err := run(t.Context(), []string{"deploy"})
	require.ErrorContains(t, err, "no such command")
	for _, c := range commands() {
		require.Contains(t, strings.Fields(err.Error()), c.name)
	}
	require.ErrorContains(t, run(t.Context(), []string{"image"}), "set IMAGE")
	require.ErrorContains(t, run(t.Context(), []string{"image", "-image", "vmrender"}), `invalid image "vmrender"`)
	require.ErrorContains(t, run(t.Context(), []string{"publish"}), "set REGISTRY")
}

// A registry that takes no images is reported before anything is built: this directory has nothing to build.
func TestPushIsCheckedFirst(t *testing.T) {
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v2/" {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	defer registry.Close()
	to := strings.TrimPrefix(registry.URL, "http://") + "/vmrender:1"
	err := run(t.Context(), []string{"image", "-root", t.TempDir(), "-image", to})
	require.ErrorContains(t, err, to+" cannot be pushed: ")
	require.ErrorContains(t, err, "403")
}

// The lines in the README that install a release use the names of the release's files, image, and charts.
func TestReadmeInstallsTheRelease(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	const version, registry = "v1.2.3", "registry.example.com"
	linux := archiveName(version, program.Platform{OS: "linux", Arch: "amd64"})
	require.Contains(t, string(text), "`tar -xzf "+linux+" vmrender`")
	require.Contains(t, string(text), "the release's `vmrender.rb` to a tap of yours")
	require.Contains(t, string(text), "| `"+registry+"/vmrender:"+version+"` |")
	require.Contains(t, string(text), "`helm pull oci://"+registry+"/charts/network --version 1.2.3`")
	require.DirExists(t, "../../charts/network")
}
