package main

import (
	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/process"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/krm"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

const krmHelp = `Read a ResourceList on stdin, render the fleets that it names or contains, and write
it to stdout. kustomize and kpt run this command as a generator or a transformer. It
is configured by the functionConfig of the list:

  Fleet        the fleet, with its VMs. Its objects are added to the list.
  RenderFleet  spec.path is the directory of a fleet, relative to the working directory
               and inside it. Its objects are added to the list. Without spec.path,
               each Fleet in the list is replaced by its objects.
  ConfigMap    the same, with the keys of spec under data
  none         each Fleet in the list is replaced by its objects

The other keys of spec are those of the plugin's parameters: namespace, vm, overlay,
defaults and vars. A Fleet with the annotation config.kubernetes.io/local-config stays
in the list, before its objects.

Errors and warnings are results of the list, and are also written to stderr. If there
is an error, nothing is rendered, and the exit status is 1. Nothing is read from the
environment.`

func newKRMCommand() *cobra.Command {
	return &cobra.Command{
		Use:        "krm",
		SuggestFor: []string{"fn", "function", "kustomize", "kpt"},
		Short:      "Render fleets as a function of kustomize or kpt",
		Long:       krmHelp,
		Example: `  kustomize build --enable-alpha-plugins --enable-exec
  kpt fn render --allow-exec
  kpt fn eval --exec "vmrender krm" --output unwrap -- path=fleet namespace=prod`,
		Args: argsBetween(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts := fleet.Options{Workers: process.Workers(), Rest: process.Rest()}
			result, err := krm.Run(cmd.InOrStdin(), cmd.OutOrStdout(), opts)
			if err != nil {
				return err
			}
			if err := problems.Report(cmd.ErrOrStderr(), result.Problems); err != nil {
				return err
			}
			noteHeldVMs(cmd, result.Held)
			return nil
		},
	}
}
