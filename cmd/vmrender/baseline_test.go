package main

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
)

var record = flag.Bool("record", false, "record the fleets of a release and what it renders in test/upgrade")

// baseline is the directory with the output of the last release. For each fleet, it contains the files in fleet/ and
// the manifests in objects.yaml.
const baseline = "test/upgrade"

// The plan shows the effects of a new version of vmrender on VMs that an earlier one has rendered from the same
// files. With -update, the plan is written. A change of it belongs in CHANGELOG.md. The manifests stay those of the
// last release, and are recorded with -record when one is made.
func TestUpgradeFromTheLastRelease(t *testing.T) {
	t.Chdir("../..")
	if *record {
		for _, name := range []string{"first", "acp", "fleet", "lifecycle"} {
			recordFleet(t, name)
		}
	}
	fleets, err := filepath.Glob(baseline + "/*/fleet")
	require.NoError(t, err)
	require.Len(t, fleets, 4)
	var text strings.Builder
	for _, fleet := range fleets {
		args := []string{"plan", filepath.Dir(fleet) + "/objects.yaml", fleet, "--namespace", "prod", "--verbose"}
		status, stdout, stderr := run(args...)
		require.Equal(t, statusOK, status, stderr)
		text.WriteString("$ vmrender " + strings.Join(args, " ") + "\n" + stdout + "\n")
	}
	golden.Equal(t, baseline+"/plan.txt", text.String())
}

// A change in the output is in the plan with its level even if the files stay the same.
func TestUpgradesShowChangesOfOutput(t *testing.T) {
	const fleet = "../../" + baseline + "/first/fleet"
	status, text, stderr := run("template", fleet, "--namespace", "prod")
	require.Equal(t, statusOK, status, stderr)
	for was, level := range map[string]string{
		"app.kubernetes.io/managed-by: another": "metadata",
		"guest: 99Gi":                           "restart",
	} {
		key, _, _ := strings.Cut(was, ": ")
		var lines []string
		for line := range strings.Lines(text) {
			if before, _, found := strings.Cut(line, key+": "); found {
				line = before + was + "\n"
			}
			lines = append(lines, line)
		}
		older := filepath.Join(t.TempDir(), "objects.yaml")
		require.NoError(t, os.WriteFile(older, []byte(strings.Join(lines, "")), 0o600))
		status, stdout, stderr := run("plan", older, fleet, "--namespace", "prod")
		require.Equal(t, statusOK, status, stderr)
		require.Contains(t, stdout, level)
	}
}

// recordFleet copies the YAML files of an example and its manifests.
func recordFleet(t *testing.T, name string) {
	t.Helper()
	from, to := filepath.Join("examples", name), filepath.Join(baseline, name)
	require.NoError(t, os.RemoveAll(to))
	require.NoError(t, filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		below, err := filepath.Rel(from, path)
		require.NoError(t, err)
		copied := filepath.Join(to, "fleet", below)
		require.NoError(t, os.MkdirAll(filepath.Dir(copied), 0o755))
		return os.WriteFile(copied, text, 0o644)
	}))
	status, stdout, stderr := run("template", filepath.Join(to, "fleet"), "--namespace", "prod")
	require.Equal(t, statusOK, status, stderr)
	require.NoError(t, os.WriteFile(filepath.Join(to, "objects.yaml"), []byte(stdout), 0o644))
}
