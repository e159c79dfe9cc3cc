package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/compare"
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

The state in the cluster is the same as for plan --live: an export, or the cluster
itself, to which vmrender sends only list requests (docs/how-to/live.md).

States, mildest first:

%s
The report is written to stdout: text, markdown or json. The mark [?] means that the
state depends on facts that the inputs do not contain.

With --fail-on, the exit status is 1 if a VM or another object has this state or a
worse one. For an invalid PATH or export, it is 3, and no report is printed.
Otherwise the exit status is 0, regardless of the states.`

func newStatusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Annotations: findings,
		Use:         "status [PATH] --live FILE|cluster",
		SuggestFor:  []string{"drift", "health", "verify"},
		Short:       "Report the state of every VM in the cluster",
		Long:        fmt.Sprintf(statusHelp, gradeTable(status.States())),
		Example: `  vmrender status --live cluster
  vmrender status sites/a --live export.yaml --fail-on restart
  vmrender template | vmrender status - --live export.yaml -o markdown`,
	}
	sides := new(sideFlags)
	sides.fleet.register(cmd)
	sides.platform.register(cmd)
	sides.live.register(cmd)
	cmd.Args = cobra.MatchAll(argsBetween(0, 1), sides.platform.check, func(*cobra.Command, []string) error {
		if !sides.live.given() {
			return errors.New("no state to compare with; expected --live FILE, or --live " + theCluster)
		}
		return nil
	}, sides.live.check)
	failOn := failOnFlag(cmd, "state", status.States())
	verbose := false
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false,
		"all facts, with fields, values and advice, and also VMs that are the same as in Git")
	format := outputFlag(cmd, report.StatusFormats())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := sides.status(cmd, pathArg(args))
		if err != nil {
			return err
		}
		s.Verbose, s.Terminal = verbose, terminalOf(cmd.OutOrStdout())
		if err := format.value.Write(cmd.OutOrStdout(), s); err != nil {
			return err
		}
		if s.Reaches(failOn.value) {
			cmd.PrintErrf("the status reaches %s, and --fail-on is %s\n", s.Worst(), failOn.value)
			return errFinding
		}
		return nil
	}
	return cmd
}

// status reads both sides and compares them.
func (f *sideFlags) status(cmd *cobra.Command, path string) (report.Status, error) {
	git, err := f.loader(cmd).Current(compare.Side{Path: path})
	if err != nil {
		return report.Status{}, err
	}
	if err := problems.Report(cmd.ErrOrStderr(), git.Diags); err != nil {
		return report.Status{}, err
	}
	var live state
	during(cmd, "reading the live state", func() { live, err = f.live.load(cmd, git.Objects) })
	if err != nil {
		return report.Status{}, err
	}
	if err := problems.Report(cmd.ErrOrStderr(), live.diags); err != nil {
		return report.Status{}, err
	}
	settings := compare.Settings{Given: cmd.Flags().Changed}
	observed, said := cluster.ReadSettings(settings.Cluster(targetOf(git)), live.objects)
	s := report.Status{
		Status: status.New(git.Objects, observed, live.objects),
		Git:    report.Side{Label: git.Label, Path: named(path), Overlays: f.fleet.overlays},
		Cluster: report.Side{
			Label: live.label, Exported: live.exported, Settings: said,
		},
	}
	if len(live.unread) > 0 {
		s.Unknown = live.unknown()
	}
	return s, nil
}
