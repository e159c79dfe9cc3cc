package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/cli"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/compare"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/limits"
	"github.com/vmrender/vmrender/pkg/live"
	"github.com/vmrender/vmrender/pkg/pairs"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/report/html"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/values"
)

// planHelp is the help of plan, with the table of levels to come.
const planHelp = `Compare two states, and report what a sync of Argo CD does to every VM: nothing, a
change while it runs, a restart, a new disk, or the loss of data. For each effect,
print the field that causes it, the reason, and the alternative.

The states are two revisions of the fleet or platform at PATH, which are read from
Git without changing the work tree. --from main compares main with the files in the
work tree; --from main... compares the merge base, as for a pull request. Instead, the
states can be OLD and NEW: directories or files of manifests, fleets, platforms, or
"-" for manifests on standard input.

A fleet or an --overlay that only the new revision has is new, with everything in it.
If an overlay is renamed, name both files: --from-overlay OLD --to-overlay NEW. With
only --from-overlay and a file that the new revision lacks, everything is removed.

With --live, the plan also uses the state in the cluster: whether a VM runs and can
migrate, the owners of its disks, changes in the cluster that the sync reverts, and
operations in progress (docs/how-to/live.md). With only --live, the old state is the
one that Argo CD has applied last.

With --target-from and --target-to, plan an upgrade of the platform with the same
files: of kubevirt, cdi, argocd or openshift (docs/how-to/upgrade-platform.md).

Levels, mildest first:

%s
The report is written to stdout: text, markdown for a comment on a pull request, html
for a web page, json, sarif or github. The mark [?] means that the level depends on
facts that the inputs do not contain. With --fail-on, the exit status is 1 if anything
reaches the level.

In a fleet with policy.approve, policy.maxImpact or policy.limits, the exit status is
also 1 while a change lacks an approval or exceeds a limit, unless you set --gate=false.
The report contains the lines that approve it (docs/how-to/gate.md). In a fleet with
policy.hold, this includes a change that is neither held nor approved: "vmrender hold"
holds it (docs/how-to/hold.md). If there is no plan, because a state is invalid or
cannot be read, the exit status is 3.`

func newPlanCommand() *cobra.Command {
	cmd := &cobra.Command{
		Annotations: findings,
		Use:         "plan [PATH] --from REVISION | plan OLD NEW",
		SuggestFor:  []string{"diff", "preview", "impact", "compare"},
		Short:       "Report what a sync will do to every VM",
		Long:        fmt.Sprintf(planHelp, cli.GradeTable(impact.Levels())),
		Example: `  vmrender plan --from main
  vmrender plan sites/a --from origin/main... -o markdown --fail-on data-loss
  vmrender plan --from-overlay stage.yaml --to-overlay prod.yaml
  vmrender plan --from main --live cluster
  vmrender plan --target-from kubevirt=1.8 --target-to kubevirt=1.9
  kubectl get vm,vmi,dv,pvc -A -o yaml | vmrender plan --live -`,
	}
	sides := new(sideFlags)
	sides.register(cmd)
	set := new(compare.Settings)
	registerSettings(cmd, set)
	cmd.Args = cobra.MatchAll(sides.check, func(*cobra.Command, []string) error { return set.Check() })
	failOn := cli.FailOn(cmd, "level", impact.Levels())
	verbose, gate := false, true
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "all causes, with fields and values")
	cmd.Flags().BoolVar(&gate, "gate", true,
		"exit with status 1 while a change lacks an approval or exceeds a limit")
	oneApplication := false
	cmd.Flags().BoolVar(&oneApplication, "one-application", false,
		"one Application renders all directories, so that a VM that moves between them stays")
	format := cli.Output(cmd, append(report.PlanFormats(), report.PlanFormat{Name: "html", Write: html.Plan}))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := sides.compare(cmd, set)
		if err != nil {
			return err
		}
		c.oneApplication = oneApplication
		p := c.predict()
		p.Version, p.Verbose, p.Terminal = readBuild().Version, verbose, cli.TerminalOf(cmd.OutOrStdout())
		p.Command = planCommandLine(cmd, args)
		if p.Holds, err = c.holds(cmd, p.Plan); err != nil {
			return err
		}
		p.Place = sides.places(cmd, c.to, &p)
		p.Limits, p.Unknown = limits.Judge(limitsOf(c.from), limitsOf(c.to), p.Plan), append(p.Unknown, sides.neighbor()...)
		if err := format.Value.Write(cmd.OutOrStdout(), p); err != nil {
			return err
		}
		return judge(cmd, p, failOn.Value, gate)
	}
	return cmd
}

// compare reads both sides and the state of the cluster, and reports their problems.
func (f *sideFlags) compare(cmd *cobra.Command, set *compare.Settings) (comparison, error) {
	c := comparison{sideFlags: f}
	var err error
	cli.During(cmd, "rendering both sides", func() { c.from, c.to, err = f.load(cmd) })
	if err != nil {
		return c, err
	}
	if err := reportSides(cmd, c.from, c.to); err != nil {
		return c, err
	}
	c.state, err = f.live.load(cmd, c.from, c.to)
	if err != nil {
		return c, err
	}
	c.declared = set.Cluster(targetOf(c.to))
	return c, problems.Report(cmd.ErrOrStderr(), c.state.Diags)
}

