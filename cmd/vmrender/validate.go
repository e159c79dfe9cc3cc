package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/cli"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/source"
)

func newValidateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:        "validate [PATH...]",
		SuggestFor: []string{"lint", "check", "verify", "test"},
		Short:      "Report every error and warning of fleets and platforms",
		Long: `Read the fleet, directory or file at each PATH, render it, and report every problem.
PATH defaults to the working directory, and "-" is a values file on standard input. A
PATH to a platform.yaml validates the platform. A directory validates everything in
it: the fleet that it belongs to, and all fleets and platforms below it.

The report is written to stdout in one of these formats: text (one line per
problem), json, sarif (SARIF 2.1.0, for code scanning) or github (annotations in
a GitHub Actions log). The exit status is 1 if there are errors, or with --strict
warnings. If a problem repeats, text shows only the first ones, unless --all is set.

With --environments, each fleet is validated once with each overlay in a directory,
and all problems are in one report. A problem of only some environments lists their
overlays.`,
		Example: `  vmrender validate
  vmrender validate sites/a sites/b/vms/web.yaml --strict
  vmrender validate shop --environments shop/env
  vmrender validate sites/a -o sarif > vmrender.sarif`,
	}
	c := validation{fleets: map[string]bool{}}
	c.fleet.register(cmd)
	c.platform.registerFiles(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&c.strict, "strict", false, "exit with status 1 also for warnings")
	flags.BoolVar(&c.all, "all", false, "show every repetition of a problem in the format text")
	flags.StringArrayVar(&c.vms, "vm", nil, "`name` or namespace/name of a VM to validate (repeatable, default all)")
	completeFlag(cmd, "vm", func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return vmNames(pathArg(args), c.fleet.options(cmd, nil)), cobra.ShellCompDirectiveNoFileComp
	})
	c.each.register(cmd)
	cmd.Args = c.platform.check
	format := cli.Output(cmd, report.Formats())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := c.run(cmd, args); err != nil {
			return err
		}
		printNotes(cmd, c.notes)
		v := report.Validation{Version: readBuild().Version, VMs: c.rendered, Diagnostics: c.diags.Sorted(), All: c.all}
		if err := format.Value.Write(cmd.OutOrStdout(), v); err != nil {
			return err
		}
		if v.HasErrors() || c.strict && len(v.Diagnostics) > 0 {
			return problems.ErrReported
		}
		cmd.PrintErrf("ok: %s\n", c.count())
		return nil
	}
	return cmd
}

// validation is one run of the command: its flags, and what it has found.
type validation struct {
	fleet       fleetFlags
	platform    platformFlags
	each        environments
	vms         []string
	strict, all bool

	diags          source.Diagnostics
	notes          []string
	fleets         map[string]bool // by their directories
	rendered       int
	platforms      int
	renderedLayers int
}

// run validates what is at the paths. Flags that nothing there accepts are an error.
func (c *validation) run(cmd *cobra.Command, paths []string) error {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	parts := fleet.Parts(paths, "")
	for _, path := range parts {
		file, isPlatform := c.platform.File(path)
		beside, both := layers.FileBesideFleet(path)
		if len(parts) == 1 && !both {
			if err := c.rejectFlags(cmd, isPlatform); err != nil {
				return err
			}
		}
		if !isPlatform {
			if err := c.validateFleet(cmd, path); err != nil {
				return err
			}
		}
		if isPlatform || both {
			c.validatePlatform(cmd, cmp.Or(file, beside))
		}
	}
	return nil
}

func (c *validation) rejectFlags(cmd *cobra.Command, isPlatform bool) error {
	if isPlatform {
		return rejectOtherFlags("a platform", cmd,
			"kube-version", "api-versions", "root", "overlay", "set", "output", "strict", "all")
	}
	return rejectPlatformFlags(cmd)
}

func (c *validation) validateFleet(cmd *cobra.Command, path string) error {
	overlays, err := c.each.overlays()
	if err != nil {
		return err
	}
	cli.During(cmd, "validating "+path, func() {
		vms, diags, notes := validateEach(path, overlays, c.fleet.options(cmd, c.vms))
		c.rendered += vms
		c.diags.Merge(diags)
		c.notes = append(c.notes, notes...)
	})
	c.fleets[fleet.Root(path, "")] = true
	return nil
}

func (c *validation) validatePlatform(cmd *cobra.Command, file string) {
	c.platform.Overlays, c.platform.Set = c.fleet.overlays, c.fleet.sets
	c.platforms++
	cli.During(cmd, "validating "+file, func() {
		n, diags := layers.Validate(file, c.platform.Options)
		c.diags.Merge(diags)
		c.renderedLayers += n
	})
}

// count returns what was validated, such as "11 VMs" or "12 VMs in 2 fleets, 4 layers".
func (c *validation) count() string {
	vms, layers := problems.Count(c.rendered, "VM"), problems.Count(c.renderedLayers, "layer")
	if len(c.fleets) > 1 {
		vms += " in " + problems.Count(len(c.fleets), "fleet")
	}
	if c.platforms > 1 {
		layers += " of " + problems.Count(c.platforms, "platform")
	}
	switch {
	case c.platforms == 0:
		return vms
	case len(c.fleets) == 0:
		return layers
	}
	return vms + ", " + layers
}
