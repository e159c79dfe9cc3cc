package main

import (
	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/starter"
)

func newInitCommand() *cobra.Command {
	var o starter.Options
	cmd := &cobra.Command{
		Use:   "init DIR",
		Short: "Write a small fleet to start from",
		Long: `Write a small fleet with comments to DIR, and create DIR if needed. Also write a
copy of the schemas, for editors, to ` + starter.SchemaDir + `. Existing files are never
overwritten. A DIR that contains a platform or is inside a fleet is rejected.

With --plain-kubernetes, the fleet specifies that its cluster is not OpenShift. Values
that need images or features of OpenShift are then errors.`,
		Example:           `  vmrender init site-a && vmrender template site-a`,
		Args:              argsBetween(1, 1),
		ValidArgsFunction: completeDirs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := starter.Write(args[0], o); err != nil {
				return err
			}
			notes, err := starter.Nearby(args[0])
			for _, note := range notes {
				cmd.PrintErrf("note: %s\n", note)
			}
			if err != nil {
				return err
			}
			cmd.PrintErrf("wrote a fleet with two VMs to %s; what next:\n", args[0])
			explain := "explain web01 --path " + args[0] // the longest of them
			for _, next := range []struct{ command, purpose string }{
				{"template " + args[0], "the manifests"},
				{explain, "the files that set each value"},
				{"catalog os", "operating systems that VMs can name"},
			} {
				cmd.PrintErrf("  vmrender %-*s # %s\n", len(explain), next.command, next.purpose)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&o.PlainKubernetes, "plain-kubernetes", false, "write a fleet for a cluster that is not OpenShift")
	return cmd
}