// judge returns an error if a plan reaches a level, or if the fleet's gate and limits count and do
// not let it pass.
func judge(cmd *cobra.Command, p report.Plan, failOn impact.Level, gate bool) error {
	blocked, exceeded := gate && p.Summary.Blocked > 0, gate && len(p.Limits) > 0
	if blocked {
		cmd.PrintErrf("%s not approved; see docs/how-to/gate.md\n", problems.Count(p.Summary.Blocked, "VM"))
	}
	if exceeded {
		cmd.PrintErrf("%s of the fleet's policy exceeded; see docs/how-to/gate.md\n", problems.Count(len(p.Limits), "limit"))
	}
	notHeld := gate && p.HoldBlocks()
	if notHeld {
		cmd.PrintErrln("what the fleet holds is not as it should be; see docs/how-to/hold.md")
	}
	reached := p.Reaches(failOn)
	if reached {
		cmd.PrintErrf("the plan reaches %s, and --fail-on is %s\n", p.Worst(), failOn)
	}
	if blocked || exceeded || notHeld || reached {
		return errFinding
	}
	return nil
}

// neighbor reports that there is a platform next to the fleet at PATH, which the plan is not about.
func (f *sideFlags) neighbor() []string {
	side := f.sides.To
	if side.Origin == compare.Set {
		return nil
	}
	file, both := layers.FileBesideFleet(side.Path)
	if _, isPlatform := f.platform.File(side.Path); isPlatform || !both {
		return nil
	}
	return []string{fmt.Sprintf("what %s changes, which is a plan of its own", file)}
}

// named returns a path, or "" if there is nothing to report: for a cluster, standard input, and the directory that one
// is in.
func named(path string) string {
	if path == "-" || filepath.Clean(path) == "." { // which the path of a cluster is, too
		return ""
	}
	return path
}

// planCommandLine returns the command that prints all of a plan, without the values of vars,
// which could be secrets.
func planCommandLine(cmd *cobra.Command, args []string) string {
	words := append([]string{cmd.CommandPath()}, args...)
	for _, name := range []string{"from", "to", "namespace"} {
		if f := cmd.Flags().Lookup(name); f.Changed {
			words = append(words, "--"+name+" "+f.Value.String())
		}
	}
	for _, name := range []string{"overlay", "from-overlay", "to-overlay", "target-from", "target-to"} {
		files, _ := cmd.Flags().GetStringArray(name)
		for _, file := range files {
			words = append(words, "--"+name+" "+file)
		}
	}
	return strings.Join(append(words, "--verbose"), " ")
}

// reportSides reports the problems of both sides, and what one of them does not have.
func reportSides(cmd *cobra.Command, from, to compare.Loaded) error {
	errFrom := problems.Report(cmd.ErrOrStderr(), from.Diags)
	if err := problems.Report(cmd.ErrOrStderr(), to.Diags); err != nil {
		return err
	}
	if errFrom != nil {
		return errFrom
	}
	for _, side := range []compare.Loaded{from, to} {
		if side.Note != "" {
			cmd.PrintErrf("note: %s\n", side.Note)
		}
	}
	return nil
}

// comparison is what a plan compares.
type comparison struct {
	*sideFlags
	from, to       compare.Loaded
	state          live.State
	declared       cluster.Settings
	oneApplication bool
}

// predict returns the plan with what is compared with what.
func (c comparison) predict() report.Plan {
	f, from, to, state, declared := c.sideFlags, c.from, c.to, c.state, c.declared
	p := report.Plan{From: f.side(f.sides.From, from), To: f.side(f.sides.To, to), Unknown: state.Unknown()}
	p.To.Targets, p.To.Settings = declared.Targets(), declared.Words()
	if f.sides.From.Origin == compare.Cluster {
		objects, unrecorded := pairs.FromCluster(state.Objects, to.Objects)
		from.Objects = objects
		p.From = report.Side{Label: state.Label, Exported: state.Exported}
		if unrecorded > 0 {
			p.Unknown = append(p.Unknown,
				fmt.Sprintf("what Git has dropped of objects that do not say what Argo CD applied last (%d)", unrecorded))
		}
	}
	options := plan.Options{Cluster: declared, Live: state.Objects, Upgrade: f.sides.Upgrade, Types: catalog.Installed}
	options.Applied = f.sides.From.Origin == compare.Cluster
	options.WasLayers, options.NowLayers = from.Layers, to.Layers
	options.Hold = c.holdFrom()
	if t := targetOf(to); !c.oneApplication && (t == nil || !t.ByFlux()) { // which delivers a fleet as a whole
		options.Was, options.Now = from.Directories, to.Directories
	}
	p.Plan = plan.New(from.Objects, to.Objects, options)
	_, said := cluster.ReadSettings(declared, state.Objects)
	p.Notes = append(state.Notes(said), p.Notes...)
	return p
}

// targetOf returns the target of a fleet, or nil.
func targetOf(l compare.Loaded) *values.Target {
	if l.Fleet == nil {
		return nil
	}
	return &l.Fleet.Header.Target
}

// limitsOf returns the limits of a fleet, or nil.
func limitsOf(l compare.Loaded) *values.Limits {
	if l.Fleet == nil {
		return nil
	}
	return l.Fleet.Header.Policy.Limits
}

// side returns the header of one side.
func (f *sideFlags) side(of compare.Side, l compare.Loaded) report.Side {
	s := report.Side{
		Label: l.Label, Path: named(of.Path), Overlays: append(append([]string{}, f.fleet.overlays...), of.Overlays...),
	}
	if t := targetOf(l); t != nil {
		versions := cluster.Settings{KubeVirt: t.KubeVirt, ArgoCD: t.ArgoCD}
		s.Targets = versions.Targets()
	}
	return s
}
