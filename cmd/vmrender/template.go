package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
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
	cmd.Args = cobra.MatchAll(argsBetween(0, 1), func(*cobra.Command, []string) error { return platform.problem() })
	var vms []string
	cmd.Flags().StringArrayVar(&vms, "vm", nil, "`name` or namespace/name of a VM to render (repeatable); all by default")
	var dir string
	cmd.Flags().StringVar(&dir, "output-dir", "", "write one file per VM, NAMESPACE/NAME.yaml, into `directory` instead of stdout")
	output := outputFlag(cmd, "yaml", "json")
	completeFlag(cmd, "output-dir", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
	completeFlag(cmd, "vm", func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return vmNames(pathArg(args), flags.options(cmd, nil)), cobra.ShellCompDirectiveNoFileComp
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if file, ok := platform.file(pathArg(args)); ok {
			return platform.template(cmd, file, manifestFormat(output.value))
		}
		if err := onlyForPlatforms(cmd); err != nil {
			return err
		}
		f, rendered, diags := renderFleet(pathArg(args), flags.options(cmd, vms))
		if err := complain(cmd.ErrOrStderr(), diags); err != nil {
			return err
		}
		if dir == "" {
			return toStdout(cmd.OutOrStdout(), manifestFormat(output.value), rendered)
		}
		out := outputDir{path: dir, format: manifestFormat(output.value), tell: cmd.PrintErrf}
		return out.write(f.Root, rendered, len(vms) == 0)
	}
	return cmd
}

func manifestFormat(name string) manifest.Format {
	if name == "json" {
		return manifest.JSON
	}
	return manifest.YAML
}

// toStdout writes all machines as one stream.
func toStdout(stdout io.Writer, format manifest.Format, rendered []render.Rendered) error {
	w := manifest.NewWriter(stdout, format)
	var buf []byte
	for i := range rendered {
		var err error
		if buf, err = rendered[i].Write(w, buf); err != nil {
			return err
		}
	}
	return writing(w.Close())
}

func writing(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("writing manifests: %w", err)
}
