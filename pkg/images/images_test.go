package images

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/source"
)

func TestSplit(t *testing.T) {
	for reference, want := range map[string][3]string{
		"docker://registry.example.com/a/b":                 {"registry.example.com/a/b", "", ""},
		"docker://registry.example.com:5000/a/b":            {"registry.example.com:5000/a/b", "", ""},
		"docker://registry.example.com:5000/a/b:1":          {"registry.example.com:5000/a/b", "1", ""},
		"registry.example.com:5000/a/b@sha256:00":           {"registry.example.com:5000/a/b", "", "sha256:00"},
		"registry.example.com:5000/a/b:1@sha256:00":         {"registry.example.com:5000/a/b", "1", "sha256:00"},
		"oci-archive://registry.example.com/a/b:1@sha256:0": {"oci-archive://registry.example.com/a/b", "1", "sha256:0"},
	} {
		repository, tag, digest := split(reference)
		require.Equal(t, want, [3]string{repository, tag, digest}, reference)
	}
}

const digest = "sha256:0a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8c9d0a1b"

func TestVersionForms(t *testing.T) {
	all := version{short: "0a1b2c3d4e5f", name: "rhel9-0a1b2c3d4e5f", digest: digest}
	for _, text := range []string{"0a1b2c3d4e5f", "rhel9-0a1b2c3d4e5f", digest} {
		require.True(t, all.is(text), text)
		require.Equal(t, text, all.like(text), "the form that is in use stays")
	}
	for _, text := range []string{
		"", "0a1b", "rhel9", "sha256:", "1a1b2c3d4e5f", "rhel9-1a1b2c3d4e5f", "sha256:1" + digest[8:],
	} {
		require.False(t, all.is(text), text)
	}
	require.Equal(t, "0a1b2c3d4e5f", all.like("2026-01"))
	require.Equal(t, "rhel9-0a1b2c3d4e5f", all.like("rhel9-000000000000"))
	require.Equal(t, digest, all.like("sha256:00"))

	claim := version{short: "0a1b2c3d4e5f", name: "rhel9-0a1b2c3d4e5f"}
	require.True(t, claim.is(digest), "a claim's name has the first digits of the digest")
	own := version{short: "golden", name: "golden"}
	require.Equal(t, "golden", own.like("sha256:00"), "a claim that no DataImportCron has made has no digest")
}

func TestRepositoriesOfSeveralTags(t *testing.T) {
	v := &Versions{repositories: map[string][]tracked{"registry.example.com/a": {
		{"1", version{short: "sha256:01", digest: "sha256:01"}}, {"", version{short: "sha256:02", digest: "sha256:02"}},
	}}}
	for reference, want := range map[string]string{
		"docker://registry.example.com/a:1":         "sha256:01",
		"docker://registry.example.com/a:latest":    "sha256:02",
		"docker://registry.example.com/a":           "sha256:02",
		"docker://registry.example.com/a:2":         "",
		"docker://registry.example.com/a@sha256:00": "", // it is unknown which tag this belongs to
		"docker://registry.example.com/b":           "",
	} {
		now, known := v.of(&Image{Kind: "registry", Reference: reference})
		require.Equal(t, want != "", known, reference)
		require.Equal(t, want, now.digest, reference)
	}
	_, known := v.of(&Image{Kind: "http", Reference: "https://registry.example.com/a"})
	require.False(t, known)
}

// TestUpdateKeepsEveryOtherByte updates one version in files with different layouts.
func TestUpdateKeepsEveryOtherByte(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"plain":                    {"v: old # why\n", "v: fresh # why\n"},
		"plain, to be quoted":      {"v: old-1\n", "v: \"123\"\n"},
		"single quotes":            {"v:   'old'\n", "v:   'fresh'\n"},
		"double quotes":            {"{ \"v\" :\"old\"}", "{ \"v\" :\"fresh\"}"},
		"line breaks of Windows":   {"a: 1\r\nv: old\r\nb: 2\r\n", "a: 1\r\nv: fresh\r\nb: 2\r\n"},
		"byte order mark":          {"\ufeffv: old\n", "\ufeffv: fresh\n"},
		"wide characters":          {"{\"größe 🙂\": 1, v: old}\n", "{\"größe 🙂\": 1, v: fresh}\n"},
		"no line break at the end": {"a: 1\nv: old", "a: 1\nv: fresh"},
		"second document":          {"---\na: 1\n---\n# here\nv: old\n...\n", "---\na: 1\n---\n# here\nv: fresh\n...\n"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "fleet.yaml")
			require.NoError(t, os.WriteFile(file, []byte(c.text), 0o640))
			current := "fresh"
			if strings.Contains(c.want, "123") {
				current = "123"
			}
			list := []Image{{Kind: "dataSource", Status: Behind, Current: current, pin: pinIn(t, file)}}
			diags := new(source.Diagnostics)
			files, err := Update(list, diags)
			require.NoError(t, err)
			require.Empty(t, diags.Sorted())
			require.Equal(t, []string{file}, files)
			require.Equal(t, Updated, list[0].Status)

			got, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
			info, err := os.Stat(file)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
			require.Equal(t, current, pinIn(t, file).Text, "and it reads as what was written")
		})
	}
}

// pinIn returns the value of the key v in one of the file's documents.
func pinIn(t *testing.T, file string) *source.Node {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	diags := new(source.Diagnostics)
	for _, doc := range source.Parse(&source.File{Name: file, Data: data}, diags) {
		if n := doc.Get("v"); n != nil {
			return n
		}
	}
	t.Fatalf("no value in %q: %v", data, diags.Sorted())
	return nil
}

func TestUpdateRefuses(t *testing.T) {
	for text, current := range map[string]string{
		"v: \"o\\x6cd\"\n": "fresh",             // an escape
		"v: |\n  old\n":    "fresh",             // a block
		"v: 'it''s old'\n": "fresh",             // a quote within quotes
		"v: old\n":         "new\"\nvms: {x: 1", // not a version
		"v: old # 2\n":     "",
	} {
		file := filepath.Join(t.TempDir(), "fleet.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		diags := new(source.Diagnostics)
		files, err := Update([]Image{{Kind: "dataSource", Status: Behind, Current: current, pin: pinIn(t, file)}}, diags)
		require.NoError(t, err)
		require.Empty(t, files)
		require.Len(t, diags.Sorted(), 1, text)
		require.Contains(t, diags.Sorted()[0].Message, "cannot be set to")
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, text, string(got))
	}
}
