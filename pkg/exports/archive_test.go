package exports

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/manifest"
)

const vmJSON = `{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"web01","namespace":"prod"}}`

// file is a file of an archive, or a directory if it has no content.
type file struct{ name, content string }

func archiveOf(tb testing.TB, files []file) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.content)), Mode: 0o644}
		if f.content == "" {
			h.Typeflag = tar.TypeDir
		}
		require.NoError(tb, w.WriteHeader(h))
		_, err := io.WriteString(w, f.content)
		require.NoError(tb, err)
	}
	require.NoError(tb, w.Close())
	return out.Bytes()
}

func zipped(tb testing.TB, content []byte) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(content)
	require.NoError(tb, err)
	require.NoError(tb, w.Close())
	return out.Bytes()
}

// backupFiles are the files of a backup by Velero with the feature EnableAPIGroupVersions.
var backupFiles = []file{
	{"metadata/version", "1.1.0\n"},
	{"resources/secrets/namespaces/prod/login.json", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"login"}}`},
	{"resources/services/namespaces/prod/login.json", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"login"}}`},
	{"resources/pods/namespaces/prod/other.json", "not read"},
	{"resources/virtualmachines.kubevirt.io/namespaces/prod/", ""},
	{"resources/virtualmachines.kubevirt.io/namespaces/prod/web01.json", vmJSON},
	{"resources/virtualmachines.kubevirt.io/v1-preferredversion/namespaces/prod/web01.json", vmJSON},
	{
		"resources/virtualmachines.kubevirt.io/v1alpha3/namespaces/prod/web01.json",
		strings.Replace(vmJSON, "kubevirt.io/v1", "kubevirt.io/v1alpha3", 1),
	},
	{
		"resources/persistentvolumeclaims/namespaces/prod/web01.json",
		`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"web01","namespace":"prod"}}`,
	},
}

func TestReadBackup(t *testing.T) {
	packed := archiveOf(t, backupFiles)
	for name, content := range map[string][]byte{"tar": packed, "tar.gz": zipped(t, packed)} {
		require.True(t, isArchive(content[:min(len(content), 512)]), name)
		objects, err := readArchive(bytes.NewReader(content))
		require.NoError(t, err, name)
		var ids []string
		for _, o := range objects {
			ids = append(ids, o.APIVersion+" "+o.String())
		}
		require.Equal(t, []string{
			"kubevirt.io/v1 VirtualMachine prod/web01", "v1 PersistentVolumeClaim prod/web01",
		}, ids, name)
	}
	require.False(t, isArchive([]byte("apiVersion: v1\n")))
}

func digestOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

func blobFile(content string) file { return file{"blobs/sha256/" + digestOf(content), content} }

// exportFiles returns the files of `virtctl vmexport download --format=oci`, in the same
// order (KubeVirt v1.9.0, pkg/storage/oci/oci.go, WriteTar), with a disk at the end.
func exportFiles(config, mediaType string) []file {
	m := `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",` +
		`"artifactType":"application/vnd.kubevirt.virtualmachine.v1","config":{"mediaType":"` + mediaType +
		`","digest":"sha256:` + digestOf(config) + `","size":1},"layers":[{` +
		`"mediaType":"application/vnd.kubevirt.disk.raw+zstd","digest":"sha256:` + digestOf("a disk") + `","size":6}]}`
	index := `{"schemaVersion":2,"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json",` +
		`"digest":"sha256:` + digestOf(m) + `","size":1}]}`
	return []file{
		{"oci-layout", `{"imageLayoutVersion":"1.0.0"}`},
		{"index.json", index},
		blobFile(m), blobFile(config), blobFile("a disk"),
	}
}

// broken is a reader that fails the test if it is read.
type broken struct{ t *testing.T }

func (b broken) Read([]byte) (int, error) {
	b.t.Error("read on after the last file that is needed")
	return 0, io.ErrUnexpectedEOF
}

