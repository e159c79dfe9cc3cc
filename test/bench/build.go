package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// tools are the paths of the programs that a run needs.
type tools struct {
	Launch   string // ./launch, starts and measures one command
	Helm     string // the helm of this module's go.mod
	Vmrender string // ../../cmd/vmrender, the command-line tool
	Sidecar  string // ../../cmd/vmrender-cmp, the Argo CD plugin
	Empty    string // ./empty, does nothing with KubeVirt's types
	Finished string // ./finished, a plugin that writes a file
	ArgoCD   string // ../argocd/cmd/argocd, Argo CD's own servers
	Measure  string // ../argocd/cmd/measure, runs and measures those servers
}

// toolsIn returns the paths of the programs in a directory.
func toolsIn(dir string) tools {
	return tools{
		Launch:   filepath.Join(dir, "launch"),
		Helm:     filepath.Join(dir, "helm"),
		Vmrender: filepath.Join(dir, "vmrender"),
		Sidecar:  filepath.Join(dir, "vmrender-cmp"),
		Empty:    filepath.Join(dir, "empty"),
		Finished: filepath.Join(dir, "finished"),
		ArgoCD:   filepath.Join(dir, "argocd"),
		Measure:  filepath.Join(dir, "measure"),
	}
}

// buildSidecar builds only the sidecar and the program that starts it: neither Helm nor Argo CD.
func buildSidecar(ctx context.Context, root, dir string) (tools, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return tools{}, err
	}
	built := toolsIn(dir)
	return built, firstFailure(
		func() error { return os.MkdirAll(dir, 0o755) },
		func() error { return goBuild(ctx, filepath.Join(root, "test", "bench"), built.Launch, "./launch") },
		func() error { return countedBuild(ctx, root, built.Sidecar, "./cmd/vmrender-cmp") },
	)
}

// buildTools builds all programs into dir. root is the root of vmrender's repository.
// For programs that are up to date, the go command only checks that.
func buildTools(ctx context.Context, root, dir string, servers bool) (tools, error) {
	built, err := buildSidecar(ctx, root, dir)
	if err != nil {
		return built, err
	}
	err = firstFailure(
		func() error {
			return countedBuild(ctx, filepath.Join(root, "test", "bench"), built.Helm, "helm.sh/helm/v3/cmd/helm")
		},
		func() error { return goBuild(ctx, root, built.Vmrender, "./cmd/vmrender") },
		func() error { return goBuild(ctx, root, built.Empty, "./test/bench/empty/main.go") },
	)
	if err != nil || !servers {
		return built, err
	}
	argocd := filepath.Join(root, "test", "argocd")
	err = firstFailure(
		func() error { return goBuild(ctx, argocd, built.ArgoCD, "./cmd/argocd") },
		func() error { return goBuild(ctx, argocd, built.Measure, "./cmd/measure") },
		func() error {
			return goBuild(ctx, filepath.Join(root, "test", "bench"), built.Finished, "./finished")
		},
		func() error {
			return goBuild(ctx, argocd, filepath.Join(filepath.Dir(built.Helm), "kustomize"), "./cmd/kustomize")
		},
	)
	return built, err
}

// firstFailure runs the steps in order up to the first error and returns it.
func firstFailure(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// countedBuild builds a main package twice, the second time for valgrind.
func countedBuild(ctx context.Context, moduleDir, output, pkg string) error {
	return firstFailure(
		func() error { return goBuild(ctx, moduleDir, output, pkg) },
		func() error { return goBuild(ctx, moduleDir, countedOf(output), pkg, "-tags", "valgrind") },
	)
}

// countedOf returns the path of a program as valgrind runs it: the Go runtime tells valgrind about its memory, which
// costs 1 % more time also without valgrind, and vmrender-cmp has more time.
func countedOf(program string) string {
	return filepath.Join(filepath.Dir(program), "counted", filepath.Base(program))
}

// goBuild builds one main package as releases are built, apart from further flags: without cgo, paths, and debug
// information. It then copies the program, as from an image: the linker maps the file, and pages of such a file cost each
// process up to 1 ms more (Linux 6.18).
func goBuild(ctx context.Context, moduleDir, output, pkg string, flags ...string) error {
	linked := filepath.Join(filepath.Dir(output), "linked", filepath.Base(output))
	words := slices.Concat([]string{"build", "-trimpath", "-ldflags", "-s -w", "-o", linked}, flags, []string{pkg})
	build := exec.CommandContext(ctx, "go", words...)
	build.Dir = moduleDir
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	err := build.Run()
	if err == nil {
		err = copyProgram(linked, output)
	}
	if err != nil {
		return fmt.Errorf("building %s in %s: %w", pkg, moduleDir, err)
	}
	return nil
}

func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) { // it may be running
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return firstError(err, out.Close())
}

// moduleVersion returns the version of a module in a built program.
func moduleVersion(program, module string) (string, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return "", err
	}
	for _, dep := range info.Deps {
		if dep.Path == module {
			return dep.Version, nil
		}
	}
	return "", fmt.Errorf("%s holds no module %s", program, module)
}
