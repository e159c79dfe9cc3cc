// Package lab prepares what the tests need before they are cut off from the
// network.
package lab

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/vmrender/vmrender/test/e2e/build"
	"github.com/vmrender/vmrender/test/e2e/layers"
)

// Prepared describes what is prepared outside the sandbox.
type Prepared struct {
	Root        string            // of the repository
	Dir         string            // for everything that the run writes
	Definitions string            // directory with Argo CD's CustomResourceDefinitions
	Layers      string            // file with the definitions of the kinds of layers
	Programs    map[string]string // by name
}

// Prepare builds the programs and fetches the definitions for the repository whose
// root is at a relative path. It writes to dir.
func Prepare(root, dir string) (Prepared, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return Prepared{}, err
	}
	p := Prepared{Root: root, Dir: dir}
	if p.Programs, err = build.All(root, dir, os.Stderr); err != nil {
		return p, err
	}
	if p.Layers, err = layers.Fetch(root, dir); err != nil {
		return p, err
	}
	list := exec.Command("go", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", "github.com/argoproj/argo-cd/v3")
	list.Dir = filepath.Join(root, "test", "argocd")
	argocd, err := list.Output()
	if err != nil {
		return p, fmt.Errorf("looking for Argo CD's module: %w", err)
	}
	p.Definitions = filepath.Join(strings.TrimSpace(string(argocd)), "manifests", "crds")
	return p, nil
}
