package cdi_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each metric and alert of CDI that the chart monitoring or its page names is one of CDI.
func TestMetricsExist(t *testing.T) {
	list := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "kubevirt.io/containerized-data-importer")
	dir, err := list.Output()
	require.NoError(t, err)
	read := func(path ...string) string {
		text, err := os.ReadFile(filepath.Join(path...))
		require.NoError(t, err)
		return string(text)
	}
	chart := "../../../charts/monitoring"
	metrics, sources := read(strings.TrimSpace(string(dir)), "doc", "metrics.md"), strings.TrimSpace(string(dir))
	rendered := read(chart, "testdata", "status.golden.yaml")
	names := regexp.MustCompile(`\bkubevirt_cdi_[a-z0-9_]+`).FindAllString(rendered, -1)
	require.NotEmpty(t, names)
	for _, name := range names {
		require.Contains(t, metrics, "| "+name+" |")
	}
	alerts := regexp.MustCompile(`\bCDI[A-Z]\w+`).FindAllString(read(chart, "about.md"), -1)
	require.NotEmpty(t, alerts)
	for _, name := range alerts {
		require.Contains(t, read(sources, "pkg", "monitoring", "rules", "alerts", "operator.go"), `Alert: "`+name+`"`)
	}
	// The chart's alert about imports uses the same series as CDI's.
	require.Contains(t, read(sources, "pkg", "monitoring", "rules", "recordingrules", "pods.go"),
		"kube_pod_container_status_restarts_total{pod=~'%s-.*', container='%s'}")
}
