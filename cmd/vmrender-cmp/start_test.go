package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/confine"
)

// initialized matches the line that the Go runtime prints for each package that it initializes with inittrace=1.
var initialized = regexp.MustCompile(`(?m)^init (\S+) @`)

// The process that watches a render does so before Go initializes the packages that only a render needs: all packages
// of other modules, and those of the standard library above package os.
func TestWatchesFirst(t *testing.T) {
	program := filepath.Join(build(t, "."), "vmrender-cmp")
	early, late := packagesOf(t, program, confine.Watcher, "generate"), packagesOf(t, program, "parameters")
	require.Contains(t, late, "kubevirt.io/api/core/v1")
	require.NotContains(t, early, "reflect")
	for _, path := range early {
		ofModule := strings.Contains(strings.Split(path, "/")[0], ".")
		require.True(t, !ofModule || strings.HasPrefix(path, "github.com/vmrender/"), path)
	}
}

// packagesOf returns the packages that a program initializes for the arguments.
func packagesOf(t *testing.T, program string, args ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"GODEBUG=inittrace=1"}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Run())
	var paths []string
	for _, match := range initialized.FindAllStringSubmatch(stderr.String(), -1) {
		paths = append(paths, match[1])
	}
	require.NotEmpty(t, paths)
	return paths
}
