package exports_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/exports"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// terraformFiles returns the states and plans in testdata.
func terraformFiles(tb testing.TB) []string {
	tb.Helper()
	var files []string
	for _, ext := range []string{"json", "tfstate"} {
		found, err := filepath.Glob("testdata/terraform/*." + ext)
		require.NoError(tb, err)
		require.NotEmpty(tb, found)
		files = append(files, found...)
	}
	return files
}

// TestTerraform lists what is read of each file: objects, problems and notes.
func TestTerraform(t *testing.T) {
	for _, file := range terraformFiles(t) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.True(t, exports.IsTerraform(text[:512]), file)
		s := exports.ReadTerraform(bytes.NewReader(text))
		var out bytes.Buffer
		for _, o := range s.Objects {
			fmt.Fprintf(&out, "--- # %s, sensitive: %t\n%s", o.Address, o.Sensitive, manifest.AppendYAML(nil, o.JSON))
		}
		for _, p := range s.Problems {
			fmt.Fprintf(&out, "# problem: %s: %s\n", p.Address, p.Text)
		}
		for _, n := range s.Notes {
			fmt.Fprintf(&out, "# note: %s: %s\n", n.Address, n.Text)
		}
		require.NotContains(t, out.String(), "hunter2", "neither outputs, nor other resources, nor broken YAML")
		require.NotContains(t, out.String(), "aHVudGVyMg", "nor Secrets")
		golden.Equal(t, file+".golden", out.String())
	}
}

func TestTerraformProblems(t *testing.T) {
	for name, test := range map[string]struct {
		text, want string
		line, col  int
	}{
		"a binary plan": {
			"PK\x03\x04tfplan", "a plan in Terraform's binary format, or another zip archive; " +
				"write the plan as JSON: terraform show -json FILE > plan.json", 0, 0,
		},
		"torn": {
			"{\"version\": 4,\n \"resources\": [", "the JSON ends early; write the file again: terraform show -json", 2, 15,
		},
		"broken": {
			"{\"version\": 4,\n \"hunter2\": hunter2}",
			"broken JSON; expected the output of terraform show -json, or terraform.tfstate", 2, 13,
		},
		"another type": {
			`{"version": 4, "resources": {"password": "hunter2"}}`, "resources: unexpected object; " +
				"expected the output of terraform show -json, or terraform.tfstate", 1, 29,
		},
		"version 3": {
			`{"version": 3, "modules": []}`, `a state of version "3"; accepted: version 4, ` +
				"which Terraform 0.12 and later write: terraform state pull > state.json", 0, 0,
		},
		"encrypted": {
			`{"serial": 1, "lineage": "a", "meta": {}, "encrypted_data": "hunter2", "encryption_version": "v0"}`,
			"an encrypted state of OpenTofu; decrypt it in the directory of its configuration: " +
				"tofu show -json > state.json", 0, 0,
		},
		"a later format": {
			`{"format_version": "2.0"}`, `format_version "2.0"; accepted: 0.x and 1.x, as terraform show -json prints`, 0, 0,
		},
		"neither": {
			`{"values": {}}`, "JSON of Terraform without format_version and version; " +
				"accepted: the output of terraform show -json, and terraform.tfstate", 0, 0,
		},
		"two": {
			"{\"format_version\": \"1.0\"}\n{}",
			"more text after the JSON object; expected the output of one command", 0, 0,
		},
	} {
		require.True(t, exports.IsTerraform([]byte(test.text)), name)
		s := exports.ReadTerraform(strings.NewReader(test.text))
		require.Empty(t, s.Objects, name)
		want := []exports.Finding{{Line: test.line, Col: test.col, Text: test.want}}
		require.Equal(t, want, s.Problems, name)
	}
	for _, text := range []string{
		"", "{}", "apiVersion: v1\n", `{"apiVersion": "v1"}`, `{"items": []}`, `{"kind": "List"}`, `{"metadata": {}}`,
	} {
		require.False(t, exports.IsTerraform([]byte(text)), text)
	}
}

func FuzzReadTerraform(f *testing.F) {
	for _, file := range terraformFiles(f) {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := exports.ReadTerraform(bytes.NewReader(text))
		for _, o := range s.Objects {
			require.NotEmpty(t, o.Name)
			require.NotEmpty(t, o.Kind)
			require.NotEqual(t, "Secret", o.Kind)
			require.Equal(t, o.ID, manifest.Identify(o.JSON))
		}
		for _, p := range append(s.Problems, s.Notes...) {
			require.NotEmpty(t, p.Text)
		}
		require.Equal(t, s, exports.ReadTerraform(bytes.NewReader(text)), "the same file, the same result")
	})
}
