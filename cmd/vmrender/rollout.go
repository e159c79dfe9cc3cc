package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/rollout"
)

func newRolloutCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rollout --namespace NAMESPACE --id ID",
		Short: "Restart changed cattle in a cluster, a few at a time",
		Long: `Restart the VirtualMachines with the label vmrender.io/rollout=ID whose changes
need a restart, at most vmrender.io/max-unavailable at a time, and wait until each
is ready. Then delete old root disks, except the newest vmrender.io/keep-old of
each VirtualMachine.

If a VirtualMachine is not ready in time, the rollout stops with exit status 1. No
further VirtualMachine is restarted. After a signal, the exit status is 143. The
command keeps no state except that of the cluster, so another run resumes where it
stopped.

A fleet with "strategy: rollout" renders the Job that runs this command, with the
permissions it needs.`,
		Example: `  vmrender rollout --namespace prod --id site-a-1a2b3c4d --kubeconfig ~/.kube/config`,
	}
	flags := new(clusterFlags)
	flags.register(cmd, 15*time.Minute)
	var id string
	cmd.Flags().StringVar(&id, "id", "", "`value` of the label vmrender.io/rollout (required)")
	completeFlag(cmd, "id", cobra.NoFileCompletions)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := flags.check(); err != nil {
			return err
		}
		if id == "" {
			return errors.New("no id; expected --id ID")
		}
		return argsBetween(0, 0)(cmd, args)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return flags.run(cmd, func(ctx context.Context, c *rollout.Cluster, o rollout.Options) error {
			return c.Rollout(ctx, id, o)
		})
	}
	return cmd
}
