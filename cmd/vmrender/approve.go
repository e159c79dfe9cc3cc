package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/rollout"
)

func newApproveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "approve --namespace NAMESPACE VERSION...",
		Short: "Approve the versions of operators that Git pins",
		Long: `Approve the InstallPlans of a namespace that install only the given VERSIONs, and wait
until each VERSION is installed or approved. A VERSION is the name of a
ClusterServiceVersion. No other InstallPlan is changed.

If there is no such InstallPlan before the timeout, the exit status is 1, and the
message lists the InstallPlans that need another approval. If the API server does not
answer for the timeout, or refuses the same request for three minutes, it is 75.

The chart operators renders the Job that runs this command, with the permissions it
needs. It does so for operators with "approval: Manual" and "startingCSV" if
"approver.image" is set.`,
		Example: `  vmrender approve --namespace openshift-cnv kubevirt-hyperconverged-operator.v4.20.3`,
	}
	flags := new(clusterFlags)
	flags.register(cmd, 30*time.Minute)
	cmd.Flags().Lookup("namespace").Usage = "`namespace` of the operators (required)"
	cmd.Flags().Lookup("timeout").Usage = "timeout for the InstallPlans"
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if err := flags.check(); err != nil {
			return err
		}
		_, err := rollout.ParseVersions(args)
		return err
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return flags.run(cmd, func(ctx context.Context, c *rollout.Cluster, o rollout.Options) error {
			o.Tick = 5 * time.Second // OLM needs longer than a second for a plan
			return c.Approve(ctx, args, o)
		})
	}
	return cmd
}
