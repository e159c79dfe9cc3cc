package report_test

import (
	"bytes"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/schema"
)

func vm(name string) manifest.ID {
	return manifest.ID{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachine", Namespace: "prod", Name: name}
}

func core(kind, name string) manifest.ID {
	return manifest.ID{APIVersion: "v1", Kind: kind, Namespace: "prod", Name: name}
}

// counted returns a plan with its counts; none is the number of unchanged VMs.
func counted(p *plan.Plan, none int) *plan.Plan {
	s := plan.Summary{VMs: map[impact.Level]int{}, Objects: map[impact.Level]int{}}
	if none > 0 {
		s.VMs[impact.None] = none
	}
	count := func(list []plan.Verdict, levels map[impact.Level]int) {
		for _, v := range list {
			if v.Level > impact.None {
				levels[v.Level]++
			}
			if v.Adopted {
				s.Adopted++
			}
			if v.Approximate {
				s.Approximate++
			}
			if v.Gate != nil {
				s.Gated++
			}
			if v.Gate.Blocked() {
				s.Blocked++
			}
			for _, c := range v.Causes {
				if c.Warning {
					s.Warnings++
				}
			}
		}
	}
	count(p.VMs, s.VMs)
	count(p.Objects, s.Objects)
	p.Summary = s
	return p
}

var (
	memory = impact.Cause{
		Path: "spec.template.spec.domain.memory.guest", Key: "memory", Level: impact.Restart, Code: "cannot-shrink",
		Reason: "memory shrinks only by a restart", When: "at the next start", Old: `"8Gi"`, New: `"4Gi"`,
	}
	cpu = impact.Cause{
		Path: "spec.template.spec.domain.cpu.sockets", Key: "cpu", Level: impact.Migrate, Code: "plugged",
		Reason: "sockets are plugged in by a live migration", Old: "2", New: "4",
		Approximate: "whether the VM can live-migrate",
	}
	disk = impact.Cause{
		Object: manifest.ID{
			APIVersion: "cdi.kubevirt.io/v1beta1", Kind: "DataVolume", Namespace: "prod", Name: "db01-data",
		},
		Key: "disks.data", Level: impact.DataLoss, Code: "disk-deleted", Reason: "the disk is deleted",
		Advice: "set `keepDisks: true` first, in a commit of its own",
	}
	label = impact.Cause{
		Path: "metadata.labels[team]", Key: "labels.team", Level: impact.Metadata, Code: "metadata",
		Reason: "a label of the object", New: `"a|b <b>"`,
	}
	later = impact.Cause{
		Path: "spec.template.spec.domain.cpu.model", Key: "cpu.model", Level: impact.None, Code: "hardware",
		Reason: "the next restart may fail on old nodes", Warning: true,
	}
	adopted = impact.Cause{Level: impact.None, Code: plan.CodeAdopted, Reason: "the VM is in the cluster already"}
	port    = impact.Cause{Path: "spec.ports[http].port", Level: impact.Live, Code: "updated", Reason: "changed in place"}
)

// some is a plan with everything that a plan can contain.
func some() *plan.Plan {
	was := vm("db-old")
	return counted(&plan.Plan{
		VMs: []plan.Verdict{
			{ID: vm("app01"), Level: impact.Metadata, Causes: []impact.Cause{label}},
			{ID: vm("db01"), Level: impact.DataLoss, Causes: []impact.Cause{disk, memory, label}},
			{ID: vm("db02"), Level: impact.Metadata, Was: &was, Causes: []impact.Cause{label}},
			{ID: vm("idle"), Level: impact.Migrate, Approximate: true, Stopped: true, Causes: []impact.Cause{cpu}},
			{ID: vm("same"), Causes: []impact.Cause{later}},
			{ID: vm("web01"), Level: impact.Restart, Causes: []impact.Cause{memory, cpu}},
			{ID: vm("web02"), Level: impact.Restart, Causes: []impact.Cause{memory}},
		},
		Objects: []plan.Verdict{
			{ID: core("Service", "web"), Level: impact.Live, Causes: []impact.Cause{port}},
			{
				ID:    manifest.ID{APIVersion: "nmstate.io/v1", Kind: "NodeNetworkConfigurationPolicy", Name: "bond0"},
				Level: impact.NodeNetwork, Causes: []impact.Cause{{
					Path: "spec.desiredState", Level: impact.NodeNetwork, Code: "node-network", Reason: "nodes get another network",
				}},
			},
		},
		Jobs: []plan.Job{{
			ID:   manifest.ID{APIVersion: "batch/v1", Kind: "Job", Namespace: "prod", Name: "rollout-1a2b3c4d"},
			Does: "restarts cattle on their new images, 1 at a time", VMs: []string{"web01", "web02"},
		}},
		Notes: []string{"a sync is running since 10:00; this plan starts when it ends"},
	}, 1+33)
}

// taken is a plan of VMs that are adopted, some of them without a change.
func taken(more ...plan.Verdict) *plan.Plan {
	return counted(&plan.Plan{VMs: append([]plan.Verdict{
		{ID: vm("db01"), Adopted: true, Stopped: true, Causes: []impact.Cause{adopted, later}},
		{ID: vm("db02"), Adopted: true, Causes: []impact.Cause{adopted}},
	}, more...)}, 2)
}

func approval(r gate.Risk, level impact.Level, state gate.ApprovalState) gate.Approval {
	return gate.Approval{Risk: r, Level: level, State: state, Token: "1a2b3c4d-5e6f7a8b"}
}

// gated is a plan of one VM whose change needs approvals.
func gated(needs ...gate.Approval) *plan.Plan {
	v := plan.Verdict{ID: vm("a"), Level: impact.Migrate, Causes: []impact.Cause{cpu}}
	v.Gate = &gate.Gate{From: impact.Restart, Approvals: needs}
	if len(needs) > 0 {
		v.Level, v.Causes = impact.Restart, []impact.Cause{memory}
	}
	return counted(&plan.Plan{VMs: []plan.Verdict{v}}, 0)
}

// judged is a plan of a fleet with a gate.
func judged() *plan.Plan {
	verdict := func(name string, level impact.Level, g gate.Gate) plan.Verdict {
		g.From = impact.Restart
		c := memory
		c.Level = level
		return plan.Verdict{ID: vm(name), Level: level, Causes: []impact.Cause{c}, Gate: &g}
	}
	restart := approval(gate.RiskRestart, impact.Restart, gate.Missing)
	impossible := gate.Approval{
		Risk: gate.RiskData, Level: impact.DataLoss, State: gate.Missing, Problem: "the VM itself stays as it is",
	}
	return counted(&plan.Plan{VMs: []plan.Verdict{
		verdict("above", impact.Delete, gate.Gate{Max: impact.Power, Exceeds: impact.Delete, Approvals: []gate.Approval{
			approval(gate.RiskDelete, impact.Delete, gate.Given),
		}}),
		verdict("disk", impact.DataLoss, gate.Gate{Approvals: []gate.Approval{impossible}}),
		verdict("gone", impact.DataLoss, gate.Gate{Removal: gate.RemovalMissing}),
		verdict("let-go", impact.DataLoss, gate.Gate{Removal: gate.RemovalApproved}),
		verdict("mild", impact.Live, gate.Gate{}),
		verdict("mixed", impact.DataLoss, gate.Gate{Approvals: []gate.Approval{
			approval(gate.RiskRestart, impact.Power, gate.Given), approval(gate.RiskDelete, impact.Recreate, gate.Stale),
			approval(gate.RiskData, impact.DataLoss, gate.Missing),
		}}),
		verdict("staged", impact.Restart, gate.Gate{Staged: []string{"cpu", "memory"}}),
		verdict("web-0", impact.Restart, gate.Gate{Approvals: []gate.Approval{restart}}),
		verdict("web-1", impact.Restart, gate.Gate{Approvals: []gate.Approval{restart}}),
	}}, 2)
}

func places(vm manifest.ID, key string) source.Pos {
	at := map[string]source.Pos{
		"memory": {File: "vms/_defaults.yaml", Line: 2, Col: 11}, "cpu": {File: "vms/_defaults.yaml", Line: 3, Col: 6},
		"disks.data": {File: "vms/db a.yaml", Line: 7, Col: 15},
	}
	if pos, ok := at[key]; ok {
		return pos
	}
	if strings.HasPrefix(vm.Name, "web-") {
		return source.Pos{File: "vms/web.yaml", Line: 4, Col: 5}
	}
	if vm.Kind == "VirtualMachine" {
		return source.Pos{File: "vms/" + vm.Name + ".yaml", Line: 2, Col: 3}
	}
	return source.Pos{File: "fleet.yaml"}
}

// plans returns the plans that every format is tested with.
func plans() map[string]report.Plan {
	git := report.Side{
		Label: "main@1a2b3c4d5e6f", Path: "sites/a", Overlays: []string{"prod.yaml"}, Targets: []string{"kubevirt 1.8"},
		Settings: []string{"vmRolloutStrategy LiveUpdate"},
	}
	tree := git
	tree.Label = "work tree (uncommitted changes)"
	cluster := report.Side{
		Label: "cluster", Path: "export.yaml", Targets: []string{"kubevirt 1.7"}, Exported: "2026-11-20T08:00:00Z",
	}
	full := report.Plan{
		Plan: some(), Version: "v1.2.3", From: git, To: tree, Place: places,
		Unknown: []string{"the state in the cluster"}, Command: "vmrender plan sites/a --from main --verbose",
	}
	upgrade := full
	upgrade.From, upgrade.Place, upgrade.Unknown = cluster, nil, nil
	upgrade.Plan = counted(&plan.Plan{Objects: full.Objects}, 0)
	return map[string]report.Plan{
		"some":     full,
		"nothing":  {Plan: counted(&plan.Plan{}, 40), Version: "v1.2.3", From: git, To: git},
		"empty":    {Plan: counted(&plan.Plan{}, 0), Version: "v1.2.3"},
		"objects":  upgrade,
		"gate":     {Plan: judged(), From: git, To: tree, Place: places},
		"approved": {Plan: gated(approval(gate.RiskRestart, impact.Restart, gate.Given)), From: git, To: tree},
		"milder":   {Plan: gated(), From: git, To: tree},
		"adopted":  {Plan: taken(), From: cluster, To: tree, Place: places},
		"adopting": {
			Plan: taken(plan.Verdict{ID: vm("web01"), Level: impact.Restart, Causes: []impact.Cause{memory}}),
			From: cluster, To: tree, Place: places,
		},
		"metadata": {
			Plan: counted(&plan.Plan{VMs: []plan.Verdict{
				{ID: vm("a"), Level: impact.Metadata, Causes: []impact.Cause{label}},
			}}, 0),
			From: git, To: tree,
		},
	}
}

func TestPlanFormats(t *testing.T) {
	for name, p := range plans() {
		for _, f := range report.PlanFormats() {
			t.Run(name+"."+f.Name, func(t *testing.T) {
				var out bytes.Buffer
				require.NoError(t, f.Write(&out, p))
				golden.Equal(t, filepath.Join("testdata/plan", name+"."+f.Name), out.String())
			})
		}
	}
}

func TestPlanTextForTerminals(t *testing.T) {
	full := plans()["some"]
	for name, look := range map[string]struct {
		verbose  bool
		terminal report.Terminal
	}{
		"verbose": {true, report.Terminal{}},
		"colors":  {false, report.Terminal{Color: true}},
		"narrow":  {true, report.Terminal{Width: 40}},
	} {
		t.Run(name, func(t *testing.T) {
			p := full
			p.Verbose, p.Terminal = look.verbose, look.terminal
			golden.Equal(t, filepath.Join("testdata/plan", name+".text"), textOf(t, p))
		})
	}
}

func textOf(t *testing.T, p report.Plan) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, report.PlanText(&out, p))
	return out.String()
}

