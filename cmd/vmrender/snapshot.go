package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/rollout"
)

func newSnapshotCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "snapshot --namespace NAMESPACE VM=SNAPSHOT@CONTENT...",
		Short: "Take snapshots of pets in a cluster before they change",
		Long: `Take a VirtualMachineSnapshot of each VirtualMachine whose annotation
vmrender.io/content differs from CONTENT, which is what it will be after the
change, and wait until all are ready to use. A VirtualMachine that does not exist
yet needs none; a snapshot that exists is waited for and not taken again.

A snapshot that fails ends this with exit status 1, so that a sync stops before
the change. Earlier snapshots stay.

A fleet with "snapshotBefore: true" renders the Job that runs this, with the
permissions it needs.`,
		Example: `  vmrender snapshot --namespace prod db=db-pre-1a2b3c4d@1a2b3c4d`,
	}
	flags := new(clusterFlags)
	flags.register(cmd, 10*time.Minute)
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if err := flags.problem(); err != nil {
			return err
		}
		_, err := parseSnapshots(args)
		return err
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		list, err := parseSnapshots(args)
		if err != nil {
			return err
		}
		return flags.run(cmd, func(ctx context.Context, c *rollout.Cluster, o rollout.Options) error {
			return c.Snapshot(ctx, list, o)
		})
	}
	return cmd
}

func parseSnapshots(args []string) ([]rollout.Snapshot, error) {
	if len(args) == 0 {
		return nil, errors.New("no snapshot; expected VM=SNAPSHOT@CONTENT")
	}
	list := make([]rollout.Snapshot, 0, len(args))
	seen := map[string]bool{}
	for _, arg := range args {
		s, err := rollout.ParseSnapshot(arg)
		if err != nil {
			return nil, err
		}
		if seen[s.Machine] {
			return nil, fmt.Errorf("two snapshots of %q; expected one", s.Machine)
		}
		seen[s.Machine] = true
		list = append(list, s)
	}
	return list, nil
}
