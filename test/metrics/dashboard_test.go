package metrics

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
)

// dashboard is what the OpenShift console and Grafana read.
type dashboard struct {
	Title string
	Rows  []struct {
		Title  string
		Panels []panel
	}
}

type panel struct {
	ID, Span    int
	Title, Type string
	Targets     []struct{ Expr, LegendFormat string }
	Styles      []struct{ Pattern, Alias, Type, Unit string }
}

var label = regexp.MustCompile(`^\{\{(\w+)\}\}$`)

// Prometheus parses every query of the dashboard. A row is 12 wide, or two are, as the console and Grafana require, the
// types of panels are those that the console shows, and legends and columns are labels that the query keeps.
func TestDashboard(t *testing.T) {
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
				checkPanel(t, panel)
			}
			require.Contains(t, []int{12, 24}, width, row.Title)
		}
	}
}

func checkPanel(t *testing.T, p panel) {
	t.Helper()
	syntax := parser.NewParser(parser.Options{})
	require.Contains(t, []string{"graph", "singlestat", "table"}, p.Type)
	require.NotEmpty(t, p.Targets)
	require.Equal(t, p.Type == "table", len(p.Styles) > 2, p.Title)
	for _, target := range p.Targets {
		expr, err := syntax.ParseExpr(target.Expr)
		require.NoError(t, err, target.Expr)
		kept := append(grouping(expr), "Value", "Time")
		if found := label.FindStringSubmatch(target.LegendFormat); found != nil {
			require.Contains(t, kept, found[1], target.Expr)
		}
		for _, style := range p.Styles {
			require.Contains(t, kept, style.Pattern, target.Expr)
			require.Equal(t, style.Type == "hidden", style.Alias == "", style.Pattern)
			if style.Type == "number" { // the units that the console formats
				require.Contains(t, []string{"percentunit", "short"}, style.Unit, style.Pattern)
			}
		}
	}
}

// grouping returns the labels that the aggregations of a query keep.
func grouping(expr parser.Expr) []string {
	var out []string
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if aggregation, ok := node.(*parser.AggregateExpr); ok && out == nil {
			out = slices.Clone(aggregation.Grouping)
		}
		return nil
	})
	return out
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
