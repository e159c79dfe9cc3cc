package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/internal/golden"
)

// changeRow is a row of the page: what is wanted, what is written, and the level.
var changeRow = regexp.MustCompile("(?m)^(\\| [^|`]+ \\| `)([^`]+)(` \\|)([^|]*)(\\| )")

// The levels in docs/how-to/change.md are those that plan reports for the VM on the page. With -update, the page is
// corrected.
func TestChangePage(t *testing.T) {
	path, err := filepath.Abs("../../docs/how-to/change.md")
	require.NoError(t, err)
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	files := pageFile.FindAllStringSubmatch(string(page), -1)
	require.Len(t, files, 2)
	for _, dir := range []string{"old", "new"} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
		for _, file := range files {
			require.NoError(t, os.WriteFile(filepath.Join(dir, file[1]), []byte(file[2]), 0o600))
		}
	}
	rows := 0
	golden.Equal(t, path, changeRow.ReplaceAllStringFunc(string(page), func(row string) string {
		rows++
		parts := changeRow.FindStringSubmatch(row)
		return parts[1] + parts[2] + parts[3] + " " + levelOfChange(t, files[1][2], parts[2]) + " " + parts[5]
	}))
	require.Greater(t, rows, 10)
}

// levelOfChange returns the level of a change of the only VM of a file: keys that are merged into its entry.
func levelOfChange(t *testing.T, vms, keys string) string {
	t.Helper()
	var file struct{ VMs map[string]map[string]any }
	var change map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(vms), &file))
	require.NoError(t, yaml.Unmarshal([]byte(keys), &change), keys)
	for name := range file.VMs {
		file.VMs[name] = mergedKeys(file.VMs[name], change)
	}
	text, err := yaml.Marshal(map[string]any{"vms": file.VMs})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("new/vms.yaml", text, 0o600))
	_, stdout, stderr := run("plan", "old", "new", "-o", "json")
	var report struct {
		VMs []struct {
			Level       string
			Approximate bool
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &report), stderr)
	switch {
	case len(report.VMs) == 0:
		return "none"
	case report.VMs[0].Approximate:
		return report.VMs[0].Level + " [?]"
	}
	return report.VMs[0].Level
}

// mergedKeys returns keys with others merged over them: maps by key, all else replaced.
func mergedKeys(base, over map[string]any) map[string]any {
	out := maps.Clone(base)
	for key, value := range over {
		below, isMap := value.(map[string]any)
		if inherited, ok := out[key].(map[string]any); ok && isMap {
			value = mergedKeys(inherited, below)
		}
		out[key] = value
	}
	return out
}
