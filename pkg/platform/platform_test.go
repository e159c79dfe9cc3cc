package platform_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/platform"
	"github.com/vmrender/vmrender/pkg/source"
)

// unpack writes the files of an archive to a repository and changes to it.
func unpack(t *testing.T, archive *txtar.Archive) {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir(".git", 0o700))
	for _, f := range archive.Files {
		require.NoError(t, os.MkdirAll(filepath.Dir(f.Name), 0o700))
		require.NoError(t, os.WriteFile(f.Name, f.Data, 0o600))
	}
}

// Each archive in testdata has the files of a repository. site/platform.yaml is read with
// the overlays and vars in the archive's comment. The result is next to it: the merged
// and expanded platform with all files that were read, or the problems.
func TestRead(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	wd, err := os.Getwd()
	require.NoError(t, err)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			unpack(t, archive)
			var out strings.Builder
			var diags source.Diagnostics
			doc := platform.Read("site/platform.yaml", options(string(archive.Comment)), &diags)
			for _, d := range diags.Sorted() {
				out.WriteString(d.String() + "\n")
			}
			if !diags.HasErrors() {
				out.WriteString("# " + strings.Join(doc.Files, " ") + "\n")
				out.Write(manifest.AppendYAML(nil, source.AppendJSON(nil, doc.Tree)))
			}
			golden.Equal(t, filepath.Join(wd, strings.TrimSuffix(file, "txtar")+"golden"), out.String())
		})
	}
}

// options reads lines of the form "overlay FILE" and "set KEY=VALUE".
func options(comment string) (o platform.Options) {
	for line := range strings.Lines(comment) {
		switch what, value, _ := strings.Cut(strings.TrimSpace(line), " "); what {
		case "overlay":
			o.Overlays = append(o.Overlays, value)
		case "set":
			o.Set = append(o.Set, value)
		}
	}
	return o
}

const sharing = `
-- base/platform.yaml --
apiVersion: vmrender.io/v1alpha1
kind: Platform
metadata: {name: base}
layers: {network: {values: {networks: {a: {vlan: 7}}}}}
-- site/platform.yaml --
apiVersion: vmrender.io/v1alpha1
kind: Platform
base: ../base/platform.yaml
layers:
  network: {wave: 3}
`

// A wrong value is shown where it is written, in whichever file that is.
func TestPositionsSurvive(t *testing.T) {
	unpack(t, txtar.Parse([]byte(sharing)))
	var diags source.Diagnostics
	tree := platform.Read("site/platform.yaml", platform.Options{}, &diags).Tree
	require.Empty(t, diags.Sorted())
	vlan := tree.Get("layers", "network", "values", "networks", "a", "vlan")
	require.Equal(t, "base/platform.yaml:4:50", vlan.Pos().String())
	require.Equal(t, "site/platform.yaml:5:19", tree.Get("layers", "network", "wave").Pos().String())
	require.Equal(t, "base/platform.yaml:3:18", tree.Get("metadata", "name").Pos().String())
}

// No file outside the repository is read, whatever its path looks like.
func TestRepositoryIsNotLeft(t *testing.T) {
	for name, c := range map[string]struct {
		base, link string
		root       string
		want       string
	}{
		"by its path": {"../../x.yaml", "", "", `site/platform.yaml:3:7: base: "../../x.yaml" leaves the repository; `},
		"absolute":    {"/etc/x.yaml", "", "", "site/platform.yaml:3:7: base: expected a path relative to this file"},
		"by a link":   {"link.yaml", "../../x.yaml", "", `site/platform.yaml:3:7: base: "link.yaml" leaves the repository; `},
		"above the root that is given": {
			"../base.yaml", "", "site", `site/platform.yaml:3:7: base: "../base.yaml" leaves the repository; `,
		},
	} {
		t.Run(name, func(t *testing.T) {
			const header = "apiVersion: vmrender.io/v1alpha1\nkind: Platform\n"
			unpack(t, &txtar.Archive{Files: []txtar.File{
				{Name: "site/platform.yaml", Data: []byte(header + "base: " + c.base + "\n")},
				{Name: "base.yaml", Data: []byte(header)},
			}})
			require.NoError(t, os.WriteFile("../x.yaml", []byte(header), 0o600))
			if c.link != "" {
				require.NoError(t, os.Symlink(c.link, "site/link.yaml"))
			}
			var diags source.Diagnostics
			require.Nil(t, platform.Read("site/platform.yaml", platform.Options{Root: c.root}, &diags))
			require.Len(t, diags.Sorted(), 1)
			require.Contains(t, diags.Sorted()[0].String(), c.want)
		})
	}
}
