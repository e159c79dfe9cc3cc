package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/report/html"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

func newReportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:        "report [PATH]",
		SuggestFor: []string{"html", "inventory", "graph", "list"},
		Short:      "Write a web page about a fleet",
		Long: `Write one HTML page about the fleet, directory or file at PATH to stdout. PATH
defaults to the working directory, and "-" is a values file on standard input. The
page shows the VMs with their size, disks, NICs and lifecycle, the capacity of each
namespace, a map of the networks, a graph of the waves, and the warnings.

The page is one file without network requests. It contains no user data and
no credentials. The same input always produces the same page, byte for byte.

If there is an error, nothing is written to stdout.`,
		Example: `  vmrender report > fleet.html
  vmrender report sites/a --overlay stage.yaml > stage.html`,
		Args: argsBetween(0, 1),
	}
	flags := new(fleetFlags)
	flags.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		path := pathArg(args)
		f, diags := new(kindRecorder).renderMachines(path, flags.options(cmd, nil))
		if err := problems.Report(cmd.ErrOrStderr(), diags); err != nil {
			return err
		}
		return html.Fleet{
			Version: readBuild().Version, Name: cmp.Or(f.Header.Metadata.Name, "VMs"), Path: path,
			Overlays: flags.overlays, Target: f.Header.Target, Catalog: f.Catalog,
			Machines: f.Machines, Warnings: diags.Sorted(),
		}.Write(cmd.OutOrStdout())
	}
	return cmd
}
