package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/vmrender/vmrender/pkg/argocd/plugin"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// program renders platforms. It is a separate program because Helm's engine is
// slow to start, which would also delay fleets.
const program = "vmrender"

// generatePlatform runs the program on a platform.yaml and writes its output, if
// it succeeds.
func (s *sidecar) generatePlatform(path string) error {
	if s.tree.outside(path) {
		s.problems.Errorf(source.Pos{File: path}, rule.BadPath, "", "%s", errOutside)
	}
	if err := report.Problems(s.stderr, &s.problems); err != nil {
		return err
	}
	name, err := locate(program)
	if err != nil {
		return err
	}
	var stdout bytes.Buffer
	cmd := exec.Command(name, s.platformArgs(path)...)
	cmd.Stdout, cmd.Stderr = &stdout, s.stderr
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
		return report.ErrReported
	}
	if err != nil {
		return fmt.Errorf("running %s: %w", program, err)
	}
	if _, err := stdout.WriteTo(s.stdout); err != nil {
		return fmt.Errorf("writing manifests: %w", err)
	}
	return nil
}

func (s *sidecar) platformArgs(path string) []string {
	args := []string{"template", path, "--output", "json"}
	layer := s.request.Layer
	if layer == plugin.AllLayers {
		layer = ""
	}
	for _, flag := range []struct{ name, value string }{
		{"--layer", layer},
		{"--kube-version", s.request.KubeVersion},
		{"--api-versions", s.request.APIVersions},
	} {
		if flag.value != "" {
			args = append(args, flag.name, flag.value)
		}
	}
	return args
}

// locate returns the path of a program of vmrender: next to the running one, which
// is then of the same release, or in PATH.
func locate(name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("looking for %s: %w", name, err)
	}
	for _, candidate := range []string{filepath.Join(filepath.Dir(self), name), name} {
		if path, err := exec.LookPath(candidate); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no program %q beside this one or on the path; a platform needs it", name)
}
