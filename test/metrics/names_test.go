package metrics

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
)

// foreign are the metrics that are neither of vmrender nor of KubeVirt or CDI, with the place that defines them. Tests in
// test/admission compare those of KubeVirt and CDI with their sources.
var foreign = map[string]string{
	"kube_pod_container_status_restarts_total": "CDI v1.65.0, pkg/monitoring/rules/recordingrules/pods.go",
	"push_time_seconds":                        "pushgateway, storage/diskmetricstore.go",
	"node_textfile_mtime_seconds":              "node_exporter, collector/textfile.go",
}

// Each metric in an alert or in the dashboard is one of vmrender, KubeVirt or CDI, or one with a source.
func TestMetricsAreKnown(t *testing.T) {
	page, err := os.ReadFile("../../docs/how-to/status.md")
	require.NoError(t, err)
	others := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(metrics(t))) {
		switch {
		case strings.HasPrefix(name, "vmrender_"):
			require.Contains(t, string(page), "| `"+name+"` |")
		case !strings.HasPrefix(name, "kubevirt_"):
			others[name] = foreign[name]
		}
	}
	require.Equal(t, foreign, others)
}

// metrics returns the names of all metrics in the alerts and in the dashboard.
func metrics(t *testing.T) map[string]bool {
	t.Helper()
	syntax := parser.NewParser(parser.Options{})
	groups, errs := rulefmt.ParseFile(ruleFile(t, all), false, model.LegacyValidation, syntax, promslog.NewNopLogger())
	require.Empty(t, errs)
	var queries []string
	for i := range groups.Groups[0].Rules {
		queries = append(queries, groups.Groups[0].Rules[i].Expr)
	}
	var d dashboard
	require.NoError(t, json.Unmarshal([]byte(dashboardOf(t, all)), &d))
	for _, row := range d.Rows {
		for _, panel := range row.Panels {
			for _, target := range panel.Targets {
				queries = append(queries, target.Expr)
			}
		}
	}
	found := map[string]bool{}
	for _, query := range queries {
		expr, err := syntax.ParseExpr(query)
		require.NoError(t, err, query)
		parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
			if selector, ok := node.(*parser.VectorSelector); ok {
				found[selector.Name] = true
			}
			return nil
		})
	}
	return found
}
