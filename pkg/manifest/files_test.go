package manifest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/manifest"
)

func pod(name string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata: {namespace: ns, name: " + name + "}\n"
}

// tree writes files, by their paths, to a new directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

// TestReadFiles checks which files of a directory are read, and in which order.
func TestReadFiles(t *testing.T) {
	dir := tree(t, map[string]string{
		"b.yaml": pod("b") + "---\n" + pod("c"),
		"a/z.json": `{"apiVersion": "v1", "kind": "List", "items": [
			{"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "job-"}},
			{"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "job-"}}]}`,
		"d.yml": pod("d"), "README.md": "# text\n", ".vmrender-files": "# list\n",
		".hidden.yaml": "{", ".git/config.yaml": "{", "empty.yaml": "",
	})
	require.NoError(t, os.Symlink("d.yml", filepath.Join(dir, ".link")))
	objects, err := manifest.ReadFiles(dir)
	require.NoError(t, err)
	var names []string
	for _, o := range objects {
		names = append(names, o.Name)
	}
	require.Equal(t, []string{"job-", "job-", "b", "c", "d"}, names)

	objects, err = manifest.ReadFiles(filepath.Join(dir, "d.yml"))
	require.NoError(t, err)
	require.Equal(t, "Pod ns/d", objects[0].String())
}

// TestReadFilesRefuses checks that all problems are reported with their files.
func TestReadFilesRefuses(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.yaml":                 pod("a"),
		"b.yaml":                 pod("b") + "---\nkind: Pod\n---\n" + pod("a"),
		"c.json":                 `{"apiVersion": "v1", "kind": "List", "items": [` + "\n{}]}",
		"d.yaml":                 "{",
		"inner.yaml/ignored.txt": "",
	})
	outside := tree(t, map[string]string{"secret.yaml": pod("secret")})
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret.yaml"), filepath.Join(dir, "link.yaml")))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "there.yaml")))
	_, err := manifest.ReadFiles(dir)
	require.Equal(t, strings.Join([]string{
		`b.yaml:5: object without apiVersion, metadata.name; every object has apiVersion, kind and metadata.name`,
		`c.json:2: item 1: object without apiVersion, kind, metadata.name; ` +
			`every object has apiVersion, kind and metadata.name`,
		`d.yaml:1: did not find expected node content`,
		`link.yaml: path escapes from parent`,
		`there.yaml: path escapes from parent`,
	}, "\n"), strings.ReplaceAll(err.Error(), dir+"/", ""))

	dir = tree(t, map[string]string{"a.yaml": pod("a"), "b.yaml": pod("a")})
	_, err = manifest.ReadFiles(dir)
	require.EqualError(t, err, filepath.Join(dir, "b.yaml")+": Pod ns/a occurs twice; remove it here or in "+
		filepath.Join(dir, "a.yaml"))

	_, err = manifest.ReadFiles(filepath.Join(dir, "none"))
	require.EqualError(t, err, filepath.Join(dir, "none")+": no such file or directory")
	_, err = manifest.ReadNamed("<stdin>", strings.NewReader("[]"))
	require.EqualError(t, err, "<stdin>:1: not an object; an object is a map with apiVersion, kind and metadata.name")
}
