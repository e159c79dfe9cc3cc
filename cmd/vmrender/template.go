package main

import (
	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/output"
	"github.com/vmrender/vmrender/pkg/report"
)

func newTemplateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "template [PATH]",
		Short: "Render a fleet, a part of it, or a platform to manifests on stdout",
		Long: `Read the fleet, directory or file at PATH (the working directory by default, "-"
for a values file on standard input) and render its VMs to manifests: ordered by
sync wave, namespace and name, and the same bytes for the same input, always.

A PATH to a platform.yaml, or to a directory that has one and no fleet, renders
the layers beneath the VMs: the app-of-apps, one layer (--layer), or policies
(--as policy). With either flag the directory may have a fleet, too.

All errors are reported in one run, on stderr; nothing is written to stdout then.`,
		Example: `  vmrender template | kubectl apply --dry-run=server -f -
  vmrender template sites/a --vm web01 --vm prod/db01
  vmrender template --overlay stage.yaml --output-dir ../rendered
  vmrender template platform.yaml --layer network`,
	}
	flags := new(fleetFlags)
	flags.register(cmd)
	platform := new(platformFlags)
	platform.register(cmd)
	cmd.Args = cobra.MatchAll(argsBetween(0, 1), platform.check)
	var vms []string
	cmd.Flags().StringArrayVar(&vms, "vm", nil, "`name` or namespace/name of a VM to render (repeatable); all by default")
	var dir string
	cmd.Flags().StringVar(&dir, "output-dir", "", "write one file per VM, NAMESPACE/NAME.yaml, into `directory` instead of stdout")
	format := outputFlag(cmd, manifest.Formats())
	completeFlag(cmd, "output-dir", completeDirs)
	completeFlag(cmd, "vm", func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return vmNames(pathArg(args), flags.options(cmd, nil)), cobra.ShellCompDirectiveNoFileComp
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if file, ok := platform.File(pathArg(args)); ok {
			return platform.template(cmd, file, format.value)
		}
		if err := onlyForPlatforms(cmd); err != nil {
			return err
		}
		f, rendered, diags := renderFleet(pathArg(args), flags.options(cmd, vms))
		if err := report.Problems(cmd.ErrOrStderr(), diags); err != nil {
			return err
		}
		if dir == "" {
			return output.Machines(cmd.OutOrStdout(), format.value, rendered)
		}
		others, err := output.Files(dir, f.Root, format.value, rendered)
		if len(vms) == 0 { // else they may be those of the other VMs
			for _, file := range others {
				cmd.PrintErrf("%s: not of this run, left as it is\n", file)
			}
		}
		return err
	}
	return cmd
}
