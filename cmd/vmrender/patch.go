package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/rollout"
)

const patchLong = `Create the AnsibleJob or Job in FILE, and wait until it has succeeded and the
VirtualMachine is ready. FILE contains JSON with metadata.generateName.

A VirtualMachine that is not running and ready before is left alone, and an Event with the
reason PatchSkipped states why. With --snapshot, a VirtualMachineSnapshot is taken first. If
it fails, or does not contain the root disk or a disk that is kept, nothing is changed.

If a job of an earlier run has not ended yet, the command waits for that job, and creates
none. With --job and --job-uid, the job belongs to that Job, with which Kubernetes deletes it,
and another pod of the same Job resumes the run.

If the job fails, or the VirtualMachine is not ready again within the timeout, the exit status
is 1, and an Event has the reason PatchFailed. If the API server does not answer for the
timeout, or refuses the same request for three minutes, the exit status is 75, and another run
resumes.

A fleet with "ansible.schedule" renders the CronJob that runs this command, with the
permissions it needs.`

func newPatchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "patch VM FILE --namespace NAMESPACE",
		Short:   "Run Ansible on a VM in a cluster on a schedule",
		Long:    patchLong,
		Example: `  vmrender patch db job.json --namespace prod --snapshot --kubeconfig ~/.kube/config`,
	}
	flags := new(clusterFlags)
	flags.register(cmd, time.Hour)
	var patch rollout.Patch
	cmd.Flags().BoolVar(&patch.Snapshot, "snapshot", false, "take a snapshot before the job")
	cmd.Flags().StringVar(&patch.Run.Name, "job", "", "`name` of the Job that this run belongs to")
	cmd.Flags().StringVar(&patch.Run.UID, "job-uid", "", "`UID` of that Job")
	completeFlag(cmd, "job", cobra.NoFileCompletions)
	completeFlag(cmd, "job-uid", cobra.NoFileCompletions)
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if err := flags.check(); err != nil {
			return err
		}
		return readPatch(&patch, args)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return flags.run(cmd, func(ctx context.Context, c *rollout.Cluster, o rollout.Options) error {
			return c.Patch(ctx, patch, o)
		})
	}
	return cmd
}

// readPatch reads the arguments and the file into what the command does.
func readPatch(patch *rollout.Patch, args []string) error {
	switch {
	case len(args) != 2:
		return fmt.Errorf("%d arguments; expected VM FILE", len(args))
	case (patch.Run.Name == "") != (patch.Run.UID == ""):
		return errors.New("expected both of --job and --job-uid, or none")
	}
	var err error
	patch.Machine = args[0]
	patch.Job, err = readJobFile(args[1], rollout.ParsePatchJob)
	return err
}
