package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/cli"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/compare"
	"github.com/vmrender/vmrender/pkg/drill"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

// drillHelp is the help of drill, with the table of kinds to come.
const drillHelp = `Report what a rebuild of each VM at another site would lose: it has what Git renders, and
the disks that a backup or replication brings to the other site.

PATH is the fleet or platform, and defaults to the working directory. "-" is manifests
on standard input. Add what else the other site gets from Git with --with: the
platform, other fleets, the objects of Velero and Ramen.

The state in the cluster is the same as for plan --live: an export, or the cluster
itself, to which vmrender sends only list requests (docs/how-to/drill.md). Contents of
Secrets are not part of the report.

A disk is safe if one of these selects it and brings its data to another site:

- a Schedule or Backup of Velero or OADP that moves the data of snapshots
- a DRPlacementControl or VolumeReplicationGroup of Ramen
- a VolumeReplication, VolumeGroupReplication or ReplicationSource

Snapshots stay at the site, so they do not count.

Kinds of losses, mildest first:

%s
The score is the share of VMs without any loss. The mark [?] means that the loss depends
on facts that the inputs do not contain; it counts as a loss.

The report is written to stdout: text, markdown or json. With --fail-on, the exit status
is 1 if there is a loss of this kind or a worse one. For an invalid PATH or export, it
is 3, and no report is printed. Otherwise the exit status is 0, regardless of the losses.`

// drillFlags are the flags of drill.
type drillFlags struct {
	sides   sideFlags
	with    []string
	failOn  *cli.Choice[drill.Kind]
	verbose bool
	format  *cli.Choice[report.DrillFormat]
}

func newDrillCommand() *cobra.Command {
	cmd := &cobra.Command{
		Annotations: findings,
		Use:         "drill [PATH] --live FILE|cluster",
		SuggestFor:  []string{"rebuild", "recover", "disaster", "dr"},
		Short:       "Report what a rebuild at another site would lose",
		Long:        fmt.Sprintf(drillHelp, cli.GradeTable(drill.Kinds())),
		Example: `  vmrender drill --live export.yaml
  vmrender drill sites/a --with platform --with backup/ --live cluster --fail-on secret
  vmrender template | vmrender drill - --live export.yaml -o markdown`,
	}
	f := new(drillFlags)
	f.sides.fleet.register(cmd)
	f.sides.platform.register(cmd)
	f.sides.live.register(cmd)
	cmd.Flags().StringArrayVar(&f.with, "with", nil,
		"`path` of more of Git, without overlays: a fleet, a platform, or manifests in a file or directory (repeatable)")
	cmd.Args = cobra.MatchAll(argsBetween(0, 1), f.sides.platform.check, f.check, f.sides.live.check)
	f.failOn = cli.FailOn(cmd, "kind", drill.Kinds())
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "also what each loss depends on, and VMs that come back whole")
	f.format = cli.Output(cmd, report.DrillFormats())
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.run(cmd, pathArg(args)) }
	return cmd
}

// check returns an error if flags are missing, or do not fit together.
func (f *drillFlags) check(_ *cobra.Command, args []string) error {
	isStdin := len(args) > 0 && args[0] == "-"
	for _, path := range f.with {
		if path == "-" && (isStdin || f.sides.live.From == "-") {
			return errors.New(`--with and another input are both "-"; standard input can be only one of them`)
		}
		isStdin = isStdin || path == "-"
	}
	if !f.sides.live.Given() {
		return errNoState
	}
	return nil
}

// run reports what a rebuild of all VMs loses.
func (f *drillFlags) run(cmd *cobra.Command, path string) error {
	d, err := f.drill(cmd, path)
	if err != nil {
		return err
	}
	d.Verbose, d.Terminal = f.verbose, cli.TerminalOf(cmd.OutOrStdout())
	if err := f.format.Value.Write(cmd.OutOrStdout(), d); err != nil {
		return err
	}
	if d.Reaches(f.failOn.Value) {
		cmd.PrintErrf("there is a loss of kind %s, and --fail-on is %s\n", d.Worst(), f.failOn.Value)
		return errFinding
	}
	return nil
}

// drill reads all inputs and compares them.
func (f *drillFlags) drill(cmd *cobra.Command, path string) (report.Drill, error) {
	git, state, err := f.sides.now(cmd, path, (*liveFlags).loadDrill)
	if err != nil {
		return report.Drill{}, err
	}
	objects, err := f.more(cmd, git.Objects)
	if err != nil {
		return report.Drill{}, err
	}
	settings := compare.Settings{Given: cmd.Flags().Changed}
	observed, said := cluster.ReadSettings(settings.Cluster(targetOf(git)), state.Objects)
	d := report.Drill{
		Drill: drill.New(drill.Input{
			Git: objects, Live: state.Objects, Settings: observed, Common: catalog.Installed,
			IsWhole: f.sides.live.IsCluster() && len(state.Unread) == 0,
		}),
		Git:     report.Side{Label: git.Label, Path: f.paths(path), Overlays: f.sides.fleet.overlays},
		Cluster: report.Side{Label: state.Label, Exported: state.Exported, Settings: said},
	}
	if len(state.Unread) > 0 {
		d.Unknown = state.Unknown()
	}
	return d, nil
}

// paths returns all paths of Git, for users.
func (f *drillFlags) paths(path string) string {
	all := f.with
	if named(path) != "" {
		all = append([]string{named(path)}, f.with...)
	}
	return strings.Join(all, ", ")
}

// more adds what else Git has to objects.
func (f *drillFlags) more(cmd *cobra.Command, objects []manifest.Object) ([]manifest.Object, error) {
	loader := f.sides.loader(cmd)
	loader.Fits = func(bool) error { return nil }
	loader.Fleet.Overlays, loader.Fleet.Set, loader.Fleet.Defaults = nil, nil, nil // those are for PATH
	for _, path := range f.with {
		l, err := loader.Set(path)
		if err != nil {
			return nil, err
		}
		if err := problems.Report(cmd.ErrOrStderr(), l.Diags); err != nil {
			return nil, err
		}
		objects = append(objects, l.Objects...)
	}
	return objects, nil
}
