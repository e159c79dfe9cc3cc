package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/cli"
	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/compare"
	"github.com/vmrender/vmrender/pkg/live"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/status"
)

// statusHelp is the help of status, with the table of states to come.
const statusHelp = `Compare Git with the cluster, and report the state of every VM of the fleet or platform
at PATH:

- whether it runs as it should
- which changes wait for a restart or for the next start
- which changes in Git are not synced yet
- what was changed in the cluster, and by which client
- which disks are not ready
- where a rollout has stopped
- which VMs are left over

PATH defaults to the working directory. "-" is manifests on standard input.

With --drain, report what a drain of a node does to each VM on it, and why. This
depends on the cluster alone: PATH and the flags for it are not accepted.

The state in the cluster is the same as for plan --live: an export, or the cluster
itself, which vmrender only reads (docs/how-to/live.md).

States, mildest first:

%s
Outcomes of a drain, mildest first:

%s
The report is written to stdout: text, markdown, json, or metrics for prometheus. The
mark [?] means that the state depends on facts that the inputs do not contain.

With --fail-on, the exit status is 1 if a VM or another object has this state or a
worse one; with --drain, this outcome or a worse one. For an invalid PATH or export, or
an unknown node, it is 3, and no report is printed. Otherwise the exit status is 0,
regardless of the states.`

// statusFlags are the flags of status.
type statusFlags struct {
	sides   sideFlags
	drain   string // the node; empty for the state of all VMs
	failOn  *cli.Choice[cli.Grade]
	verbose bool
	format  *cli.Choice[report.StatusFormat]
}

func newStatusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Annotations: findings,
		Use:         "status [PATH] --live FILE|cluster",
		SuggestFor:  []string{"drift", "health", "verify"},
		Short:       "Report the state of every VM in the cluster",
		Long:        fmt.Sprintf(statusHelp, cli.GradeTable(status.States()), cli.GradeTable(status.Outcomes())),
		Example: `  vmrender status --live cluster
  vmrender status sites/a --live export.yaml --fail-on restart
  vmrender template | vmrender status - --live export.yaml -o markdown
  vmrender status --live cluster -o prometheus > vmrender.prom
  vmrender status --live cluster --drain worker-1 --fail-on blocks`,
	}
	f := new(statusFlags)
	f.sides.fleet.register(cmd)
	f.sides.platform.register(cmd)
	f.sides.live.register(cmd)
	cmd.Flags().StringVar(&f.drain, "drain", "", "report what a drain of this `node` does to the VMs on it")
	completeFlag(cmd, "drain", cobra.NoFileCompletions)
	cmd.Args = cobra.MatchAll(argsBetween(0, 1), f.sides.platform.check, f.check, f.sides.live.check)
	f.failOn = cli.FailOn(cmd, "state", slices.Concat(cli.Grades(status.States()), cli.Grades(status.Outcomes()[1:])))
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false,
		"all facts, with fields, values and advice, and also VMs that are the same as in Git")
	f.format = cli.Output(cmd, report.StatusFormats())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.drain != "" {
			return f.runDrain(cmd)
		}
		return f.run(cmd, args)
	}
	return cmd
}

// check returns an error if flags are missing, or do not fit together.
func (f *statusFlags) check(cmd *cobra.Command, args []string) error {
	switch {
	case !f.sides.live.Given():
		return errNoState
	case f.drain != "":
		return f.checkDrain(cmd, args)
	}
	if o, isOutcome := f.failOn.Value.(status.Outcome); isOutcome {
		return fmt.Errorf("--fail-on %q is for --drain NODE; accepted: %s", o, cli.NamesOf(status.States()))
	}
	return nil
}

// run reports the state of all VMs.
func (f *statusFlags) run(cmd *cobra.Command, args []string) error {
	s, err := f.sides.status(cmd, pathArg(args))
	if err != nil {
		return err
	}
	s.Verbose, s.Terminal = f.verbose, cli.TerminalOf(cmd.OutOrStdout())
	if err := f.format.Value.Write(cmd.OutOrStdout(), s); err != nil {
		return err
	}
	if least, _ := f.failOn.Value.(status.State); s.Reaches(least) {
		cmd.PrintErrf("the status reaches %s, and --fail-on is %s\n", s.Worst(), least)
		return errFinding
	}
	return nil
}

// errNoState is the error for a command line without the state of the cluster.
var errNoState = errors.New("no state to compare with; expected --live FILE, or --live " + live.Cluster)

// now reads the files as they are, and the state of the cluster.
func (f *sideFlags) now(
	cmd *cobra.Command, path string, read func(*liveFlags, *cobra.Command, ...compare.Loaded) (live.State, error),
) (git compare.Loaded, state live.State, err error) {
	git, err = f.loader(cmd).Current(compare.Side{Path: path})
	if err != nil {
		return git, state, err
	}
	if err = problems.Report(cmd.ErrOrStderr(), git.Diags); err != nil {
		return git, state, err
	}
	state, err = read(&f.live, cmd, git)
	if err != nil {
		return git, state, err
	}
	return git, state, problems.Report(cmd.ErrOrStderr(), state.Diags)
}

// status reads both sides and compares them.
func (f *sideFlags) status(cmd *cobra.Command, path string) (report.Status, error) {
	git, state, err := f.now(cmd, path, (*liveFlags).load)
	if err != nil {
		return report.Status{}, err
	}
	settings := compare.Settings{Given: cmd.Flags().Changed}
	observed, said := cluster.ReadSettings(settings.Cluster(targetOf(git)), state.Objects)
	var reviews []*approval.Layer
	if git.Layers != nil {
		reviews = git.Layers.Reviews
	}
	s := report.Status{
		Status: status.New(git.Objects, observed, state.Objects, reviews...),
		Git:    report.Side{Label: git.Label, Path: named(path), Overlays: f.fleet.overlays},
		Cluster: report.Side{
			Label: state.Label, Exported: state.Exported, Settings: said,
		},
	}
	if len(state.Unread) > 0 {
		s.Unknown = state.Unknown()
	}
	return s, nil
}
