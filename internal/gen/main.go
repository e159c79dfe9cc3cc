// Command gen writes the generated files of this repository. It is not shipped;
// go generate runs it. The sources are
//   - Go types, their comments and the built-in catalog, for the JSON Schemas in
//     schema/ and the reference in docs/,
//   - the rules of package plan, for docs/impact.md and the gate of the governance chart,
//   - the recipes in examples/ci, for docs/ci.md,
//   - a change of examples/fleet, for the picture of a plan in docs/images/,
//   - the identifiers of package rule and the examples in diagnostics/, for
//     docs/diagnostics.md and the meanings in package rule,
//   - the parameters of the plugin and the customizations, for plugin/,
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
	files := map[string][]byte{}
	for _, k := range fileKinds {
		if files["schema/"+k.name+".schema.json"], err = comments.schema(k); err != nil {
			return nil, fmt.Errorf("making the schema of %s: %w", k.name, err)
		}
	}
	if files["schema/"+kubernetesFile], err = kubernetesSchema(); err != nil {
		return nil, fmt.Errorf("making the schema of parts of Kubernetes: %w", err)
	}
	for _, o := range outputs {
		if files["schema/"+o.command+".schema.json"], err = comments.outputSchema(o.command, o.of); err != nil {
			return nil, fmt.Errorf("making the schema of the output of %s: %w", o.command, err)
		}
	}
	if files["docs/values.md"], err = comments.valuesReference(); err != nil {
		return nil, fmt.Errorf("making docs/values.md: %w", err)
	}
	if files["docs/platform.md"], err = comments.platformReference(); err != nil {
		return nil, fmt.Errorf("making docs/platform.md: %w", err)
	}
	if files["docs/catalog.md"], err = catalogReference(); err != nil {
		return nil, fmt.Errorf("making docs/catalog.md: %w", err)
	}
	if files["docs/lifecycle.md"], err = lifecycleReference(); err != nil {
		return nil, fmt.Errorf("making docs/lifecycle.md: %w", err)
	}
	if files["docs/impact.md"], err = impactReference(); err != nil {
		return nil, fmt.Errorf("making docs/impact.md: %w", err)
	}
	if files["docs/upgrades.md"], err = upgradesReference(); err != nil {
		return nil, fmt.Errorf("making docs/upgrades.md: %w", err)
	}
	if files["docs/images/plan.svg"], err = planPicture(); err != nil {
		return nil, fmt.Errorf("making docs/images/plan.svg: %w", err)
	}
	if files["docs/ci.md"], err = ciReference(); err != nil {
		return nil, fmt.Errorf("making docs/ci.md: %w", err)
	}
	if err := addRuleFiles(files); err != nil {
		return nil, err
	}
	if err := addPluginFiles(files); err != nil {
		return nil, err
	}
	files[gateFile] = gateTemplate()
	if err := addChartFiles(files); err != nil {
		return nil, err
	}
	if err := addVersions(files); err != nil {
		return nil, err
	}
	if err := addCustomizations(files); err != nil {
		return nil, err
	}
	return files, nil
}
