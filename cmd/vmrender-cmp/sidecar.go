package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/vmrender/vmrender/pkg/argocd/plugin"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// sidecar is one run of the command.
type sidecar struct {
	request plugin.Request
	tree    checkout
	// problems are errors in the Application's parameters.
	problems source.Diagnostics
	stdout   io.Writer
	stderr   *bounded
}

func newSidecar(environ []string, stdout io.Writer, stderr *bounded) (*sidecar, error) {
	dir, err := physicalDir()
	if err != nil {
		return nil, fmt.Errorf("working directory: %w", err)
	}
	request, errs := plugin.ReadEnvironment(environ, contentsOf(dir)...)
	s := &sidecar{request: request, tree: newCheckout(dir, request.SourcePath), stdout: stdout, stderr: stderr}
	for _, err := range errs {
		s.problems.Errorf(source.Pos{}, rule.BadParameter, "", "%s", worded(err))
	}
	return s, nil
}

// contentsOf returns the contents of a directory. One without a platform.yaml is taken
// for a part of a fleet.
func contentsOf(dir string) []plugin.Content {
	switch {
	case !exists(filepath.Join(dir, platformFile)):
		return []plugin.Content{plugin.Fleet}
	case exists(filepath.Join(dir, fleetFile)):
		return []plugin.Content{plugin.Fleet, plugin.Platform}
	}
	return []plugin.Content{plugin.Platform}
}

// physicalDir returns the working directory without symbolic links. It also sets
// PWD, which may contain some and which package os relies on, so that paths with
// ".." are compared with where they really lead.
func physicalDir() (string, error) {
	dir, err := os.Getwd()
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err == nil {
		err = os.Setenv("PWD", dir)
	}
	return dir, err
}
