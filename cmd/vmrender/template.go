package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

func newTemplateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "template [PATH]",
		Short: "Render a fleet, or a part of it, to manifests on stdout",
		Long: `Read the fleet, directory or file at PATH (the working directory by default, "-"
for a values file on standard input) and render its VMs to manifests: ordered by
sync wave, namespace and name, and the same bytes for the same input, always.

All errors are reported in one run, on stderr; nothing is written to stdout then.`,
		Example: `  vmrender template | kubectl apply --dry-run=server -f -
  vmrender template sites/a --vm web01 --vm prod/db01
  vmrender template --overlay stage.yaml --output-dir ../rendered`,
		Args: cobra.MaximumNArgs(1),
	}
	flags := new(fleetFlags)
	flags.register(cmd)
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
		f, diags := loadFleet(pathArg(args), flags.options(cmd, vms))
		t := templating{
			pipeline: newPipeline(flags.jobs), format: manifestFormat(output.value),
			stdout: cmd.OutOrStdout(), dir: dir, whole: len(vms) == 0, tell: cmd.PrintErrf,
			diags: diags,
		}
		err := t.run(cmd.Context(), f)
		if reported := complain(cmd.ErrOrStderr(), diags); reported != nil {
			return reported
		}
		return err
	}
	return cmd
}

func manifestFormat(name string) manifest.Format {
	if name == "json" {
		return manifest.JSON
	}
	return manifest.YAML
}

// templating is one run of the verb template.
type templating struct {
	*pipeline
	format manifest.Format
	stdout io.Writer
	dir    string                           // to write into instead of stdout; empty for none
	whole  bool                             // all VMs at the path are rendered
	tell   func(format string, args ...any) // says something on stderr
	diags  *source.Diagnostics              // what was found so far
}

// run writes the fleet, once it is known to have no errors. Some machines are
// rendered twice for that; see suspects.
func (t *templating) run(ctx context.Context, f *fleet.Fleet) error {
	if t.diags.HasErrors() {
		return errReported
	}
	problems, err := t.check(ctx, suspects(f.Machines))
	t.diags.Merge(problems)
	switch {
	case err != nil:
		return err
	case t.diags.HasErrors():
		return errReported
	case t.dir != "":
		return t.toDir(ctx, f)
	}
	return t.toStdout(ctx, f)
}

// toStdout writes all machines as one stream.
func (t *templating) toStdout(ctx context.Context, f *fleet.Fleet) error {
	w := manifest.NewWriter(t.stdout, t.format)
	problems, err := t.each(ctx, f.Machines, func(_ *fleet.Machine, objects [][]byte) error {
		return writeAll(w, objects)
	})
	t.diags.Merge(problems)
	if err != nil {
		return err
	}
	return writing(w.Close())
}

func writeAll(w *manifest.Writer, objects [][]byte) error {
	for _, o := range objects {
		if err := w.Write(o); err != nil {
			return writing(err)
		}
	}
	return nil
}

func writing(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("writing manifests: %w", err)
}
