package main

import (
	"io"

	"github.com/spf13/cobra"

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
		v, err := validate(cmd, pathArg(args), flags)
		if err != nil {
			return err
		}
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
func validate(cmd *cobra.Command, path string, flags *fleetFlags) (report.Validation, error) {
	f, diags := loadFleet(path, flags.options(cmd, nil))
	v := report.Validation{Version: readBuild().Version}
	if !diags.HasErrors() {
		v.VMs = len(f.Machines)
		problems, err := newPipeline(flags.jobs).check(cmd.Context(), f.Machines)
		if err != nil {
			return v, err
		}
		diags.Merge(problems)
	}
	v.Diagnostics = diags.Sorted()
	return v, nil
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
