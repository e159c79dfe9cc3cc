package e2e_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vmrender/vmrender/test/e2e/build"
	"github.com/vmrender/vmrender/test/e2e/layers"
	"github.com/vmrender/vmrender/test/e2e/sandbox"
)

// prepared is what is made outside of the sandbox.
type prepared struct {
	Root        string            // of the repository
	Dir         string            // for everything that the run writes
	Definitions string            // directory with Argo CD's CustomResourceDefinitions
	Layers      string            // file with the definitions of the kinds of layers
	Programs    map[string]string // by name
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(sandbox.Main("e2e", prepare, func(p prepared) (int, error) { return runLab(m, p) }))
}

func prepare(dir string) (prepared, error) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		return prepared{}, err
	}
	p := prepared{Root: root, Dir: dir}
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
