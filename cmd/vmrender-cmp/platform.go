package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/vmrender/vmrender/pkg/argocd/plugin"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// program renders platforms. It is a separate program because Helm's engine is
// slow to start, which would also delay fleets.
const program = "vmrender"

// generatePlatform runs the program on a platform.yaml and writes its output, if
// it succeeds.
func (s *sidecar) generatePlatform(path string) error {
	overlays := s.resolveOverlays()
	if s.tree.outside(path) {
		s.problems.Errorf(source.Pos{File: path}, rule.BadPath, "", "%s", errOutside)
	}
	if err := problems.Report(s.stderr, &s.problems); err != nil {
		return err
	}
	name, err := locate(program)
	if err != nil {
		return err
	}
	var stdout bytes.Buffer
	if err := execute(&stdout, s.stderr, name, s.platformArgs(path, overlays)...); err != nil {
		if errors.Is(err, problems.ErrReported) {
			return err
		}
		return fmt.Errorf("running %s for %s: %w", program, s.layer(path), err)
	}
	if _, err := stdout.WriteTo(s.stdout); err != nil {
		return fmt.Errorf("writing manifests: %w", err)
	}
	return nil
}

// layer names what the Application's request renders, for messages.
func (s *sidecar) layer(path string) string {
	if s.request.Layer == "" || s.request.Layer == plugin.AllLayers {
		return path
	}
	return fmt.Sprintf("the layer %q of %s", s.request.Layer, path)
}

// platformArgs returns the arguments of the program for the Application's request. No
// file outside of the repository is read.
func (s *sidecar) platformArgs(path string, overlays []string) []string {
	args := []string{"template", path, "--output", "json", "--root", s.tree.root}
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
	for _, file := range overlays {
		args = append(args, "--overlay", file)
	}
	for _, pair := range pairs(s.request.Vars) {
		args = append(args, "--set", pair)
	}
	return args
}
