package server

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Programs are the paths of the programs that tests run.
type Programs struct {
	ArgoCD   string // the servers of Argo CD, ../cmd/argocd
	Sidecar  string // vmrender-cmp, which the plugin runs
	Vmrender string // the command-line tool, in the same directory
}

// Dir returns the first directory of a server's PATH.
func (p Programs) Dir() string { return filepath.Dir(p.Sidecar) }

// Build builds the programs into dir, as releases are built: without cgo,
// paths, and debug information. root is the root of vmrender's repository.
// Build does not touch programs that are up to date.
func Build(ctx context.Context, root, dir string) (Programs, error) {
	built := Programs{
		ArgoCD:   filepath.Join(dir, "argocd"),
		Sidecar:  filepath.Join(dir, "bin", "vmrender-cmp"),
		Vmrender: filepath.Join(dir, "bin", "vmrender"),
	}
	if err := os.MkdirAll(built.Dir(), 0o755); err != nil {
		return built, err
	}
	for _, build := range []struct{ module, output, pkg string }{
		{filepath.Join(root, "test", "argocd"), built.ArgoCD, "./cmd/argocd"},
		{root, built.Sidecar, "./cmd/vmrender-cmp"},
		{root, built.Vmrender, "./cmd/vmrender"},
	} {
		if err := goBuild(ctx, build.module, build.output, build.pkg); err != nil {
			return built, err
		}
	}
	return built, nil
}

func goBuild(ctx context.Context, module, output, pkg string) error {
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", output, pkg)
	build.Dir = module
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s in %s: %w\n%s", pkg, module, err, text)
	}
	return nil
}
