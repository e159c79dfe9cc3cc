package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/rollout"
)

func newReviewCommand() *cobra.Command {
	var kubeconfig string
	cmd := &cobra.Command{
		Use:   "review FILE",
		Short: "Check that the sync of a layer would do what is approved",
		Long: `Compare the approval of a layer of a platform with what the layer renders, and with the
objects in the cluster that it changes. FILE contains both, without the values of fields.
Nothing is changed.

If the layer renders something else than what is approved, or if an object is neither as
it was in the review nor as in Git, the exit status is 1, and the message lists the
objects. If the API server does not answer, it is 75.

A layer with "approve" in platform.yaml has a Job that runs this command before each sync,
with the permissions it needs. The token comes from "vmrender plan".`,
		Example: `  vmrender review /run/review/review.json`,
		Args:    cobra.ExactArgs(1),
	}
	kubeconfigFlag(cmd, &kubeconfig)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		return review(ctx, args[0], kubeconfig)
	}
	return cmd
}

func review(ctx context.Context, file, kubeconfig string) error {
	layer, err := readJobFile(file, rollout.ReadReview)
	if err != nil {
		return err
	}
	cluster, err := rollout.Connect(kubeconfig)
	if err != nil {
		return err
	}
	return cluster.Review(ctx, layer)
}
