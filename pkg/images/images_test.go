package images

import (
	"fmt"
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

// Versions that are written in several lines, with escapes, or for several values at the same time.
func TestUpdateRewritesOtherForms(t *testing.T) {
	for text, want := range map[string]string{
		"v: \"o\\x6cd\" # why\n":                              "v: \"fresh\" # why\n",
		"v: |-\n  old\n# below\n":                             "v: fresh\n# below\n",
		"v: 'it''s old'\n":                                    "v: 'fresh'\n",
		"v: &one \"1\" # why\nb: *one\n":                      "v: &one \"fresh\" # why\nb: *one\n",
		"a: &a {v: old} # why\nb: *a\nc:\n  <<: *a\nv: old\n": "a: &a {v: old} # why\nb: *a\nc:\n  <<: *a\nv: fresh\n",
	} {
		require.Equal(t, want, updated(t, text, "fresh", "v"), text)
	}
	const shared = "a: &a {v: %s} # why\nb: *a\nc:\n  <<: *a\n"
	require.Equal(t, fmt.Sprintf(shared, "fresh"), updated(t, fmt.Sprintf(shared, "old"), "fresh", "a", "v"))
	require.Equal(t, fmt.Sprintf(shared, "fresh"), updated(t, fmt.Sprintf(shared, "old"), "fresh", "c", "v"))
}

// updated returns a file in which the version at a path was behind.
func updated(t *testing.T, text, current string, path ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "fleet.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	diags := new(source.Diagnostics)
	pin := source.Parse(&source.File{Name: file, Data: []byte(text)}, diags)[0].Get(path...)
	files, err := Update([]Image{{Kind: "dataSource", Status: Behind, Current: current, pin: pin}}, diags)
	require.NoError(t, err)
	require.Empty(t, diags.Sorted(), text)
	require.Equal(t, []string{file}, files)
	return read(t, file)
}

func TestUpdateRefuses(t *testing.T) {
	for _, c := range []struct{ text, pin, current, problem string }{
		{"v: !!str old\n", "old", "fresh", "this value has the tag !!str"},
		{"v: \"{{ old }}\"\n", "old", "fresh", "does not contain \"old\""},
		{"v: \"{{ old }}\"\n", "{{ old }}", "fresh", "comes from a template"},
		{"v: old\n", "old", "new\"\nvms: {x: 1", "cannot be set to"},
		{"v: old # 2\n", "old", "", "cannot be set to"},
	} {
		file := filepath.Join(t.TempDir(), "fleet.yaml")
		require.NoError(t, os.WriteFile(file, []byte(c.text), 0o600))
		pin := *pinIn(t, file)
		pin.Text = c.pin
		diags := new(source.Diagnostics)
		files, err := Update([]Image{{Kind: "dataSource", Status: Behind, Current: c.current, pin: &pin}}, diags)
		require.NoError(t, err)
		require.Empty(t, files)
		require.Len(t, diags.Sorted(), 1, c.text)
		require.Contains(t, diags.Sorted()[0].String(), c.problem)
		require.Equal(t, c.text, read(t, file))
	}
}
