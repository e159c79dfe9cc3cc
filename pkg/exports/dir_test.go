package exports

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// unpacked returns the directory with the files of an archive.
func unpacked(files []file) fstest.MapFS {
	dir := fstest.MapFS{}
	for _, f := range files {
		if f.content != "" {
			dir[f.name] = &fstest.MapFile{Data: []byte(f.content)}
		}
	}
	return dir
}

func TestReadDir(t *testing.T) {
	export := exportFiles(vmJSON, "application/vnd.kubevirt.virtualmachine.config.v1+json")
	for name, test := range map[string]struct {
		files []file
		want  int
	}{
		"a backup":  {backupFiles, 2},
		"an export": {export, 1},
		"manifests": {[]file{{"a/vm.json", vmJSON}, {"index.json", "{}"}}, 0},
	} {
		objects, err := readDir(unpacked(test.files))
		require.NoError(t, err, name)
		require.Len(t, objects, test.want, name)
		if test.want > 0 {
			require.Equal(t, "VirtualMachine prod/web01", objects[0].String())
		}
	}
}

func TestReadDirProblems(t *testing.T) {
	const resource = "resources/virtualmachines.kubevirt.io/namespaces/a/b.json"
	for want, files := range map[string][]file{
		"index.json: no VM in the OCI image layout": {{"oci-layout", "{}"}, {"index.json", "{}"}},
		resource + ":1: object without apiVersion":  {{resource, "{}"}},
	} {
		objects, err := readDir(unpacked(files))
		require.ErrorContains(t, err, want)
		require.Empty(t, objects)
	}
}
