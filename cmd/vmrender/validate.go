package main

import (
	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/report"
)

func newValidateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "validate [PATH]",
		Short: "Report every error and warning of a fleet or a platform",
		Long: `Read the fleet, directory or file at PATH (the working directory by default, "-"
for a values file on standard input), render it, and report every problem. A PATH
to a platform.yaml, or to a directory with a platform.yaml and no fleet, validates
the platform.

The report is written to stdout in one of these formats: text (one line per
problem), json, sarif (SARIF 2.1.0, for code scanning) or github (annotations in
a GitHub Actions log). The exit status is 1 if there are errors.`,
		Example: `  vmrender validate
  vmrender validate sites/a -o sarif > vmrender.sarif`,
	}
	flags := new(fleetFlags)
	flags.register(cmd)
	platform := new(platformFlags)
	platform.registerCluster(cmd)
	cmd.Args = cobra.MatchAll(argsBetween(0, 1), platform.check)
	format := outputFlag(cmd, report.Formats())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		v, what, err := validatePath(cmd, pathArg(args), flags, platform)
		if err != nil {
			return err
		}
		if err := format.value.Write(cmd.OutOrStdout(), v); err != nil {
			return err
		}
		if v.HasErrors() {
			return report.ErrReported
		}
		cmd.PrintErrf("ok: %s\n", what)
		return nil
	}
	return cmd
}

// validatePath validates the fleet or the platform at a path, and counts its VMs
// or layers.
func validatePath(cmd *cobra.Command, path string, flags *fleetFlags, platform *platformFlags) (
	v report.Validation, count string, err error,
) {
	if file, ok := platform.File(path); ok {
		if err := rejectOtherFlags("a platform", cmd, "kube-version", "api-versions", "output"); err != nil {
			return v, "", err
		}
		apps, diags := layers.RenderApps(file, platform.Options)
		v = report.Validation{Version: readBuild().Version, Diagnostics: diags.Sorted()}
		return v, report.Count(max(len(apps)-1, 0), "layer"), nil // without the AppProject
	}
	if err := rejectPlatformFlags(cmd); err != nil {
		return v, "", err
	}
	v = validate(path, flags.options(cmd, nil))
	return v, report.Count(v.VMs, "VM"), nil
}

// validate reads and renders everything at path, and discards the manifests.
func validate(path string, opts fleet.Options) report.Validation {
	_, rendered, diags := renderFleet(path, opts)
	return report.Validation{Version: readBuild().Version, VMs: countVMs(rendered), Diagnostics: diags.Sorted()}
}
