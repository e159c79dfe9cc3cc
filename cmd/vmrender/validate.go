package main

import (
	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/source"
)

func newValidateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:        "validate [PATH]",
		SuggestFor: []string{"lint", "check", "verify", "test"},
		Short:      "Report every error and warning of a fleet or a platform",
		Long: `Read the fleet, directory or file at PATH (the working directory by default, "-"
for a values file on standard input), render it, and report every problem. A PATH
to a platform.yaml, or to a directory with a platform.yaml and no fleet, validates
the platform. A directory with both validates both.

The report is written to stdout in one of these formats: text (one line per
problem), json, sarif (SARIF 2.1.0, for code scanning) or github (annotations in
a GitHub Actions log). The exit status is 1 if there are errors.`,
		Example: `  vmrender validate
  vmrender validate sites/a -o sarif > vmrender.sarif`,
	}
	flags := new(fleetFlags)
	flags.register(cmd)
	platform := new(platformFlags)
	platform.registerFiles(cmd)
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

// validatePath validates the fleet, the platform, or both at a path, and counts the VMs
// and layers.
func validatePath(cmd *cobra.Command, path string, flags *fleetFlags, platform *platformFlags) (
	v report.Validation, count string, err error,
) {
	if file, ok := platform.File(path); ok {
		accepted := []string{"kube-version", "api-versions", "root", "overlay", "set", "output"}
		if err := rejectOtherFlags("a platform", cmd, accepted...); err != nil {
			return v, "", err
		}
		platform.Overlays, platform.Set = flags.overlays, flags.sets
		diags, count := validatePlatform(file, platform.Options)
		return validation(0, diags), count, nil
	}
	file, both := layers.FileBesideFleet(path)
	if !both {
		if err := rejectPlatformFlags(cmd); err != nil {
			return v, "", err
		}
	}
	_, rendered, diags := renderFleet(path, flags.options(cmd, nil))
	v = validation(countVMs(rendered), diags)
	count = report.Count(v.VMs, "VM")
	if both {
		more, ofLayers := validatePlatform(file, platform.Options)
		diags.Merge(more)
		v, count = validation(v.VMs, diags), count+", "+ofLayers
	}
	return v, count, nil
}

// validatePlatform renders the layers of a platform, and counts them.
func validatePlatform(file string, o layers.Options) (*source.Diagnostics, string) {
	n, diags := layers.Validate(file, o)
	return diags, report.Count(n, "layer")
}

func validation(vms int, diags *source.Diagnostics) report.Validation {
	return report.Validation{Version: readBuild().Version, VMs: vms, Diagnostics: diags.Sorted()}
}
