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
		Long: `Restart the VirtualMachines labelled vmrender.io/rollout=ID whose change needs
it, as many at a time as their annotation vmrender.io/max-unavailable allows, and
wait until each is ready again. Then remove root disks of earlier revisions but
for the newest vmrender.io/keep-old of each VirtualMachine.

The first VirtualMachine that is not ready in time ends the rollout with exit
status 1: the others keep running as they were. What is to be done is read from
the cluster alone, so a rollout that was killed goes on when it is started again;
one that is ended by a signal has exit status 143.

A fleet with "strategy: rollout" renders the Job that runs this, with the
permissions it needs.`,
		Example: `  vmrender rollout --namespace prod --id site-a-1a2b3c4d --kubeconfig ~/.kube/config`,
	}
	flags := new(clusterFlags)
	flags.register(cmd, 15*time.Minute)
	var id string
	cmd.Flags().StringVar(&id, "id", "", "`value` of the label vmrender.io/rollout (required)")
	completeFlag(cmd, "id", cobra.NoFileCompletions)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := flags.problem(); err != nil {
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
