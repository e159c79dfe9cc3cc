package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/rollout"
)

func newNodePoolsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "node-pools FILE",
		Short: "Set the labels and taints of pools on their nodes",
		Long: `Set the labels and taints of pools of nodes on the nodes that they name. What an earlier run
has set, and no pool has now, is removed. Everything else on the nodes stays. FILE
has the pools by name, as JSON: "labels", "taints" and "nodes".

Nodes that do not exist are waited for, and never created. A label stays on a node that
runs VMs until the node is drained, because KubeVirt may run on the node because of it.
If something is left after the timeout, the exit status is 1, and the message lists it.
If the API server does not answer for the timeout, or refuses the same request for three
minutes, it is 75.

The chart node-pools renders the Job that runs this command, with the permissions it
needs.`,
		Example: `  vmrender node-pools pools.json`,
		Args:    cobra.ExactArgs(1),
	}
	flags := new(clusterFlags) // without a namespace: nodes have none
	cmd.Flags().DurationVar(&flags.timeout, "timeout", 30*time.Minute, "timeout for all nodes")
	completeFlag(cmd, "timeout", cobra.NoFileCompletions)
	kubeconfigFlag(cmd, &flags.kubeconfig)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := flags.checkTimeout(); err != nil {
			return err
		}
		pools, err := readJobFile(args[0], rollout.ReadPools)
		if err != nil {
			return err
		}
		return flags.run(cmd, func(ctx context.Context, c *rollout.Cluster, o rollout.Options) error {
			o.Tick = 5 * time.Second // a node takes minutes to be drained or installed
			return c.ApplyPools(ctx, pools, o)
		})
	}
	return cmd
}
