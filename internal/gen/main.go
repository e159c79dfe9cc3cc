// Command gen writes the generated files of this repository. It is not shipped;
// go generate runs it. The sources are
//   - Go types, their comments and the built-in catalog, for the JSON Schemas in
//     schema/ and the reference in docs/,
//   - the rules of package plan, for docs/reference/impact.md and the gate of the governance chart,
//   - the keys that an import does not write, for docs/reference/import.md,
//   - the verdicts of KubeVirt's controllers in test/impact, for docs/reference/live-changes.md,
//   - the go.mod files of the product and its tests, for docs/reference/compatibility.md,
//   - the templates and scripts in ci/, for the recipes in examples/ci, docs/how-to/ci.md and action.yml,
//   - a change of examples/fleet, for the picture of a plan in docs/images/,
//   - the identifiers of package rule and the examples in diagnostics/, for
//     docs/reference/diagnostics.md and the meanings in package rule,
//   - the parameters of the plugin, the customizations and the extension of Argo CD, and settings of git, for plugin/,
//   - the values of the charts, for their schemas and references.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// module is the import path of the repository's root.
const module = "github.com/vmrender/vmrender"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run() error {
	if err := enterRoot(); err != nil {
		return err
	}
	switch strings.Join(os.Args[1:], " ") {
	case "":
	case "check-versions":
		return checkVersions()
	case "raise-versions":
		if err := raiseVersions(); err != nil {
			return err
		}
	default:
		return fmt.Errorf("unknown argument %q; expected check-versions, raise-versions, or none", os.Args[1])
	}
	files, err := generate()
	if err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// enterRoot changes to the nearest parent directory with a go.mod: go generate
// starts a command in the directory of its comment.
func enterRoot() error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil {
			return os.Chdir(dir)
		}
		if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
			return fmt.Errorf("looking for go.mod: %w", err)
		}
		dir = filepath.Dir(dir)
	}
}

// generate returns all files by path, relative to the working directory, which
// must be the repository's root.
func generate() (map[string][]byte, error) {
	comments, err := readComments()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{gateFile: gateTemplate()}
	for _, f := range made(comments) {
		if files[f.name], err = f.make(); err != nil {
			return nil, fmt.Errorf("making %s: %w", f.name, err)
		}
	}
	for _, add := range []func(map[string][]byte) error{
		addRuleFiles, addPluginFiles, addChartFiles, addVersions, addCustomizations, addProtection, addExtension,
		addGitSettings, addRecipes,
	} {
		if err := add(files); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// madeFile is a generated file.
type madeFile struct {
	name string
	make func() ([]byte, error)
}

// made returns the files that are made one by one.
func made(c comments) []madeFile {
	files := []madeFile{
		{"schema/" + kubernetesFile, kubernetesSchema},
		{"docs/reference/values.md", c.valuesReference},
		{"docs/reference/platform.md", c.platformReference},
		{"docs/reference/catalog.md", catalogReference},
		{"docs/reference/lifecycle.md", lifecycleReference},
		{"docs/reference/impact.md", impactReference},
		{"docs/reference/live-changes.md", liveReference},
		{"docs/reference/admission.md", admissionReference},
		{"docs/reference/import.md", importReference},
		{"docs/how-to/upgrade-platform.md", upgradesReference},
		{"docs/images/plan.svg", planPicture},
		{"docs/reference/compatibility.md", compatibilityReference},
	}
	for _, k := range fileKinds {
		files = append(files, madeFile{"schema/" + k.name + ".schema.json", func() ([]byte, error) { return c.schema(k) }})
	}
	for _, o := range outputs {
		files = append(files, madeFile{
			"schema/" + o.kind + ".schema.json", func() ([]byte, error) { return c.outputSchema(o) },
		})
	}
	return files
}
