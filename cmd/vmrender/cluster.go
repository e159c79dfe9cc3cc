package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/rollout"
)

// clusterFlags are the flags of the commands that run as Jobs in a cluster.
type clusterFlags struct {
	namespace  string
	kubeconfig string
	timeout    time.Duration
}

func (f *clusterFlags) register(cmd *cobra.Command, timeout time.Duration) {
	cmd.Flags().StringVarP(&f.namespace, "namespace", "n", "", "`namespace` of the VirtualMachines (required)")
	cmd.Flags().DurationVar(&f.timeout, "timeout", timeout, "timeout per VirtualMachine and step")
	completeFlag(cmd, "namespace", cobra.NoFileCompletions)
	completeFlag(cmd, "timeout", cobra.NoFileCompletions)
	kubeconfigFlag(cmd, &f.kubeconfig)
}

func kubeconfigFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "kubeconfig", "", "kubeconfig `file` of the cluster")
}

// check returns an error if a flag is missing or invalid.
func (f *clusterFlags) check() error {
	switch {
	case f.namespace == "":
		return errors.New("no namespace; expected --namespace NAME")
	case f.timeout <= 0:
		return errors.New("invalid --timeout; expected a duration above 0, for example 15m")
	}
	return nil
}

// run connects to the cluster and calls work with a context that a signal cancels.
func (f *clusterFlags) run(
	cmd *cobra.Command, work func(context.Context, *rollout.Cluster, rollout.Options) error,
) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cluster, err := rollout.Connect(f.kubeconfig)
	if err != nil {
		return err
	}
	return work(ctx, cluster, rollout.Options{
		Namespace: f.namespace, Timeout: f.timeout, Log: cmd.ErrOrStderr(), Now: time.Now, Tick: time.Second,
	})
}
