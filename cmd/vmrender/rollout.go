package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/rollout"
)

const rolloutLong = `Restart the VirtualMachines with the label vmrender.io/rollout=ID whose changes
need a restart, at most vmrender.io/max-unavailable at a time, and wait until each
is ready. Then delete old root disks, except the newest vmrender.io/keep-old of
each VirtualMachine.

With arguments, wait until each VM has CONTENT as its annotation vmrender.io/content,
and restart no other VirtualMachine. When one of them changes to another content
after that, the rollout is superseded: it ends with exit status 0.

If a VirtualMachine is not ready in time, the rollout stops with exit status 1. No
further VirtualMachine is restarted. Later rollouts skip those at which it stopped
until their content changes. With --retry, the rollout includes them.

After a signal, the exit status is 143, and another run resumes the rollout. So it does
after exit status 75: the API server did not answer for the timeout, or has refused
the same request for three minutes. The time of an outage counts to no timeout. Only one
run at a time holds the Lease ID-rollout; others wait. The command stores its state
between rollouts only in the annotations of the Lease.

With --pets, restart the pets that are named instead, if they have the condition
RestartRequired: only in the --window, in the --order, and after a snapshot of those with
--snapshot. Pets that migrate, or whose disks are being copied, are left for the next window.
At the end of the window, no further restart begins, and the exit status is 0.

A fleet with "strategy: rollout" renders the Job that runs this command, and a fleet with
"maintenance" the CronJob, with the permissions they need.`

func newRolloutCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rollout --namespace NAMESPACE --id ID [VM=CONTENT...] | --pets VM...",
		Short: "Restart changed VMs in a cluster, a few at a time",
		Long:  rolloutLong,
		Example: `  vmrender rollout --namespace prod --id site-a-1a2b3c4d --kubeconfig ~/.kube/config
  vmrender rollout --namespace prod --id site-a-1a2b3c4d --kubeconfig ~/.kube/config --retry
  vmrender rollout --namespace prod --id now --kubeconfig ~/.kube/config --pets app db --snapshot db`,
	}
	flags := new(clusterFlags)
	flags.register(cmd, 15*time.Minute)
	var target rollout.Target
	cmd.Flags().StringVar(&target.ID, "id", "", "`value` of the label vmrender.io/rollout (required)")
	cmd.Flags().BoolVar(&target.Retry, "retry", false, "include the VirtualMachines at which a rollout has stopped")
	completeFlag(cmd, "id", cobra.NoFileCompletions)
	pets := new(petFlags)
	pets.register(cmd)
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	cmd.Args = func(_ *cobra.Command, args []string) (err error) {
		if err := flags.check(); err != nil {
			return err
		}
		if target.ID == "" {
			return errors.New("no id; expected --id ID")
		}
		if target.Pets, err = pets.read(target.ID, args); err != nil || target.Pets != nil {
			return err
		}
		target.Machines, err = rollout.ParseMachines(args)
		return err
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if target.Holder, err = holder(); err != nil {
			return err
		}
		return flags.run(cmd, func(ctx context.Context, c *rollout.Cluster, o rollout.Options) error {
			return c.Rollout(ctx, target, o)
		})
	}
	return cmd
}

// holder returns a name of this run that no other run has.
func holder() (string, error) {
	host, err := os.Hostname()
	return fmt.Sprintf("%s_%d", host, os.Getpid()), err
}
