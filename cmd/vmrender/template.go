package main

import (
	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/cli"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/output"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

const templateLong = `Render the VMs of the fleet, directory or file at PATH to manifests. PATH defaults
to the working directory, and "-" is a values file on standard input. The
manifests are ordered by sync wave, namespace and name. The same input always
produces the same output, byte for byte.

A PATH to a platform.yaml, or to a directory with a platform.yaml and no fleet,
renders the platform layers: the app-of-apps, one layer (--layer), or policies
(--as policy). With either flag, the directory can also contain a fleet.

All errors are reported in one run, on stderr. If there is an error, nothing is
written to stdout.

With --output-dir, each VM gets a file. Commit them with their list, ` + output.ListName + `.
The next run removes the files in the list that are no longer rendered, except with
--vm, and changes no other file. It rejects a directory with the files of another
fleet, PATH or overlay. For Flux (target.delivery), each wave is a directory of such
files, and "vmrender app" prints a Kustomization for each.`

func newTemplateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:        "template [PATH]",
		SuggestFor: []string{"render", "build", "generate", "apply"},
		Short:      "Render a fleet, a part of it, or a platform to manifests on stdout",
		Long:       templateLong,
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
	cmd.Flags().StringArrayVar(&vms, "vm", nil, "`name` or namespace/name of a VM to render (repeatable, default all)")
	var dir string
	cmd.Flags().StringVar(&dir, "output-dir", "",
		"`directory` for one file per VM, NAMESPACE/NAME.yaml, instead of stdout")
	format := cli.Output(cmd, manifest.Formats())
	completeFlag(cmd, "output-dir", completeDirs)
	completeFlag(cmd, "vm", func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return vmNames(pathArg(args), flags.options(cmd, nil)), cobra.ShellCompDirectiveNoFileComp
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if file, ok := platform.File(pathArg(args)); ok {
			return platform.template(cmd, file, flags, format.Value)
		}
		if err := rejectPlatformFlags(cmd); err != nil {
			return err
		}
		f, rendered, diags := renderWatched(cmd, pathArg(args), flags.options(cmd, vms))
		if err := problems.Report(cmd.ErrOrStderr(), diags); err != nil {
			return err
		}
		noteHolds(cmd, rendered)
		if dir == "" {
			return output.Machines(cmd.OutOrStdout(), format.Value, rendered)
		}
		return writeFiles(cmd, dir, origin(f, flags, vms), format.Value, rendered)
	}
	return cmd
}

// writeFiles writes the files of a directory, and reports what became of them.
func writeFiles(
	cmd *cobra.Command, dir string, from output.Origin, format manifest.Format, rendered []render.Rendered,
) error {
	counts, err := output.Files(dir, from, format, rendered)
	if err != nil {
		return err
	}
	cmd.PrintErrf("%s: %s written, %d unchanged, %d removed\n",
		dir, problems.Count(counts.Written, "file"), counts.Unchanged, counts.Removed)
	return nil
}

// origin returns what identifies a render of the fleet with the flags.
func origin(f *inventory.Fleet, flags *fleetFlags, vms []string) output.Origin {
	return output.Origin{
		Root: f.Root, Fleet: f.Header.Metadata.Name, Part: f.Part(), Overlays: flags.overlays, Selected: len(vms) > 0,
		Flux: f.Header.Target.ByFlux(),
	}
}
