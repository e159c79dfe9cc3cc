package metrics

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// all creates every alert.
const all = `{statusMetrics: true, alerts: {importFailing: {enabled: true}, snapshotOld: {enabled: true}}}`

// trial is a course of metrics, and the alerts at its end.
type trial struct {
	Name string
	// Interval is that between two values of a series, and between two evaluations; 1m by default.
	Interval string
	// Series are in the notation of Prometheus: "1x9" is ten values of 1, and "_" is none.
	Series map[string]string
	Until  string
	// Fires are the alerts that fire at the end, with their summaries. No other one fires.
	Fires map[string][]string
	// Quiet are alerts for which the trial shows that they do not fire.
	Quiet []string
}

// Each alert fires in one of the trials, with the labels in its summary, and not in another one.
func TestAlerts(t *testing.T) {
	path := ruleFile(t, all)
	text, err := os.ReadFile("testdata/alerts.yaml")
	require.NoError(t, err)
	var trials []trial
	require.NoError(t, yaml.Unmarshal(text, &trials))
	fires, quiet := map[string]bool{}, map[string]bool{}
	for _, trial := range trials {
		t.Run(trial.Name, func(t *testing.T) { require.Equal(t, trial.Fires, firing(t, path, trial)) })
		for name := range trial.Fires {
			fires[name] = true
		}
		for _, name := range trial.Quiet {
			require.NotContains(t, trial.Fires, name, trial.Name)
			quiet[name] = true
		}
	}
	want := names(t, path)
	require.Greater(t, len(want), 10)
	require.Equal(t, want, slices.Sorted(maps.Keys(fires)))
	require.Equal(t, want, slices.Sorted(maps.Keys(quiet)))
}

// Rules with any values are valid.
func TestRulesAreValid(t *testing.T) {
	for _, values := range []string{"{}", all, "{namespaces: [prod, a.b-c], alertLabels: {team: vms}}"} {
		require.NotEmpty(t, names(t, ruleFile(t, values)))
	}
}

// ruleFile writes the rules of the layer as a rule file of Prometheus, and returns its path.
func ruleFile(t *testing.T, values string) string {
	t.Helper()
	for _, o := range layer(t, values) {
		if o.Kind == "PrometheusRule" {
			text, err := yaml.Marshal(&o.Spec)
			require.NoError(t, err)
			return file(t, t.TempDir(), "rules.yaml", string(text))
		}
	}
	require.Fail(t, "no PrometheusRule")
	return ""
}

// names returns the names of the alerts of a rule file that Prometheus accepts, sorted.
func names(t *testing.T, path string) []string {
	t.Helper()
	syntax := parser.NewParser(parser.Options{})
	groups, errs := rulefmt.ParseFile(path, false, model.LegacyValidation, syntax, promslog.NewNopLogger())
	require.Empty(t, errs)
	var out []string
	for _, group := range groups.Groups {
		for i := range group.Rules {
			out = append(out, group.Rules[i].Alert)
		}
	}
	return slices.Sorted(slices.Values(out))
}

// firing returns the summaries of the alerts that fire at the end of a trial, by name, or nil if there are none.
func firing(t *testing.T, path string, trial trial) map[string][]string {
	t.Helper()
	interval := time.Minute
	if trial.Interval != "" {
		interval = duration(t, trial.Interval)
	}
	var load strings.Builder
	fmt.Fprintf(&load, "load %s\n", model.Duration(interval))
	for series, values := range trial.Series {
		fmt.Fprintf(&load, "  %s %s\n", series, values)
	}
	syntax := parser.NewParser(parser.Options{})
	suite, err := promqltest.NewLazyLoader(load.String(), promqltest.LazyLoaderOpts{
		EnableAtModifier: true, EnableNegativeOffset: true, Parser: syntax,
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, suite.Close()) }()
	group := evaluated(t, path, suite, interval, syntax)
	for at := time.Duration(0); at <= duration(t, trial.Until); at += interval {
		now := time.Unix(0, 0).UTC().Add(at)
		suite.WithSamplesTill(now, func(err error) {
			require.NoError(t, err)
			group.Eval(suite.Context(), now)
		})
	}
	return summaries(t, group)
}

// evaluated returns the rules of a file, which query the storage of a suite.
func evaluated(
	t *testing.T, path string, suite *promqltest.LazyLoader, interval time.Duration, syntax parser.Parser,
) *rules.Group {
	t.Helper()
	suite.SubqueryInterval = interval
	manager := rules.NewManager(&rules.ManagerOptions{
		QueryFunc: rules.EngineQueryFunc(suite.QueryEngine(), suite.Storage()), AppendableV2: suite.Storage(),
		Context: t.Context(), NotifyFunc: func(context.Context, string, ...*rules.Alert) {},
		Logger: promslog.NewNopLogger(), Parser: syntax,
	})
	groups, errs := manager.LoadGroups(interval, labels.EmptyLabels(), "", nil, false, path)
	require.Empty(t, errs)
	require.Len(t, groups, 1)
	for _, group := range groups {
		for _, rule := range group.AlertingRules() {
			rule.SetRestored(true)
		}
		return group
	}
	return nil
}

func summaries(t *testing.T, group *rules.Group) map[string][]string {
	t.Helper()
	var out map[string][]string
	for _, rule := range group.AlertingRules() {
		require.NoError(t, rule.LastError(), rule.Name())
		for _, alert := range rule.ActiveAlerts() {
			if alert.State != rules.StateFiring {
				continue
			}
			require.NotContains(t, alert.Annotations.Get("description"), "<no value>")
			if out == nil {
				out = map[string][]string{}
			}
			out[rule.Name()] = append(out[rule.Name()], alert.Annotations.Get("summary"))
			slices.Sort(out[rule.Name()])
		}
	}
	return out
}

func duration(t *testing.T, text string) time.Duration {
	t.Helper()
	d, err := model.ParseDuration(text)
	require.NoError(t, err)
	return time.Duration(d)
}

// The page of the chart lists the alerts, and which of them need the metrics of status: those that the chart creates only
// with them.
func TestPageListsTheAlerts(t *testing.T) {
	page, err := os.ReadFile("../../charts/monitoring/about.md")
	require.NoError(t, err)
	var listed, without []string
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, "|"); len(cells) == 5 && strings.HasPrefix(cells[1], " `VirtualMachine") {
			name := strings.Trim(cells[1], " `")
			listed = append(listed, name)
			if !strings.Contains(cells[3], "yes") {
				without = append(without, name)
			}
		}
	}
	slices.Sort(listed)
	slices.Sort(without)
	require.Equal(t, names(t, ruleFile(t, all)), listed)
	others := "{alerts: {importFailing: {enabled: true}, snapshotOld: {enabled: true}}}"
	require.Equal(t, names(t, ruleFile(t, others)), without)
}
