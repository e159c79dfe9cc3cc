package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
)

// The file shows the effects of an upgrade of KubeVirt on the fleets of examples/. With
// -update, the file is written.
func TestUpgradeOfExamples(t *testing.T) {
	file, err := filepath.Abs("testdata/upgrade.txt")
	require.NoError(t, err)
	t.Chdir("../../examples")
	fleets, err := filepath.Glob("*/fleet.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, fleets)
	var text strings.Builder
	for _, fleet := range fleets {
		args := []string{
			"plan", filepath.Dir(fleet), "--target-from", "kubevirt=1.8", "--target-to", "kubevirt=1.9", "--namespace", "prod",
		}
		status, stdout, stderr := run(args...)
		require.Equal(t, statusOK, status, stderr)
		text.WriteString("$ vmrender " + strings.Join(args, " ") + "\n" + stdout + "\n")
	}
	golden.Equal(t, file, text.String())
}
