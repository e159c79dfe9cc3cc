package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/rollout"
)

func newSnapshotCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "snapshot --namespace NAMESPACE VM=CONTENT...",
		Short: "Take snapshots of pets in a cluster before they change",
		Long: `Take a VirtualMachineSnapshot of each VirtualMachine whose annotation
vmrender.io/content differs from CONTENT, its value after the change, and wait
until all snapshots are ready to use. A VirtualMachine that does not exist yet is
skipped. A snapshot is named VM-pre-CONTENT-VERSION, where VERSION is the resource
version of the VirtualMachine.

A snapshot of an earlier run is used again if it is the newest, at most an hour old,
and the VirtualMachine has not changed since. Otherwise each change takes its own
snapshot.

If a snapshot fails, or does not contain the root disk or a disk that is kept, the exit
status is 1, so that a sync stops before the change. Earlier snapshots are kept.

If the API server does not answer for the timeout, or refuses the same request for
three minutes, the exit status is 75, and another run resumes.

A fleet with "snapshotBefore: true" renders the Job that runs this command, with
the permissions it needs.`,
		Example: `  vmrender snapshot --namespace prod db=1a2b3c4d`,
	}
	flags := new(clusterFlags)
	flags.register(cmd, 10*time.Minute)
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if err := flags.check(); err != nil {
			return err
		}
		_, err := rollout.ParseSnapshots(args)
		return err
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		list, err := rollout.ParseSnapshots(args)
		if err != nil {
			return err
		}
		return flags.run(cmd, func(ctx context.Context, c *rollout.Cluster, o rollout.Options) error {
			return c.Snapshot(ctx, list, o)
		})
	}
	return cmd
}
