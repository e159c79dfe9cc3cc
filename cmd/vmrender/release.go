package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

func newReleaseCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "release VM...",
		Short: "Print the steps to remove VMs from a fleet but not from the cluster",
		Long: `Print the commits and commands, in order, that remove VMs from the fleet. The VMs,
their disks, Secrets and Services stay in the cluster unchanged: nothing restarts, and
Argo CD no longer manages them. The command only reads the values files.`,
		Example: `  vmrender release db01
  vmrender release prod/db01 prod/db02 --path sites/a`,
		Args: argsBetween(1, math.MaxInt),
	}
	flags := new(fleetFlags)
	flags.register(cmd)
	var path string
	cmd.Flags().StringVar(&path, "path", ".", "`path` of the fleet, or of a directory or file in it")
	cmd.ValidArgsFunction = func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return vmNames(path, flags.options(cmd, nil)), cobra.ShellCompDirectiveNoFileComp
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		_, rendered, diags := renderFleet(path, flags.options(cmd, args))
		if err := problems.Report(cmd.ErrOrStderr(), diags); err != nil {
			return err
		}
		all, _ := inventory.Load(path, flags.options(cmd, nil))
		leaving, err := adopt.LeavingOf(all.Machines, rendered)
		if err != nil {
			return err
		}
		steps, err := adopt.Release(leaving, planOf(path))
		if err != nil {
			return err
		}
		return writeSteps(cmd.OutOrStdout(), steps)
	}
	return cmd
}

// planOf returns the command that compares the last commit of a fleet with its files.
func planOf(path string) string {
	words := []string{"vmrender", "plan", path, "--from", "HEAD", "--live", "cluster"}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "." }), " ")
}

// writeSteps writes numbered steps, with lines that can be copied below them.
func writeSteps(w io.Writer, steps []adopt.Step) error {
	var out strings.Builder
	for i, s := range steps {
		fmt.Fprintf(&out, "%d. %s\n", i+1, s.Text)
		for _, line := range s.Lines {
			fmt.Fprintf(&out, "   %s\n", line)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}
