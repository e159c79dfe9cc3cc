package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/cli"
	"github.com/vmrender/vmrender/internal/process"
	"github.com/vmrender/vmrender/pkg/compare"
	"github.com/vmrender/vmrender/pkg/live"
)

// liveFlags are the flags that name the source of the state in the cluster: an export, or
// the cluster itself.
type liveFlags struct{ live.Source }

func (f *liveFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.From, "live", "", "state in the cluster: an export `FILE`, - for standard input, "+
		"or "+live.Cluster+" to read it there")
	kubeconfigFlag(cmd, &f.Kubeconfig)
	cmd.Flags().StringVar(&f.Context, "context", "", "`name` of a context of the kubeconfig")
	completeFlag(cmd, "context", cobra.NoFileCompletions)
}

// check returns an error if the flags do not fit together or to the arguments.
func (f *liveFlags) check(_ *cobra.Command, args []string) error {
	switch {
	case f.Kubeconfig+f.Context != "" && !f.IsCluster():
		return errors.New("--kubeconfig and --context name a cluster; use them with --live " + live.Cluster)
	case f.From == "-" && slices.Contains(args, "-"):
		return errors.New(`--live and an argument are both "-"; standard input can be only one of them`)
	}
	return nil
}

// load reads the state of the VMs and of the layers in Git.
func (f *liveFlags) load(cmd *cobra.Command, git ...compare.Loaded) (live.State, error) {
	return f.read(cmd, live.Of(git...))
}

// loadDrill reads the state of all VMs, and of what brings their disks to another site.
func (f *liveFlags) loadDrill(cmd *cobra.Command, _ ...compare.Loaded) (live.State, error) {
	return f.read(cmd, live.Drill)
}

// read reads what a list has, and says so if it takes long. An interrupt ends the requests to a cluster; one while an
// export is read, which waits for standard input, ends the process.
func (f *liveFlags) read(cmd *cobra.Command, list live.List) (state live.State, err error) {
	ctx := cmd.Context()
	if f.IsCluster() {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
	}
	in := live.Input{Stdin: cmd.InOrStdin(), Room: makeRoom()}
	cli.During(cmd, "reading the live state", func() { state, err = f.Read(ctx, in, list) })
	return state, err
}

// makeRoom returns a function that prepares the process for texts with objects of a cluster, which a plan or status
// keeps as trees.
func makeRoom() func(bytes int) {
	sum := 0
	return func(bytes int) {
		sum += bytes
		process.Room(sum)
	}
}
