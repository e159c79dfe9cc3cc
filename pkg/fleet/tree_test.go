package fleet_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
	"github.com/vmrender/vmrender/pkg/fleet"
)

// site is a repository with a fleet in a subdirectory, and with many files that are not
// part of it.
const site = `
-- .git/config --
-- site/fleet.yaml --
apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: site}
defaults: {namespace: ns, os: linux, flavor: small, disks: {root: {source: {claim: c}}}}
ignore: [drafts, "*.draft.yaml", prod/old/*.yaml, README.yaml]
vms: {top: {}}
-- site/README.yaml --
- not values
-- site/notes.txt --
-- site/.hidden.yaml --
- not values
-- site/.ci/pipeline.yaml --
- not values
-- site/drafts/x.yaml --
- not values
-- site/prod/drafts/x.yaml --
- not values
-- site/prod/web.draft.yaml --
- not values
-- site/prod/old/x.yaml --
- not values
-- site/prod/old/sub/kept.yaml --
vms: {kept: {}}
-- site/prod/_defaults.yaml --
namespace: prod
-- site/prod/web.yaml --
vms: {web: {}}
-- site/prod/db/_defaults.yaml --
labels: {tier: db}
-- site/prod/db/db.yml --
vms: {db: {}}
-- site/other/fleet.yaml --
- another fleet
-- site/platform/platform.yaml --
- a platform
-- site/platform/x.yaml --
- not values
-- above/x.yaml --
vms: {above: {}}
`

func TestTree(t *testing.T) {
	dir := fleettest.Unpack(t, txtar.Parse([]byte(site)))
	t.Chdir(filepath.Join(dir, "site", "prod", "db"))
	all := []string{"ns/top", "prod/db", "prod/kept", "prod/web"}
	for path, want := range map[string][]string{
		filepath.Join(dir, "site"):                {"ns/top", "prod/db", "prod/kept", "prod/web"},
		filepath.Join(dir, "site", "fleet.yaml"):  {"ns/top"},
		filepath.Join(dir, "site", "prod"):        {"prod/db", "prod/kept", "prod/web"},
		filepath.Join(dir, "site/prod/web.yaml"):  {"prod/web"},
		filepath.Join(dir, "site/prod/db/db.yml"): {"prod/db"},
		".":            {"prod/db"},
		"db.yml":       {"prod/db"},
		"..":           {"prod/db", "prod/kept", "prod/web"},
		"../":          {"prod/db", "prod/kept", "prod/web"},
		"../../":       all,
		"../../prod":   {"prod/db", "prod/kept", "prod/web"},
		"../old/../db": {"prod/db"},
	} {
		t.Run(path, func(t *testing.T) {
			machines, problems := part(t, dir, path, fleet.Options{})
			require.Empty(t, problems)
			require.Equal(t, want, machines)
		})
	}
}

func TestNoTree(t *testing.T) {
	dir := fleettest.Unpack(t, txtar.Parse([]byte(site)))
	for path, want := range map[string]string{
		"above":                "no fleet.yaml here or above",
		"above/x.yaml":         "no fleet.yaml here or above",
		"site/platform":        "no fleet.yaml here or above",
		"site/platform/x.yaml": "no fleet.yaml here or above",
		"missing":              "no such file or directory",
	} {
		machines, problems := part(t, dir, filepath.Join(dir, path), fleet.Options{})
		require.Empty(t, machines)
		require.Len(t, problems, 1)
		require.Contains(t, problems[0], path+": "+want)
	}
	_, problems := part(t, dir, filepath.Join(dir, "site/prod"), fleet.Options{Limit: filepath.Join(dir, "site/prod")})
	require.Len(t, problems, 1)
	limited := fleet.Options{Limit: filepath.Join(dir, "site")}
	machines, problems := part(t, dir, filepath.Join(dir, "site/prod/db"), limited)
	require.Empty(t, problems)
	require.Equal(t, []string{"prod/db"}, machines)
}