// Every line fits the terminal at any width, with colors and with hostile texts.
func TestPlanTextFits(t *testing.T) {
	p := hostile(20)
	p.Verbose = true
	for width := 1; width < 120; width += 7 {
		p.Terminal = report.Terminal{Width: width, Color: true}
		for line := range strings.Lines(textOf(t, p)) {
			seen := strings.TrimSuffix(colors.ReplaceAllString(line, ""), "\n")
			if strings.Contains(seen, "approve: ") {
				continue // to be copied into a values file, so never truncated
			}
			require.True(t, len([]rune(seen)) <= width && !strings.Contains(seen, "\x1b"), "%q", line)
		}
	}
}

// The plan says who has to restart VMs only if no Job does it.
func TestPlanStepsAreThoseOfPeople(t *testing.T) {
	p := plans()["some"]
	p.VMs = slices.DeleteFunc(p.VMs, func(v plan.Verdict) bool { return v.Level != impact.Restart })
	p.Objects = nil
	require.Contains(t, textOf(t, p), "virtctl restart")
	p.VMs = append(p.VMs, plan.Verdict{
		ID: vm("idle"), Level: impact.Staged, Stopped: true, Causes: []impact.Cause{memory},
	})
	p.Jobs[0].Restarts = true
	require.Contains(t, textOf(t, p), "\nnext: nothing to do: the sync does everything\n")
	require.Contains(t, markdownOf(t, p), "\n**Next**: nothing to do: the sync does everything.\n")
}

