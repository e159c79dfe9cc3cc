package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vmrender/vmrender/internal/cli"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/live"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/status"
)

// drainFlags are the flags of status that --drain accepts.
var drainFlags = []string{"context", "drain", "fail-on", "kubeconfig", "live", "output", "verbose"}

// checkDrain returns an error for arguments and flags that a drain does not depend on.
func (f *statusFlags) checkDrain(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q; --drain reads only the cluster", args[0])
	}
	var others []string
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains(drainFlags, flag.Name) {
			others = append(others, "--"+flag.Name)
		}
	})
	if len(others) > 0 {
		return fmt.Errorf("--drain reads only the cluster; remove %s", strings.Join(others, ", "))
	}
	if _, isOutcome := f.failOn.Value.(status.Outcome); cmd.Flags().Changed("fail-on") && !isOutcome {
		return fmt.Errorf("--fail-on %q is not an outcome of a drain; accepted: %s",
			f.failOn.Value, cli.NamesOf(status.Outcomes()[1:]))
	}
	return nil
}

// runDrain reports what a drain of a node does to the VMs on it.
func (f *statusFlags) runDrain(cmd *cobra.Command) error {
	d, err := f.readDrain(cmd)
	if err != nil {
		return err
	}
	d.Verbose, d.Terminal = f.verbose, cli.TerminalOf(cmd.OutOrStdout())
	if err := f.format.Value.WriteDrain(cmd.OutOrStdout(), d); err != nil {
		return err
	}
	if least, _ := f.failOn.Value.(status.Outcome); d.Reaches(least) {
		cmd.PrintErrf("a VM %s, and --fail-on is %s\n", d.Worst(), least)
		return errFinding
	}
	return nil
}

// readDrain reads the state of the cluster.
func (f *statusFlags) readDrain(cmd *cobra.Command) (report.Drain, error) {
	state, err := f.sides.live.read(cmd, live.Drain)
	if err != nil {
		return report.Drain{}, err
	}
	if err := problems.Report(cmd.ErrOrStderr(), state.Diags); err != nil {
		return report.Drain{}, err
	}
	drain, err := status.NewDrain(f.drain, state.Objects, f.sides.live.IsCluster())
	if err != nil {
		return report.Drain{}, fmt.Errorf("%s: %w", state.Label, err)
	}
	_, said := cluster.ReadSettings(cluster.Settings{}, state.Objects)
	return report.Drain{
		Drain: drain, Unknown: state.Unknown(),
		Cluster: report.Side{Label: state.Label, Exported: state.Exported, Settings: said},
	}, nil
}