// TestLinks proves that symbolic links are followed only within a fleet, whatever they
// point to.
func TestLinks(t *testing.T) {
	const leaves, nowhere = "symbolic link leaves the fleet's root", "symbolic link leads nowhere"
	for name, test := range map[string]struct{ link, target, path, want string }{
		"file within":       {"site/link.yaml", "prod/web.txt", "site", ""},
		"file outside":      {"site/link.yaml", "../above/x.yaml", "site", leaves},
		"absolute":          {"site/link.yaml", "/etc/hostname", "site", leaves},
		"nowhere":           {"site/link.yaml", "none.yaml", "site", nowhere},
		"itself":            {"site/link.yaml", "link.yaml", "site", nowhere},
		"directory":         {"site/link", "prod", "site", "symbolic link to a directory"},
		"directory outside": {"site/link", "../above", "site", leaves},
		"defaults outside":  {"site/_defaults.yaml", "../above/x.yaml", "site", leaves},
		"platform outside":  {"site/platform.yaml", "../above/x.yaml", "site/prod", leaves},
		"platform nowhere":  {"site/platform.yaml", "none.yaml", "site", nowhere},
		"given file":        {"site/link.yaml", "../above/x.yaml", "site/link.yaml", leaves},
		"given directory":   {"site/link", "../above", "site/link", leaves},
		"given below":       {"site/link", "../above", "site/link/x.yaml", leaves},
		"the root itself":   {"root", "site", "root", ""},
		"a text file":       {"site/prod/notes", "../notes.txt", "site", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := fleettest.Unpack(t, txtar.Parse([]byte(site+"-- site/prod/web.txt --\nvms: {linked: {}}\n")))
			require.NoError(t, os.Symlink(test.target, filepath.Join(dir, test.link)))
			_, problems := part(t, dir, filepath.Join(dir, test.path), fleet.Options{})
			if test.want == "" {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			require.Contains(t, problems[0], test.link)
			require.Contains(t, problems[0], test.want)
		})
	}
}

func TestLinkedHeader(t *testing.T) {
	dir := fleettest.Unpack(t, txtar.Parse([]byte("-- out.yaml --\nsecret: text\n-- site/vms.yaml --\nvms: {a: {}}\n")))
	require.NoError(t, os.Symlink("../out.yaml", filepath.Join(dir, "site/fleet.yaml")))
	_, problems := part(t, dir, filepath.Join(dir, "site"), fleet.Options{})
	const want = "site/fleet.yaml: symbolic link leaves the fleet's root; only files below it are read"
	require.Equal(t, []string{want}, problems)
}

func TestStrangeFiles(t *testing.T) {
	dir := fleettest.Unpack(t, txtar.Parse([]byte("-- fleet.yaml --\n"+plainHeader+"-- a.yaml --\nvms: {a: {}}\n")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "directory.yaml"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "large.yaml"), nil, 0o600))
	require.NoError(t, os.Truncate(filepath.Join(dir, "large.yaml"), 32<<20+1))
	_, problems := part(t, dir, dir, fleet.Options{})
	require.Len(t, problems, 1)
	require.True(t, strings.HasPrefix(problems[0], "large.yaml: file is too large"))
}

func TestIgnoreGlobs(t *testing.T) {
	for glob, want := range map[string]string{
		"'a['":      "invalid glob",
		"/abs.yaml": "leaves the fleet's root",
		"../x":      "leaves the fleet's root",
		"a/../../x": "leaves the fleet's root",
	} {
		dir := fleettest.Unpack(t, txtar.Parse([]byte("-- fleet.yaml --\n"+plainHeader+"ignore: ["+glob+"]\nvms: {a: {}}\n")))
		_, problems := part(t, dir, dir, fleet.Options{})
		require.Len(t, problems, 1)
		require.Regexp(t, `^fleet\.yaml:6:10: ignore: .*`+want, problems[0])
	}
}
