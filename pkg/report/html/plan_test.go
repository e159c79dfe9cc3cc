package html_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/report/html"
	"github.com/vmrender/vmrender/pkg/source"
)

func id(kind, namespace, name string) manifest.ID {
	return manifest.ID{APIVersion: "v1", Kind: kind, Namespace: namespace, Name: name}
}

var memory = impact.Cause{
	Path: "spec.template.spec.domain.memory.guest", Key: "memory", Level: impact.Restart, Code: "cannot-shrink",
	Reason: "memory shrinks only by a restart", When: "at the next start", Old: `"8Gi"`, New: `"4Gi"`,
}

// planned returns a plan of the given VMs and objects, with the counts of their levels.
func planned(vms, objects []plan.Verdict) report.Plan {
	s := plan.Summary{VMs: map[impact.Level]int{}, Objects: map[impact.Level]int{}}
	for _, v := range vms {
		s.VMs[v.Level]++
	}
	for _, v := range objects {
		s.Objects[v.Level]++
	}
	return report.Plan{
		Plan: &plan.Plan{VMs: vms, Objects: objects, Summary: s}, Version: "v1.2.3",
		From: report.Side{Label: "main@1a2b3c4d5e6f", Path: "sites/a", Targets: []string{"kubevirt 1.8"}},
		To:   report.Side{Label: "work tree", Path: "sites/a", Targets: []string{"kubevirt 1.8"}},
	}
}

func writePlan(t testing.TB, p report.Plan) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, html.Plan(&out, p))
	return out.String()
}

// TestPlan compares the page of a plan that contains everything possible.
func TestPlan(t *testing.T) {
	was := id("VirtualMachine", "old", "db")
	p := planned([]plan.Verdict{
		{ID: id("VirtualMachine", "prod", "db"), Level: impact.DataLoss, Was: &was, Causes: []impact.Cause{
			{
				Object: id("DataVolume", "prod", "db-data"), Key: "disks.data", Level: impact.DataLoss,
				Reason: "the disk is deleted", Advice: "set `keepDisks: true` first",
			},
			memory,
		}},
		{
			ID: id("VirtualMachine", "prod", "idle"), Level: impact.Migrate, Approximate: true, Stopped: true,
			Causes: []impact.Cause{{
				Key: "cpu", Path: "spec.cpu", Level: impact.Migrate, Reason: "plugged in", New: "4",
				Approximate: "whether it migrates",
			}},
			Gate: &gate.Gate{From: impact.Live, Staged: []string{"<cpu>"}, Approvals: []gate.Approval{
				{Risk: gate.RiskRestart, Level: impact.Migrate, Token: "1a2b3c4d-5e6f7a8b", State: gate.Missing},
			}},
		},
		{ID: id("VirtualMachine", "prod", "same")},
		{ID: id("VirtualMachine", "prod", "web"), Causes: []impact.Cause{
			{Key: "cpu.model", Reason: "old nodes", Warning: true},
		}},
	}, []plan.Verdict{
		{ID: id("Service", "prod", "web"), Level: impact.Live, Causes: []impact.Cause{
			{Path: "spec.ports", Level: impact.Live, Reason: "updated"},
		}},
	})
	p.Jobs = []plan.Job{{ID: id("Job", "prod", "rollout"), Does: "restarts cattle, 1 at a time", VMs: []string{"web"}}}
	p.Summary.Gated, p.Summary.Blocked = 1, 1
	p.Place = func(manifest.ID, string) source.Pos { return source.Pos{File: "vms.yaml", Line: 3, Col: 5} }
	p.Notes, p.Unknown = []string{"a sync is running"}, []string{"the state in the cluster"}
	page := policy.ReplaceAllString(writePlan(t, p), `Policy" content="…"`)
	golden.Equal(t, "testdata/plan.html",
		scripts.ReplaceAllString(styles.ReplaceAllString(page, "<style>…</style>"), "<script>…</script>"))
}

// TestSharedCauses checks that a key that several VMs read at one place is one entry of the page, with that place.
func TestSharedCauses(t *testing.T) {
	var vms []plan.Verdict
	for i := range 5 {
		vms = append(vms, plan.Verdict{
			ID: id("VirtualMachine", "prod", fmt.Sprint("web", i)), Level: memory.Level, Causes: []impact.Cause{memory},
		})
	}
	p := planned(vms, nil)
	require.NotContains(t, writePlan(t, p), "One key of several VMs", "nothing tells where the key is set")
	p.Place = func(_ manifest.ID, key string) source.Pos {
		if key == "" {
			return source.Pos{File: "vms.yaml", Line: 2, Col: 3}
		}
		return source.Pos{File: "fleet.yaml", Line: 4, Col: 2}
	}
	page := writePlan(t, p)
	require.Contains(t, page, "<code>memory</code> at <code>fleet.yaml:4:2</code>: memory shrinks only by a restart")
	require.Contains(t, page, "prod/web0, prod/web1, prod/web2")
}