func TestPlanReaches(t *testing.T) {
	p := report.Plan{Plan: some()}
	require.True(t, p.Reaches(impact.Restart))
	require.True(t, p.Reaches(impact.DataLoss))
	mild := plans()["metadata"]
	require.True(t, mild.Reaches(impact.Metadata))
	require.False(t, mild.Reaches(impact.Live))
	require.False(t, report.Plan{Plan: &plan.Plan{}}.Reaches(impact.None))
}

func TestPlanSARIFIsValid(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema := compiler.MustCompile("testdata/sarif.schema.json")
	for name, p := range plans() {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			require.NoError(t, report.PlanSARIF(&out, p))
			doc, err := jsonschema.UnmarshalJSON(&out)
			require.NoError(t, err)
			require.NoError(t, schema.Validate(doc))
		})
	}
}

func TestPlanJSONIsOfItsSchema(t *testing.T) {
	text, err := fs.ReadFile(schema.Output, "plan.schema.json")
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("plan.schema.json", doc))
	compiled := compiler.MustCompile("plan.schema.json")
	validate := func(text string) error {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		require.NoError(t, err)
		return compiled.Validate(doc)
	}
	for name, p := range plans() {
		var out strings.Builder
		require.NoError(t, report.PlanJSON(&out, p))
		require.NoError(t, validate(out.String()), name)
		if name == "some" {
			require.Error(t, validate(strings.Replace(out.String(), `"level": "restart"`, `"level": "reboot"`, 1)))
			require.Error(t, validate(strings.Replace(out.String(), `"code": "plugged"`, `"code": "pluged"`, 1)))
			require.Error(t, validate(strings.Replace(out.String(), `"headline"`, `"head"`, 1)))
		}
	}
}

