package main

import (
	"cmp"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/intake"
	"github.com/vmrender/vmrender/pkg/live"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/starter"
)

// read reads the objects of all inputs.
func (f *importFlags) read(cmd *cobra.Command, args []string) ([]manifest.Object, error) {
	in := intake.Inputs{
		Files: args, Cluster: f.kubeconfig+f.context != "", Chart: f.chart, Values: f.values, Namespaces: f.namespaces,
		Params: f.params,
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	if f.options.Name == "" {
		f.options.Name = starter.FleetName(cmp.Or(f.dir, "imported"))
	}
	if in.Cluster {
		return f.query(cmd)
	}
	if len(f.namespaces) == 1 {
		f.options.Namespace = f.namespaces[0]
	}
	in.Options = f.options
	result, diags, err := in.Read(cmd.InOrStdin())
	if reported := problems.Report(cmd.ErrOrStderr(), diags); err == nil {
		err = reported
	}
	f.origins, f.incomplete = result.Origins, result.Incomplete
	return result.Objects, err
}

// query reads the VMs from the cluster, and what belongs to them.
func (f *importFlags) query(cmd *cobra.Command) ([]manifest.Object, error) {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cluster := live.Source{From: live.Cluster, Kubeconfig: f.kubeconfig, Context: f.context}
	return cluster.VMs(ctx, f.namespaces)
}