func TestReadOCI(t *testing.T) {
	for kind, config := range map[string]string{
		"virtualmachine": vmJSON,
		"virtualmachinetemplate": `{"apiVersion":"template.kubevirt.io/v1beta1","kind":"VirtualMachineTemplate",` +
			`"metadata":{"name":"a"}}`,
	} {
		files := exportFiles(config, "application/vnd.kubevirt."+kind+".config.v1+json")
		dir := unpacked(files)
		delete(dir, blobFile("a disk").name)
		fromDir, err := readDir(dir)
		require.NoError(t, err)

		packed := archiveOf(t, files)
		beforeDisk := bytes.Index(packed, []byte(blobFile("a disk").name))
		fromTar, err := readArchive(io.MultiReader(bytes.NewReader(packed[:beforeDisk]), broken{t}))
		require.NoError(t, err)

		slices.Reverse(files)
		files[0].name = "./" + files[0].name
		backwards, err := readArchive(bytes.NewReader(archiveOf(t, files)))
		require.NoError(t, err)

		for _, objects := range [][]manifest.Object{fromDir, fromTar, backwards} {
			require.Len(t, objects, 1)
			require.JSONEq(t, config, string(objects[0].JSON))
		}
	}
}

func TestReadArchiveProblems(t *testing.T) {
	const vmConfig = "application/vnd.kubevirt.virtualmachine.config.v1+json"
	export := exportFiles(vmJSON, vmConfig)
	damaged := append([]file{}, export...)
	damaged[3].content = strings.Replace(vmJSON, "web01", "web02", 1)
	tests := map[string]struct {
		files []file
		want  string
	}{
		"another archive": {[]file{{"README", "hello"}}, "the archive is neither a backup by Velero, " +
			"with resources/virtualmachines.kubevirt.io, nor an OCI image layout, with index.json"},
		"another image": {exportFiles(vmJSON, "application/vnd.oci.image.config.v1+json"), "index.json: no VM in " +
			"the OCI image layout; accepted: an export by `virtctl vmexport download --format=oci`"},
		"a digest that leads elsewhere": {
			[]file{{"index.json", `{"manifests":[{"digest":"sha256:../../etc/passwd"}]}`}},
			`index.json: digest "sha256:../../etc/passwd"; accepted: sha256 with 64 hexadecimal digits`,
		},
		"a blob that is missing": {export[:3], export[3].name + ": missing in the OCI image layout, or larger than 4 MiB"},
		"a blob that is damaged": {damaged, export[3].name + ": damaged: its content has another digest"},
		"a resource that is damaged": {
			[]file{{"resources/virtualmachines.kubevirt.io/namespaces/a/b.json", "{}"}},
			"resources/virtualmachines.kubevirt.io/namespaces/a/b.json:1: " +
				"object without apiVersion, kind, metadata.name; every object has apiVersion, kind and metadata.name",
		},
		"a resource that is too large": {
			[]file{{"resources/services/namespaces/a/b.json", strings.Repeat(" ", maxObject+1)}},
			"resources/services/namespaces/a/b.json: larger than 4 MiB, which Kubernetes does not store",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			objects, err := readArchive(bytes.NewReader(archiveOf(t, test.files)))
			require.EqualError(t, err, test.want)
			require.Empty(t, objects)
		})
	}
	_, err := readArchive(strings.NewReader("\x1f\x8bnothing"))
	require.ErrorContains(t, err, "reading the archive: ")
	_, err = readDir(fstest.MapFS{"oci-layout": {}, "index.json": {Data: bytes.Repeat([]byte(" "), maxObject+1)}})
	require.EqualError(t, err, "index.json: larger than 4 MiB")
}

// TestArchiveTotal checks that the sizes of files are added up, so that no more than the
// limit is kept of a backup of any length.
func TestArchiveTotal(t *testing.T) {
	a := archive{layout: layout{}, total: maxTotal - 10}
	name := "resources/services/namespaces/a/b.json"
	err := a.file(name, 11, strings.NewReader(vmJSON))
	require.EqualError(t, err, name+": the manifests in the archive are larger than 512 MiB")
}

func FuzzReadArchive(f *testing.F) {
	f.Add(archiveOf(f, backupFiles))
	f.Add(zipped(f, archiveOf(f, backupFiles)))
	f.Add(archiveOf(f, exportFiles(vmJSON, "application/vnd.kubevirt.virtualmachine.config.v1+json")))
	f.Add([]byte{0x1f, 0x8b})
	f.Fuzz(func(t *testing.T, content []byte) {
		objects, err := readArchive(bytes.NewReader(content))
		if err != nil {
			require.Empty(t, objects)
		}
		for _, o := range objects {
			require.NotEqual(t, "Secret", o.Kind, "only the resources that are read")
			require.LessOrEqual(t, len(o.JSON), 2*maxObject)
		}
		expanded, _ := Expand(objects, map[string]string{"NAME": "a"})
		for _, o := range expanded {
			require.NotEmpty(t, o.Name)
		}
	})
}
