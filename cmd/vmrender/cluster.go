package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/rollout"
	"github.com/vmrender/vmrender/pkg/source"
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
	if f.namespace == "" {
		return errors.New("no namespace; expected --namespace NAME")
	}
	return f.checkTimeout()
}

func (f *clusterFlags) checkTimeout() error {
	if f.timeout <= 0 {
		return errors.New("invalid --timeout; expected a duration above 0, for example 15m")
	}
	return nil
}

// readJobFile reads a file that a Job mounts.
func readJobFile[T any](file string, parse func([]byte) (T, error)) (T, error) {
	text, err := source.ReadFile(file)
	if err != nil {
		return *new(T), fmt.Errorf("%s: %w", file, err)
	}
	parsed, err := parse(text)
	if err != nil {
		return parsed, fmt.Errorf("reading %s: %w", file, err)
	}
	return parsed, nil
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
