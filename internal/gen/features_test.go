package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/versions"
)

// The table of features has every field of a VirtualMachine that the newest version of KubeVirt's API has, and the
// version before did not have, and no other of that version. The module contains an object with all fields for both.
func TestFieldsOfNewestKubeVirt(t *testing.T) {
	list := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "kubevirt.io/api")
	list.Dir = "../.."
	out, err := list.Output()
	require.NoError(t, err)
	dir := filepath.Join(strings.TrimSpace(string(out)), "apitesting", "testdata")
	const file = "kubevirt.io.v1.VirtualMachine.json"
	older, err := filepath.Glob(filepath.Join(dir, "release-*", file))
	require.NoError(t, err)
	require.Len(t, older, 1)

	before, now := fieldsOf(t, older[0]), fieldsOf(t, filepath.Join(dir, "HEAD", file))
	var added, features []string
	for _, path := range now {
		isBelow := func(above string) bool {
			return strings.HasPrefix(path, above+".") || strings.HasPrefix(path, above+"[")
		}
		if !slices.Contains(before, path) && !slices.ContainsFunc(added, isBelow) {
			added = append(added, path)
		}
	}
	for _, f := range versions.Features() {
		if f.Kind == "VirtualMachine" && f.Since == versions.Newest {
			features = append(features, f.Field)
		}
	}
	require.NotEmpty(t, added)
	require.ElementsMatch(t, added, features)
}

// fieldsOf returns the paths of all fields of the spec of a VirtualMachine in a file, sorted. It leaves out the
// templates of disks: the definitions contain a copy of an older version of them.
func fieldsOf(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var object struct{ Spec map[string]any }
	require.NoError(t, json.Unmarshal(text, &object))
	delete(object.Spec, "dataVolumeTemplates")
	var paths []string
	addFields(object.Spec, "spec", &paths)
	slices.Sort(paths)
	return slices.Compact(paths)
}

func addFields(value any, path string, paths *[]string) {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			if _, isList := below.([]any); isList {
				*paths = append(*paths, path+"."+key)
			}
			addFields(below, path+"."+key, paths)
		}
	case []any:
		for _, item := range v {
			addFields(item, path+"[]", paths)
		}
	}
	*paths = append(*paths, path)
}
