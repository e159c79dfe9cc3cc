package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// initialized matches the line that the Go runtime prints for each package that it initializes with inittrace=1.
var initialized = regexp.MustCompile(`(?m)^init (\S+) @`)

// The first of the two processes ends before Go initializes the packages that only the second one needs: all
// packages of other modules, and those of the standard library above package os.
func TestStartsFirst(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), filepath.Join(build(t, "."), "vmrender-cmp"), "parameters")
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"GODEBUG=inittrace=1"}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Run())

	processes := strings.Split(stderr.String(), "init internal/bytealg @")
	require.Len(t, processes, 3, stderr.String())
	var early, late []string
	for i, list := range []*[]string{&early, &late} {
		for _, match := range initialized.FindAllStringSubmatch(processes[i+1], -1) {
			*list = append(*list, match[1])
		}
	}
	require.Contains(t, late, "kubevirt.io/api/core/v1")
	require.NotContains(t, early, "reflect")
	for _, path := range early {
		ofModule := strings.Contains(strings.Split(path, "/")[0], ".")
		require.True(t, !ofModule || strings.HasPrefix(path, "github.com/vmrender/"), path)
	}
}
