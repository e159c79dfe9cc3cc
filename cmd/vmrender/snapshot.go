package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/rollout"
)

func newSnapshotCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "snapshot --namespace NAMESPACE VM=CONTENT... | --scheduled --id ID VM...",
		Short: "Take snapshots of pets in a cluster, before they change or on a schedule",
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

With --scheduled, take a snapshot of each VirtualMachine that is named and exists, whether
or not it changes. Such a snapshot is named VM-at-TIME, where TIME is the minute in which the
run began, in UTC. When it is ready, delete the oldest snapshots with the same --id of the
same VirtualMachine, except the newest --keep. No snapshot is deleted that lacks the label
vmrender.io/schedule=ID, that a VirtualMachineRestore in progress needs, or that is of an
earlier VirtualMachine of the same name, and none at all if the new snapshot is not ready.
A VirtualMachine that fails does not stop the others. If one has failed, the exit status is 1.

A fleet with "snapshotBefore: true" renders the Job that runs this command, and a fleet with
"snapshots" the CronJob, with the permissions they need.`,
		Example: `  vmrender snapshot --namespace prod db=1a2b3c4d
  vmrender snapshot --namespace prod --kubeconfig ~/.kube/config --scheduled --id site-a-1a2b3c4d --keep 7 db app`,
	}
	flags := new(clusterFlags)
	flags.register(cmd, 10*time.Minute)
	recurring := new(scheduledFlags)
	recurring.register(cmd)
	var list []rollout.Snapshot
	var scheduled *rollout.Scheduled
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	cmd.Args = func(_ *cobra.Command, args []string) (err error) {
		if err := flags.check(); err != nil {
			return err
		}
		if scheduled, err = recurring.read(args); err != nil || scheduled != nil {
			return err
		}
		list, err = rollout.ParseSnapshots(args)
		return err
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return flags.run(cmd, func(ctx context.Context, c *rollout.Cluster, o rollout.Options) error {
			if scheduled != nil {
				return c.SnapshotOnSchedule(ctx, *scheduled, o)
			}
			return c.Snapshot(ctx, list, o)
		})
	}
	return cmd
}
