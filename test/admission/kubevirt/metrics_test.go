package kubevirt_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	metricName = regexp.MustCompile(`\bkubevirt_[a-z0-9_]+`)
	alertName  = regexp.MustCompile(`(?m)^\s*(?:- )?[aA]lert: *"?(\w+)`)
)

// Each metric of KubeVirt in the alerts and the dashboard of the chart monitoring is one that KubeVirt lists, with that
// name.
func TestMetricsExist(t *testing.T) {
	listed, err := os.ReadFile(filepath.Join(sources(t), "docs", "observability", "metrics.md"))
	require.NoError(t, err)
	checked := map[string]bool{}
	for _, name := range metricName.FindAllString(rendered(t), -1) {
		if !strings.HasPrefix(name, "kubevirt_cdi_") {
			require.Contains(t, string(listed), "| "+name+" |")
			checked[name] = true
		}
	}
	require.Greater(t, len(checked), 8)
}

// The chart repeats no alert of KubeVirt, and its page names only those that KubeVirt or CDI have.
func TestAlertsAreNotRepeated(t *testing.T) {
	theirs := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(sources(t), "pkg", "monitoring", "rules", "alerts", "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range alertName.FindAllStringSubmatch(string(text), -1) {
			theirs[found[1]] = true
		}
	}
	require.Greater(t, len(theirs), 20)
	ours := alertName.FindAllStringSubmatch(rendered(t), -1)
	require.Greater(t, len(ours), 10)
	for _, found := range ours {
		require.False(t, theirs[found[1]], found[1])
	}
	page, err := os.ReadFile("../../../charts/monitoring/about.md")
	require.NoError(t, err)
	table, _, found := strings.Cut(string(page), "## Alerts of this chart")
	require.True(t, found)
	for _, name := range regexp.MustCompile("`([A-Z]\\w+)`").FindAllStringSubmatch(table, -1) {
		require.True(t, theirs[name[1]] || strings.HasPrefix(name[1], "CDI"), name[1])
	}
}

// rendered returns the alerts and the dashboard with all metrics.
func rendered(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../charts/monitoring/testdata/status.golden.yaml")
	require.NoError(t, err)
	return string(text)
}

// sources returns the directory of KubeVirt's module.
func sources(t *testing.T) string {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "kubevirt.io/kubevirt").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(dir))
}
