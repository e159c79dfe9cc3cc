package schema_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/docblocks"
)

// foreign are top-level keys of examples for other programs: Kubernetes objects and CI files.
var foreign = []string{
	"spec", "source", "sourceHydrator", "jobs", "name", "stages", "repos", "repoURL", "include", "machines",
	"syncPolicy", "components",
}

// The schemas accept the values files on the pages: whole files, and excerpts of fleets, overlays, platforms and
// VMs.
func TestPagesAreValid(t *testing.T) {
	schemas := map[string]*jsonschema.Schema{}
	for _, kind := range []string{"fleet", "overlay", "defaults", "vms", "platform"} {
		schemas[kind] = compile(t, kind)
	}
	checked := 0
	for _, root := range []string{"../README.md", "../docs", "../apps", "../plugin"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if filepath.Ext(path) != ".md" || filepath.Base(path) == "diagnostics.md" { // contains mistakes
				return err
			}
			page, err := os.ReadFile(path)
			docblocks.Rewrite(string(page), func(b docblocks.Block) string {
				if b.Lang == "yaml" {
					checked += checkBlock(t, schemas, path, b.Text)
				}
				return b.Text
			})
			return err
		}))
	}
	require.Greater(t, checked, 30)
}

// checkBlock returns the number of documents in a block that are values files.
func checkBlock(t *testing.T, schemas map[string]*jsonschema.Schema, path, text string) (checked int) {
	t.Helper()
	for part := range strings.SplitSeq(text, "\n---\n") {
		values, ok := decode(t, part).(map[string]any)
		if !ok || isForeign(values) {
			continue
		}
		checked++
		var problems []string
		for kind, excerpt := range wholes(values) {
			err := schemas[strings.TrimSuffix(kind, " of a VM")].Validate(excerpt)
			if err == nil {
				problems = nil
				break
			}
			problems = append(problems, kind+": "+err.Error())
		}
		assert.Empty(t, problems, "%s:\n%s", path, part)
	}
	return checked
}

func isForeign(values map[string]any) bool {
	version, _ := values["apiVersion"].(string)
	return version != "" && !strings.HasPrefix(version, "vmrender.io/") ||
		slices.ContainsFunc(foreign, func(key string) bool { _, ok := values[key]; return ok })
}

// wholes returns the possible files of an excerpt by the names of their schemas.
func wholes(values map[string]any) map[string]any {
	of := func(kind string) map[string]any {
		whole := map[string]any{
			"apiVersion": "vmrender.io/v1alpha1", "kind": kind, "metadata": map[string]any{"name": "page"},
		}
		maps.Copy(whole, values)
		return whole
	}
	platform := of("Platform")
	if platform["source"] == nil {
		platform["source"] = map[string]any{"repoURL": "https://git.example.com/page.git"}
	}
	if platform["layers"] == nil {
		platform["layers"] = map[string]any{"network": map[string]any{}}
	}
	return map[string]any{
		"fleet": of("Fleet"), "platform": platform, "overlay": values, "defaults": values, "vms": values,
		"vms of a VM": map[string]any{"vms": map[string]any{"page": values}},
	}
}
