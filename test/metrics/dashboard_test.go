package metrics

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
)

// dashboard is what the OpenShift console and Grafana read.
type dashboard struct {
	Title string
	Rows  []struct {
		Title  string
		Panels []struct {
			ID, Span    int
			Title, Type string
			Targets     []struct{ Expr, LegendFormat string }
		}
	}
}

var label = regexp.MustCompile(`^\{\{(\w+)\}\}$`)

// Prometheus parses every query of the dashboard. A row is at most 12 wide, as the console and Grafana require, the types
// of panels are those that the console shows, and a legend is a word or a label that the query keeps.
func TestDashboard(t *testing.T) {
	syntax := parser.NewParser(parser.Options{})
	for values, rows := range map[string]int{"{}": 4, "{statusMetrics: true, namespaces: [prod]}": 5} {
		var d dashboard
		require.NoError(t, json.Unmarshal([]byte(dashboardOf(t, values)), &d))
		require.NotEmpty(t, d.Title)
		require.Len(t, d.Rows, rows)
		seen := map[int]bool{}
		for _, row := range d.Rows {
			width := 0
			for _, panel := range row.Panels {
				require.False(t, seen[panel.ID], panel.Title)
				seen[panel.ID] = true
				width += panel.Span
				require.Contains(t, []string{"graph", "singlestat", "table"}, panel.Type)
				require.NotEmpty(t, panel.Targets)
				for _, target := range panel.Targets {
					expr, err := syntax.ParseExpr(target.Expr)
					require.NoError(t, err, target.Expr)
					if found := label.FindStringSubmatch(target.LegendFormat); found != nil {
						require.Contains(t, grouping(t, expr), found[1], target.Expr)
					}
				}
			}
			require.Contains(t, []int{12, 24}, width, row.Title)
		}
	}
}

// grouping returns the labels that an aggregation keeps.
func grouping(t *testing.T, expr parser.Expr) []string {
	t.Helper()
	aggregation, ok := expr.(*parser.AggregateExpr)
	require.True(t, ok, expr.String())
	return aggregation.Grouping
}

// dashboardOf returns the dashboard for the console.
func dashboardOf(t *testing.T, values string) string {
	t.Helper()
	for _, o := range layer(t, values) {
		if text, ok := o.Data["virtual-machines.json"]; ok {
			return text
		}
	}
	require.Fail(t, "no dashboard")
	return ""
}