// A value that many VMs inherit is one annotation, because GitHub shows ten per step.
func TestPlanFindingsAreShared(t *testing.T) {
	p := plans()["some"]
	p.VMs = nil
	for range 500 {
		p.VMs = append(p.VMs, plan.Verdict{ID: vm("web"), Level: impact.Restart, Causes: []impact.Cause{memory}})
		p.VMs[len(p.VMs)-1].ID.Name += strings.Repeat("x", len(p.VMs))
	}
	p.Objects = nil
	var out strings.Builder
	require.NoError(t, report.PlanGitHub(&out, p))
	require.Equal(t, 1, strings.Count(out.String(), "\n"))
	require.Contains(t, out.String(), " and 490 more")
}

// An unescaped newline would end the command, and the runner would execute the rest of a
// value's text as another one.
func TestPlanGitHubIsOneLineEach(t *testing.T) {
	var out strings.Builder
	require.NoError(t, report.PlanGitHub(&out, hostile(3)))
	for line := range strings.Lines(out.String()) {
		require.Regexp(t, `^::(error|warning|notice) [^:]*::`, line)
	}
}

func TestPlanWriteErrorsAreReturned(t *testing.T) {
	for _, f := range report.PlanFormats() {
		require.ErrorIs(t, f.Write(broken{}, plans()["some"]), io.ErrClosedPipe, f.Name)
	}
}

// If two lines for one entry exclude each other, the plan says so.
func TestPlanOfReplicasThatDiffer(t *testing.T) {
	of := func(name, token string) plan.Verdict {
		a := approval(gate.RiskRestart, impact.Restart, gate.Missing)
		a.Token = token
		g := &gate.Gate{From: impact.Restart, Approvals: []gate.Approval{a}}
		return plan.Verdict{ID: vm(name), Level: impact.Restart, Gate: g}
	}
	text := func(second string) string {
		p := counted(&plan.Plan{VMs: []plan.Verdict{of("web-0", "11111111-33333333"), of("web-1", second)}}, 0)
		return textOf(t, report.Plan{Plan: p, Place: places})
	}
	require.NotContains(t, text("11111111-33333333"), "not the same in the cluster")
	require.Equal(t, 2, strings.Count(text("22222222-33333333"), "not the same in the cluster"))
}

// With --verbose, a change that needs no approval also has the token that would approve
// it.
func TestPlanOfUnneededApproval(t *testing.T) {
	p := report.Plan{Plan: gated(), Verbose: true}
	p.VMs[0].Gate.Token = "1a2b3c4d-5e6f7a8b"
	require.Contains(t, textOf(t, p), "  prod/a  nothing to approve; an approval would be 1a2b3c4d-5e6f7a8b\n")
	p.Verbose = false
	require.NotContains(t, textOf(t, p), "1a2b3c4d")
}
