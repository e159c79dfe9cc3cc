package e2e_test

import (
	"encoding/json"
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

// prepared is what is made outside of the sandbox, which has no network to fetch
// modules from.
type prepared struct {
	Root        string            // of the repository
	Dir         string            // for everything that the run writes
	Definitions string            // directory with Argo CD's CustomResourceDefinitions
	Layers      string            // file with the definitions of the kinds of layers
	Programs    map[string]string // by name
}

func TestMain(m *testing.M) {
	flag.Parse()
	status, err := run(m)
	if err != nil {
		fmt.Fprintf(os.Stderr, "e2e: %v\n", err)
		status = 1
	}
	os.Exit(status)
}

// run prepares everything and runs this binary again in a sandbox, where it runs
// the tests.
func run(m *testing.M) (int, error) {
	if message, inside := sandbox.Message(); inside {
		return runInside(m, message)
	}
	dir, err := os.MkdirTemp("", "vmrender-e2e-")
	if err != nil {
		return 1, err
	}
	p, err := prepare(dir)
	if err != nil {
		return 1, err
	}
	message, err := json.Marshal(p)
	if err != nil {
		return 1, err
	}
	status, err := sandbox.Run(string(message))
	if status == 0 && err == nil {
		return 0, os.RemoveAll(dir)
	}
	fmt.Fprintf(os.Stderr, "e2e: logs are in %s\n", dir)
	return status, err
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

func runInside(m *testing.M, message string) (int, error) {
	var p prepared
	if err := json.Unmarshal([]byte(message), &p); err != nil {
		return 1, err
	}
	if err := sandbox.Enter(); err != nil {
		return 1, err
	}
	return runLab(m, p)
}
