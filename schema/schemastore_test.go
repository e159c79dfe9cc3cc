package schema_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// store is the part of SchemaStore's catalog that is proposed to it.
type store struct {
	Schema  string `json:"$schema"`
	Version int    `json:"version"`
	Schemas []struct {
		Name        string   `json:"name"`
		Description string   `json:"description"`
		FileMatch   []string `json:"fileMatch"`
		URL         string   `json:"url"`
	} `json:"schemas"`
}

func readStore(t *testing.T) store {
	t.Helper()
	text, err := os.ReadFile("schemastore.json")
	require.NoError(t, err)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var out store
	require.NoError(t, decoder.Decode(&out))
	return out
}

// The entries obey SchemaStore's rules for its catalog: src/schemas/json/schema-catalog.json and, in cli.js,
// assertCatalogJsonHasNoBadFields. Each names the schema's own address.
func TestSchemaStoreAcceptsTheEntries(t *testing.T) {
	all := readStore(t)
	require.Equal(t, "https://json.schemastore.org/schema-catalog.json", all.Schema)
	seen := map[string]bool{}
	for _, s := range all.Schemas {
		for _, text := range []string{s.Name, s.Description} {
			require.Regexp(t, `^[A-Z]?\w[^\n]*[^,. \t\n-]$`, text)
			require.NotContains(t, strings.ToLower(text), "schema")
		}
		for _, pattern := range append(s.FileMatch, s.Name) {
			require.False(t, seen[pattern], pattern)
			seen[pattern] = true
		}
		for _, pattern := range s.FileMatch {
			require.Regexp(t, `^\*\*/[^!?{}[\]()]+\.yaml$`, pattern, "editors know no other operators")
		}
		text, err := os.ReadFile(path.Base(s.URL))
		require.NoError(t, err)
		var doc struct {
			ID string `json:"$id"`
		}
		require.NoError(t, json.Unmarshal(text, &doc))
		require.Equal(t, doc.ID, s.URL)
		require.True(t, strings.HasPrefix(s.URL, "https://"))
	}
}

// matched returns the kinds of the schemas whose patterns match a file: as globs of minimatch, which SchemaStore
// specifies, or as yaml-language-server 1.25 reads them (languageservice/utils/strings.ts,
// convertSimple2RegExpPattern).
func (s store) matched(file string, minimatch bool) []string {
	var kinds []string
	for _, entry := range s.Schemas {
		for _, glob := range entry.FileMatch {
			pattern := strings.ReplaceAll(regexp.QuoteMeta(glob), `\*`, ".*") + "$"
			if minimatch {
				pattern = strings.ReplaceAll(regexp.QuoteMeta(glob), `\*\*/`, "(?:[^.][^/]*/)*")
				pattern = "^" + strings.ReplaceAll(pattern, `\*`, "[^/]*") + "$"
			}
			if regexp.MustCompile(pattern).MatchString(file) {
				kinds = append(kinds, strings.TrimSuffix(path.Base(entry.URL), ".schema.json"))
				break
			}
		}
	}
	return kinds
}

func TestSchemaStorePatterns(t *testing.T) {
	all := readStore(t)
	for file, want := range map[string]string{
		"vmrender/fleet.yaml":               "fleet",
		"vmrender/sites/a/fleet.yaml":       "fleet",
		"vmrender/vms.yaml":                 "vms",
		"vmrender/web.vms.yaml":             "vms",
		"vmrender/sites/a/prod/vms.yaml":    "vms",
		"vmrender/sites/a/prod/db.vms.yaml": "vms",
		"vmrender/vms/_defaults.yaml":       "defaults", // of vmrender init
		"vmrender/_defaults.yaml":           "defaults",
		"vmrender/env/prod.yaml":            "overlay",
		"vmrender/sites/a/env/prod.yaml":    "overlay",
		"vmrender/platform.yaml":            "platform",
		"vmrender/sites/a/platform.yaml":    "platform",
		// Rancher Fleet also has a fleet.yaml in every repository (rancher/fleet, docs/gitrepo-structure.md).
		"fleet.yaml":                           "",
		"apps/web/fleet.yaml":                  "",
		"vms.yaml":                             "",
		"ansible/web.vms.yaml":                 "",
		"group_vars/_defaults.yaml":            "",
		"env/prod.yaml":                        "",
		"platform.yaml":                        "",
		"my-vmrender/fleet.yaml":               "",
		"vmrender.yaml":                        "",
		"vmrender/values.yaml":                 "",
		"vmrender/Chart.yaml":                  "",
		"vmrender/charts/web/values.yaml":      "",
		"vmrender/charts/web/templates/a.yaml": "",
		"vmrender/kustomization.yaml":          "",
		"vmrender/apps/application.yaml":       "",
		"vmrender/argocd/values.yaml":          "",
		"vmrender/sites/a/prod/web.yaml":       "", // any name is possible: it needs the comment that names the schema
		"vmrender/fleet.yaml.orig":             "",
	} {
		for _, minimatch := range []bool{true, false} {
			// Editors match the whole path or address of a file.
			got := strings.Join(all.matched("home/me/repository/"+file, minimatch), " ")
			require.Equal(t, want, got, "%s, as a glob of minimatch: %v", file, minimatch)
		}
	}
}

// In a directory with the name vmrender, the files of the examples and of vmrender init get their schema. Only files
// with VMs have free names, so some of them get none. Files of others, and those of fleets elsewhere, get none.
func TestSchemaStoreMatchesExamples(t *testing.T) {
	all, found := readStore(t), map[string]int{}
	for _, root := range []string{"../examples", "../pkg/starter/files"} {
		inFleets := valuesFiles(t, root)
		require.NoError(t, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			want := kindOf(file)
			// The configuration of kustomize's generator can have any name, and this one has that of a fleet's file.
			if file == "../examples/kustomize/vms.yaml" {
				return nil
			}
			if want != "platform" && !slices.Contains(inFleets, file) {
				want = ""
			}
			relative := strings.TrimPrefix(filepath.ToSlash(file), root+"/")
			for _, minimatch := range []bool{true, false} {
				got := all.matched("/repository/vmrender/"+relative, minimatch)
				if want != "vms" || len(got) > 0 {
					require.Equal(t, want, strings.Join(got, " "), file)
				}
				found[strings.Join(got, " ")]++
				require.Empty(t, all.matched("/repository/"+relative, minimatch), file)
			}
			return nil
		}))
	}
	for _, s := range all.Schemas {
		kind := strings.TrimSuffix(path.Base(s.URL), ".schema.json")
		require.GreaterOrEqual(t, found[kind], 2, kind)
	}
}
