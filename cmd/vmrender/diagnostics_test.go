package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/rule"
)

// Every example in docs/reference/diagnostics.md is true. For the wrong tree, validate reports only
// the example's identifier, with the messages that the page shows, and for the right tree, nothing.
// With -update, the messages are written.
func TestDiagnosticsExamples(t *testing.T) {
	dir, err := filepath.Abs("../../internal/gen/diagnostics")
	require.NoError(t, err)
	archives, err := filepath.Glob(dir + "/*.txtar")
	require.NoError(t, err)
	require.Greater(t, len(archives), 50)
	for _, file := range archives {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		id, _, _ := strings.Cut(name, "+")
		t.Run(name, func(t *testing.T) {
			require.NotEmpty(t, rule.Meaning(rule.ID(id)), "there is no such identifier")
			a, err := txtar.ParseFile(file)
			require.NoError(t, err)
			if len(a.Files) > 0 {
				checkDiagnostics(t, rule.ID(id), a)
			}
			if golden.Update() {
				require.NoError(t, os.WriteFile(file, txtar.Format(a), 0o644))
			}
		})
	}
}

func checkDiagnostics(t *testing.T, id rule.ID, a *txtar.Archive) {
	t.Helper()
	words, ids := validated(t, a, "wrong")
	require.NotEmpty(t, ids, "nothing is reported")
	for _, got := range ids {
		require.Equal(t, id, got, words)
	}
	said := fileOf(a, "says")
	if golden.Update() {
		said.Data = []byte(words)
	}
	require.Equal(t, string(said.Data), words)
	words, ids = validated(t, a, "right")
	require.Empty(t, ids, words)
}

// validated returns the output of validate for a tree and the identifiers that it reports.
func validated(t *testing.T, a *txtar.Archive, tree string) (words string, ids []rule.ID) {
	t.Helper()
	args := unpack(t, a, tree)
	_, words, _ = run(append([]string{"validate"}, args...)...)
	_, out, _ := run(append([]string{"validate", "-o", "json"}, args...)...)
	var report struct{ Diagnostics []struct{ Rule rule.ID } }
	require.NoError(t, json.Unmarshal([]byte(out), &report), out)
	for _, d := range report.Diagnostics {
		ids = append(ids, d.Rule)
	}
	return words, ids
}

// unpack writes a tree to a temporary directory, including the plain files that it omits. It makes
// that the working directory and returns the tree's arguments.
func unpack(t *testing.T, a *txtar.Archive, tree string) (args []string) {
	t.Helper()
	files := map[string]string{}
	for _, f := range a.Files {
		if name, ok := strings.CutPrefix(f.Name, tree+"/"); ok {
			files[name] = string(f.Data)
		}
	}
	if text, ok := files["args"]; ok {
		args = strings.Fields(text)
		delete(files, "args")
	}
	addPlain(files)
	t.Chdir(t.TempDir())
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o750))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	return args
}

// addPlain adds plain files that an example does not show.
func addPlain(files map[string]string) {
	given := len(files)
	_, header := files["fleet.yaml"]
	_, values := files["vms.yaml"]
	if values && !header || given == 0 {
		files["fleet.yaml"] = "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: example}\n" +
			"defaults: {namespace: prod, os: fedora, flavor: small}\n"
	}
	if header && given == 1 || given == 0 {
		files["vms.yaml"] = "vms:\n  web01: {}\n"
	}
}

// fileOf returns the file with a name, which it adds if there is none.
func fileOf(a *txtar.Archive, name string) *txtar.File {
	for i := range a.Files {
		if a.Files[i].Name == name {
			return &a.Files[i]
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name})
	return &a.Files[len(a.Files)-1]
}
