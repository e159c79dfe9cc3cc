package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/delivery"
	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/output"
	"github.com/vmrender/vmrender/pkg/report"
)

func newAppCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "app [PATH]",
		Short: "Print the Argo CD Application for a fleet, or for a part of it",
		Long: `Validate the fleet or directory at PATH (the working directory by default) and
print the Argo CD Application that renders it with the plugin. It is rendered
again when a commit touches what it is made from: PATH, fleet.yaml, the
_defaults.yaml of the directories above, overlays.

With --appset print an ApplicationSet instead: one Application for each
directory that holds VMs, and with --clusters one for each of those on each
cluster. --rolling syncs them step by step; what is in no step comes last.

Errors in the fleet are reported on stderr; nothing is written to stdout then.`,
		Example: `  vmrender app sites/a | kubectl apply -f -
  vmrender app sites/a/prod --cluster east --vm web01
  vmrender app sites/a --appset --rolling lab --rolling prod --max-update 25%
  vmrender app fleet --appset --clusters vms=enabled --cluster-overlays clusters`,
	}
	var o delivery.Options
	flags := new(fleetFlags)
	flags.register(cmd)
	var vms []string
	registerApp(cmd, &o, &vms)
	cmd.Args = cobra.MatchAll(argsBetween(0, 1), func(cmd *cobra.Command, _ []string) error {
		o.Fleet = flags.options(cmd, vms)
		return o.Check()
	})
	cmd.ValidArgsFunction = completeDirs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if file, ok := (layers.Options{}).File(pathArg(args)); ok {
			return fmt.Errorf("%s: a platform; `vmrender template` prints its Applications", file)
		}
		plan, diags, err := delivery.Read(pathArg(args), o, renderMachines)
		if err != nil {
			return err
		}
		if err := report.Problems(cmd.ErrOrStderr(), diags); err != nil {
			return err
		}
		object, err := planned(cmd, plan)
		if err != nil {
			return err
		}
		return output.Struct(cmd.OutOrStdout(), manifest.YAML, object)
	}
	return cmd
}

// registerApp adds the flags that are not those of every fleet.
func registerApp(cmd *cobra.Command, o *delivery.Options, vms *[]string) {
	flags := cmd.Flags()
	flags.Lookup("namespace").Usage = "destination `namespace`: of VMs that have none"
	flags.StringArrayVar(vms, "vm", nil, "`name` or namespace/name of a VM to render (repeatable); all by default")
	flags.StringArrayVar(&o.Ignore, "ignore", nil, "JSON pointer to a `field` of VirtualMachines that is left to others, such as /spec/runStrategy (repeatable)")
	flags.StringVar(&o.Repo, "repo", "", "`URL` of the Git repository; that of the remote \"origin\" by default")
	flags.StringVar(&o.Revision, "revision", "HEAD", "`branch`, tag or commit that is synced; HEAD is the default branch")
	flags.StringVar(&o.Name, "name", "", "`name` of the Application, or of the ApplicationSet and the beginning of its Applications' names; made of the fleet's name and the path by default")
	flags.StringVar(&o.Project, "project", "default", "Argo CD `project`")
	flags.StringVar(&o.ArgoCDNamespace, "argocd-namespace", "", "`namespace` of Argo CD; argocd by default, openshift-gitops where the target is OpenShift")
	flags.StringVar(&o.Server, "server", "", "`URL` of the destination's API server; Argo CD's own cluster by default")
	flags.StringVar(&o.Cluster, "cluster", "", "`name` of the destination in Argo CD, instead of --server")
	flags.BoolVar(&o.AppSet, "appset", false, "print an ApplicationSet with an Application per directory")
	flags.StringArrayVar(&o.Clusters, "clusters", nil, "label `key=value` of the clusters to deploy to, with --appset (repeatable)")
	flags.StringVar(&o.ClusterOverlays, "cluster-overlays", "", "`directory` with an overlay NAME.yaml for every one of the --clusters")
	flags.StringArrayVar(&o.Rolling, "rolling", nil, "a `step` to sync, with --appset: a directory right beneath PATH, or a label key=value of clusters (repeatable, in order)")
	flags.StringVar(&o.MaxUpdate, "max-update", "", "how many Applications of a step are synced at a time, as a `number` or percentage; all by default")
	for _, name := range []string{
		"vm", "ignore", "repo", "revision", "name", "project", "argocd-namespace", "server", "cluster",
		"clusters", "rolling", "max-update",
	} {
		completeFlag(cmd, name, cobra.NoFileCompletions)
	}
	completeFlag(cmd, "cluster-overlays", completeDirs)
}

// planned returns what is to be printed, after the notes about it.
func planned(cmd *cobra.Command, plan *delivery.Plan) (any, error) {
	object, notes, err := plan.Object()
	alone, isAlone := errors.AsType[*delivery.AloneError](err)
	if isAlone {
		err = report.Problems(cmd.ErrOrStderr(), alone.Diagnostics)
		notes = append(notes, alone.Error())
	}
	for _, note := range notes {
		cmd.PrintErrf("note: %s\n", note)
	}
	return object, err
}
