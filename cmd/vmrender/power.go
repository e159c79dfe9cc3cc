package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/rollout"
)

const powerLong = `Stop ("off") or start ("on") the VirtualMachines that are named, and wait until each
is stopped or ready. The lowest sync wave is started first, and the highest is stopped
first, so that a VirtualMachine runs only while those run that it depends on.

A VirtualMachine that runs already is not restarted. One that is paused, or whose run
strategy in the cluster is neither RerunOnFailure nor Manual, is left alone: a stop would
change the run strategy. One that migrates, or whose disks are being copied, is stopped
when that is done.

What a user has started or stopped since the last run is stopped or started as well.
The Event of the VirtualMachine then has the type Warning, and the reason PowerOffOverride
or PowerOnOverride instead of PowerOff or PowerOn. To know that, the command stores which
VirtualMachines it has stopped in an annotation of the Lease ID. It changes nothing else of
them: the run strategy stays as it is.

A VirtualMachine that is not done within the timeout holds back no others. If there is
one, the exit status is 1. If the API server does not answer for the timeout, or refuses
the same request for three minutes, the exit status is 75, and another run resumes.

A fleet with "power" renders the CronJobs that run this command, with the permissions they
need.`

// powerActions are what the command does.
var powerActions = []string{"off", "on"}

func newPowerCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "power {off | on} --namespace NAMESPACE --id ID VM...",
		Short: "Stop or start VMs in a cluster on a schedule",
		Long:  powerLong,
		Example: `  vmrender power off --namespace prod --id now --kubeconfig ~/.kube/config app db
  vmrender power on --namespace prod --id now --kubeconfig ~/.kube/config app db`,
	}
	flags := new(clusterFlags)
	flags.register(cmd, 15*time.Minute)
	var power rollout.Power
	cmd.Flags().StringVar(&power.ID, "id", "", "`name` of the Lease of the runs (required)")
	completeFlag(cmd, "id", cobra.NoFileCompletions)
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return powerActions, cobra.ShellCompDirectiveNoFileComp
	}
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if err := flags.check(); err != nil {
			return err
		}
		return readPower(&power, args)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if power.Holder, err = holder(); err != nil {
			return err
		}
		return flags.run(cmd, func(ctx context.Context, c *rollout.Cluster, o rollout.Options) error {
			return c.Power(ctx, power, o)
		})
	}
	return cmd
}

// readPower reads the arguments into what the command does.
func readPower(power *rollout.Power, args []string) error {
	switch {
	case power.ID == "":
		return errors.New("no id; expected --id ID")
	case len(args) == 0 || !slices.Contains(powerActions, args[0]):
		return fmt.Errorf("expected off or on first%s", given(args))
	case len(args) == 1:
		return errors.New("no VirtualMachine; expected the names of VirtualMachines")
	}
	names := slices.Clone(args[1:])
	slices.Sort(names)
	power.Off, power.Machines = args[0] == "off", slices.Compact(names)
	return nil
}

// given returns the first argument for a message, or "".
func given(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return fmt.Sprintf(", not %q", args[0])
}
