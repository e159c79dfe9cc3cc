// Package layers provides the CustomResourceDefinitions of the kinds that layers
// render, except those of KubeVirt and CDI, which come with their servers.
package layers

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/e2e/cluster"
)

// Fetch writes the definitions in Go modules to a file in dir, and returns its
// path. root is the root of the repository. It needs a network if the modules
// have not been fetched before.
func Fetch(root, dir string) (string, error) {
	var stdout, stderr bytes.Buffer
	command := exec.Command("go", "run", "-mod=readonly", ".")
	command.Dir = filepath.Join(root, "test", "e2e", "layers", "modules")
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("fetching definitions: %w\n%s", err, stderr.Bytes())
	}
	path := filepath.Join(dir, "definitions.yaml")
	return path, os.WriteFile(path, stdout.Bytes(), 0o600)
}

// Definitions returns the definitions in the file that [Fetch] wrote, and those
// of the kinds that no module contains. The latter come from the files of the
// directory extra, or from the kind's shape if they do not define it or extra is
// empty.
func Definitions(fetched, extra string) ([]*unstructured.Unstructured, error) {
	definitions, err := cluster.ReadObjects(fetched)
	if err != nil {
		return nil, err
	}
	known, err := readAll(extra)
	if err != nil {
		return nil, err
	}
	shaped, err := shapes()
	if err != nil {
		return nil, err
	}
	for _, definition := range shaped {
		definitions = append(definitions, cmp.Or(known[definition.GetName()], definition))
	}
	return definitions, nil
}

// readAll reads the definitions of a directory's files by name. The files are
// YAML or JSON, with objects or Lists.
func readAll(dir string) (map[string]*unstructured.Unstructured, error) {
	known := map[string]*unstructured.Unstructured{}
	if dir == "" {
		return known, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		switch filepath.Ext(entry.Name()) {
		case ".json", ".yaml", ".yml":
		default:
			continue
		}
		objects, err := cluster.ReadObjects(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		for _, o := range objects {
			known[o.GetName()] = o
		}
	}
	return known, nil
}
