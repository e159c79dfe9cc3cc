package report_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/status"
)

// All states are counted, also those without VMs; a code that a VM has twice is one value; the order of the status has
// no effect, and the status keeps its own.
func TestMetricsOfAStatus(t *testing.T) {
	s := statusOf(2)
	s.VMs[0].Facts = append(s.VMs[0].Facts, s.VMs[0].Facts[0])
	s.Unknown = []string{"a gap"}
	var out, reversed strings.Builder
	require.NoError(t, report.StatusPrometheus(&out, s))
	for _, line := range []string{
		`vmrender_vm_state{namespace="prod",name="web-0",kind="VirtualMachine",state="restart"} 1`,
		`vmrender_vm_state{namespace="prod",name="fine",kind="VirtualMachine",state="ok"} 1`,
		`vmrender_vm_fact{namespace="prod",name="web-0",kind="VirtualMachine",code="waits-for-restart"} 1`,
		`vmrender_vms{state="ok"} 1`, `vmrender_vms{state="restart"} 2`,
		`vmrender_status_gaps 1`, `vmrender_status_export_timestamp_seconds 1795316400`,
	} {
		require.Equal(t, 1, strings.Count(out.String(), line+"\n"), "%s in\n%s", line, out.String())
	}
	for _, state := range status.States() {
		require.Contains(t, out.String(), `vmrender_vms{state="`+state.String()+`"} `)
	}
	slices.Reverse(s.VMs)
	require.NoError(t, report.StatusPrometheus(&reversed, s))
	require.Equal(t, out.String(), reversed.String())
	require.Equal(t, "fine", s.VMs[0].ID.Name)
}

// The time is that of the export, and missing if the export has none.
func TestMetricsReadNoClock(t *testing.T) {
	s := statusOf(0)
	s.Cluster.Exported = ""
	var out strings.Builder
	require.NoError(t, report.StatusPrometheus(&out, s))
	require.NotContains(t, out.String(), "timestamp")
}

// No name of an object can break a line of the output.
func TestMetricsEscapeLabels(t *testing.T) {
	s := statusOf(0)
	s.Objects = []status.Standing{{
		ID: manifest.ID{Kind: "Odd", Name: "a\"b\\c\nd\xff"}, State: status.StateDrift,
	}}
	var out strings.Builder
	require.NoError(t, report.StatusPrometheus(&out, s))
	require.Contains(t, out.String(),
		`vmrender_object_state{namespace="",name="a\"b\\c\nd`+"\uFFFD"+`",kind="Odd",state="drift"} 1`+"\n")
}

// A drain counts all outcomes, also those of no VM.
func TestMetricsOfADrain(t *testing.T) {
	var out strings.Builder
	require.NoError(t, report.DrainPrometheus(&out, drainOf(1)))
	require.Contains(t, out.String(), `vmrender_drain_vm{node="w1",namespace="prod",name="db-0",`+
		`kind="VirtualMachine",outcome="blocks",code="cannot-migrate"} 1`+"\n")
	for _, line := range []string{`"moves"} 1`, `"stops"} 0`, `"blocks"} 1`} {
		require.Contains(t, out.String(), `vmrender_drain_vms{node="w1",outcome=`+line+"\n")
	}
}

// The page lists exactly the metrics that there are, in their order, with their labels.
func TestPageListsTheMetrics(t *testing.T) {
	page, err := os.ReadFile("../../docs/how-to/status.md")
	require.NoError(t, err)
	var rows, listed []string
	for _, m := range report.Metrics() {
		rows = append(rows, m.Name+" "+strings.Join(m.Labels, ", "))
	}
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| `vmrender_") {
			cells := strings.Split(strings.ReplaceAll(line, "`", ""), "|")
			listed = append(listed, strings.TrimSpace(cells[1])+" "+strings.TrimSpace(cells[2]))
		}
	}
	require.Equal(t, rows, listed)
}

// The alerts and the dashboard of the chart monitoring use metrics, states, codes and outcomes that there are.
func TestAlertsUseTheMetrics(t *testing.T) {
	text, err := os.ReadFile("../../charts/monitoring/testdata/status.golden.yaml")
	require.NoError(t, err)
	known := map[string]bool{}
	for _, m := range report.Metrics() {
		known[m.Name] = true
	}
	for _, state := range status.States() {
		known["state="+state.String()] = true
	}
	for _, outcome := range status.Outcomes() {
		known["outcome="+outcome.String()] = true
	}
	for _, code := range status.FactCodes() {
		known["code="+string(code)] = true
	}
	used := map[string]bool{}
	pattern := regexp.MustCompile(`\bvmrender_\w+|\b(state|outcome|code)=~?"([a-z|-]+)"`)
	for _, found := range pattern.FindAllStringSubmatch(string(text), -1) {
		for value := range strings.SplitSeq(found[2], "|") {
			name := found[0]
			if found[1] != "" {
				name = found[1] + "=" + value
			}
			require.True(t, known[name], "%q in %s", name, found[0])
			used[name] = true
		}
	}
	require.Greater(t, len(used), 8)
}
