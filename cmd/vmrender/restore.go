package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/rollout"
)

func newRestoreCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restore --namespace NAMESPACE VM=SNAPSHOT@TOKEN...",
		Short: "Restore pets in a cluster from snapshots",
		Long: `Put the disks of a VirtualMachineSnapshot in place of those of its VirtualMachine,
and wait until that is done. What was written since the snapshot is lost.

Before anything happens to a VirtualMachine, its snapshot must be ready, be of this very
VirtualMachine, and contain all disks that are kept, with the claims that they have now.
If its gate (vmrender.io/approve-from) requires an approval, the argument must name the
digest that the loss of data is approved from: VM=SNAPSHOT@TOKEN@FROM.
Then a VirtualMachineRestore named VM-restore-TOKEN is created. KubeVirt stops the
VirtualMachine, deletes its claims, and creates them again from the snapshot under the
same names. The sync that follows brings back the definition in Git, and starts it; one
with the run strategy Manual or RerunOnFailure is started here, if it ran before.

A VirtualMachine that does not exist is skipped, and so is one whose annotation
vmrender.io/restore is SNAPSHOT@TOKEN. If the VirtualMachineRestore exists, the command
waits for it and creates no other one.

If a restore fails, the exit status is 1, so that the sync stops before anything else
changes. If the API server does not answer for the timeout, or refuses the same request for
three minutes, the exit status is 75, and another run resumes.

A fleet with "restoreFrom" renders the Job that runs this command, with the permissions it
needs. "vmrender plan" prints the token.`,
		Example: `  vmrender restore --namespace prod db=db-at-20261127-0030@1-1a2b3c4d`,
	}
	flags := new(clusterFlags)
	flags.register(cmd, time.Hour)
	var list []rollout.Restore
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	cmd.Args = func(_ *cobra.Command, args []string) (err error) {
		if err := flags.check(); err != nil {
			return err
		}
		list, err = rollout.ParseRestores(args)
		return err
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return flags.run(cmd, func(ctx context.Context, c *rollout.Cluster, o rollout.Options) error {
			return c.Restore(ctx, list, o)
		})
	}
	return cmd
}
