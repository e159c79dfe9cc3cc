package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/report"
)

func newValidateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "validate [PATH]",
		Short: "Report every error and warning of a fleet",
		Long: `Read the fleet, directory or file at PATH (the working directory by default, "-"
for a values file on standard input), render it, and report every problem.

The report is written to stdout in the format asked for: text (one line per
problem), json, sarif (SARIF 2.1.0, for code scanning) or github (annotations in
a GitHub Actions log). The exit status is 1 when there are errors.`,
		Example: `  vmrender validate
  vmrender validate sites/a -o sarif > vmrender.sarif`,
		Args: cobra.MaximumNArgs(1),
	}
	flags := new(fleetFlags)
	flags.register(cmd)
	output := outputFlag(cmd, "text", "json", "sarif", "github")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		v := validate(pathArg(args), flags.options(cmd, nil))
		if err := reporter(output.value)(cmd.OutOrStdout(), v); err != nil {
			return err
		}
		if v.HasErrors() {
			return errReported
		}
		cmd.PrintErrf("ok: %s\n", report.Count(v.VMs, "VM"))
		return nil
	}
	return cmd
}

// validate reads and renders everything at path; the manifests are thrown away.
func validate(path string, opts fleet.Options) report.Validation {
	_, rendered, diags := renderFleet(path, opts)
	return report.Validation{Version: readBuild().Version, VMs: len(rendered), Diagnostics: diags.Sorted()}
}

func reporter(format string) func(io.Writer, report.Validation) error {
	switch format {
	case "json":
		return report.JSON
	case "sarif":
		return report.SARIF
	case "github":
		return report.GitHub
	}
	return report.Text
}