func TestTitleOfPlan(t *testing.T) {
	of := func(n int, level impact.Level) []plan.Verdict {
		out := make([]plan.Verdict, n)
		for i := range out {
			out[i] = plan.Verdict{ID: id("X", "prod", fmt.Sprint("x", i)), Level: level}
		}
		return out
	}
	adopted := planned(of(2, impact.None), nil)
	adopted.Summary.Adopted = 2
	for title, p := range map[string]report.Plan{
		"2 VMs are adopted as they are":         adopted,
		"Nothing changes":                       planned(of(3, impact.None), nil),
		"1 VM changes":                          planned(of(1, impact.Live), nil),
		"2 VMs change":                          planned(of(2, impact.Live), of(1, impact.Live)),
		"1 of 3 VMs changes":                    planned(append(of(2, impact.None), of(1, impact.Live)...), nil),
		"1,200 of 1,201 VMs change":             planned(append(of(1, impact.None), of(1200, impact.Left)...), nil),
		"No VM changes, but 2 other objects do": planned(of(1, impact.None), of(2, impact.Live)),
		"1 object changes":                      planned(nil, of(1, impact.Live)),
	} {
		require.Contains(t, writePlan(t, p), "<h1>"+title+"</h1>")
	}
}

// TestNothingChanges checks the page of a plan without changes, which has no tiles.
func TestNothingChanges(t *testing.T) {
	page := writePlan(t, planned([]plan.Verdict{{ID: id("VirtualMachine", "prod", "same")}}, nil))
	require.Contains(t, page, "The sync leaves every VM and every other object as it is.")
	require.NotContains(t, page, "data-filter=")
	require.Contains(t, page, "1 row more with JavaScript.")
}

// TestLevelsHaveShapes checks that each level has a shape, so that levels do not differ
// only in color.
func TestLevelsHaveShapes(t *testing.T) {
	page := writePlan(t, planned(nil, nil))
	for _, level := range impact.Levels() {
		require.Contains(t, page, fmt.Sprintf(`<symbol id="level-%s"`, level))
	}
}

func TestHostilePlan(t *testing.T) {
	const hostile = "</script><img src=x onerror=alert(1)>\u2028<!--<script>"
	p := planned([]plan.Verdict{{ID: id(hostile, hostile, hostile), Level: impact.DataLoss, Causes: []impact.Cause{{
		Object: id(hostile, hostile, hostile), Path: hostile, Key: hostile, Level: impact.DataLoss, Reason: hostile,
		Advice: hostile, When: hostile, Old: hostile, New: hostile, Approximate: hostile,
	}}}}, nil)
	p.From.Label, p.Notes, p.Unknown = hostile, []string{hostile}, []string{hostile}
	page := writePlan(t, p)
	require.NotContains(t, page, "<img")
	require.NotContains(t, page, "<!--")
	require.Equal(t, 2, strings.Count(page, "<script"))
}

// TestLargePlan checks that the page of a large plan stays small, whatever its texts are.
// The mildest changes lose their details first.
func TestLargePlan(t *testing.T) {
	var vms []plan.Verdict
	for i := range 5000 {
		cause := memory
		cause.Old, cause.New = strings.Repeat(fmt.Sprintf("%09d", i), 22), strings.Repeat(fmt.Sprintf("%09d", -i), 22)
		v := plan.Verdict{ID: id("VirtualMachine", "prod", fmt.Sprintf("vm-%04d", i)), Level: impact.Restart}
		if i == 4999 {
			v.Level = impact.DataLoss
		}
		for range 3 {
			cause.Path += "x"
			cause.Old += "x"
			v.Causes = append(v.Causes, cause)
		}
		vms = append(vms, v)
	}
	page := writePlan(t, planned(vms, nil))
	require.Less(t, len(page), 5<<20)
	require.Contains(t, page, "4,000 rows more with JavaScript.")
	var read struct {
		Texts []string
		Rows  []struct {
			C   []int
			D   []any
			Cut bool
		}
	}
	require.NoError(t, json.Unmarshal([]byte(data.FindStringSubmatch(page)[1]), &read))
	require.Len(t, read.Rows, 5000)
	require.Equal(t, "vm-4999", read.Texts[read.Rows[0].C[1]])
	require.NotEmpty(t, read.Rows[0].D)
	require.True(t, read.Rows[4999].Cut)
}
