package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/delivery"
	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/output"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

const appHelp = `Print the Argo CD Application that renders the fleet or directory at PATH with the
plugin. PATH defaults to the working directory. Argo CD renders it again after every
commit; with --generate-paths, only after commits that change an input: PATH,
fleet.yaml, platform.yaml, an overlay, or the _defaults.yaml of a parent directory.

With --appset, print an ApplicationSet instead. It has one Application for each
directory that contains VMs, with --generate-paths unless it is false. With --clusters,
it has one for each of these directories on each cluster. With --rolling, the
Applications are synced step by step, and Applications without a step are synced last.

With --with-project, also print the AppProject of a tenant. It allows the
repository, the namespaces of the VMs on the destination, and the kinds that the
fleet renders now. Print it again when these change. Give it to the administrators
of Argo CD, and do not commit it to the tenant's repository.

The default name is that of the fleet, followed by the path. If --namespace,
--overlay, --cluster or --clusters are set, it also contains words for them and a hash,
so no two Applications of a fleet have the same name. --vm, --set, --default and
--server need --name. With --vm, the Application prunes nothing automatically.

With "target: {delivery: flux}", print Kustomizations of Flux instead, one for each
directory that "vmrender template --output-dir" writes: each wave waits until the one
before is healthy. --name and --ignore apply to them, and the flags whose names begin
with --flux. PATH is that of the whole fleet, whose name is the default name.

With --size, print values for the Helm chart argo-cd instead: numbers of servers, memory,
timeouts and parallelism for a fleet on that number of clusters. With --appset and --clusters,
they are for the Applications that these flags create. Put them after the values of the plugin.

The fleet is validated first. If there is an error, it is reported on stderr and
nothing is written to stdout.`

// pathsFlag is the flag whose default depends on another.
const pathsFlag = "generate-paths"

func newAppCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "app [PATH]",
		Short: "Print the Argo CD Application for a fleet or a part of it",
		Long:  appHelp,
		Example: `  vmrender app sites/a | kubectl apply -f -
  vmrender app sites/a --overlay dev.yaml --cluster lab
  vmrender app sites/a/prod --name a-web01 --vm web01
  vmrender app sites/a --appset --rolling lab --rolling prod --max-update 25%
  vmrender app sites/a --project team-a --with-project
  vmrender app fleet --appset --clusters vms=enabled --cluster-overlays clusters
  vmrender app fleet --appset --size 20 > size.yaml
  vmrender app fleet --flux-source OCIRepository/vms --flux-path prod`,
	}
	var o delivery.Options
	flags := new(fleetFlags)
	flags.register(cmd)
	var vms []string
	registerApp(cmd, &o, &vms)
	order := new(fluxFlags)
	order.register(cmd)
	cmd.Args = cobra.MatchAll(argsBetween(0, 1), func(cmd *cobra.Command, _ []string) error {
		if !cmd.Flags().Changed(pathsFlag) {
			o.GeneratePaths = o.AppSet
		}
		o.Fleet = flags.options(cmd, vms)
		return errors.Join(checkSize(cmd, o.Size), o.Check())
	})
	cmd.ValidArgsFunction = completeDirs
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return printApp(cmd, pathArg(args), o, order) }
	return cmd
}

// printApp prints what delivers the fleet at a path.
func printApp(cmd *cobra.Command, path string, o delivery.Options, order *fluxFlags) error {
	if file, ok := (layers.Options{}).File(path); ok {
		return fmt.Errorf("%s: a platform; `vmrender template` prints its Applications", file)
	}
	var kinds kindRecorder
	plan, diags, err := delivery.Read(path, o, kinds.renderMachines)
	if err != nil {
		return err
	}
	if err := problems.Report(cmd.ErrOrStderr(), diags); err != nil {
		return err
	}
	if plan.Fleet().Header.Target.ByFlux() {
		return order.print(cmd, plan, kinds.directories)
	}
	if err := order.reject(cmd); err != nil {
		return err
	}
	if o.Size > 0 {
		return printSize(cmd, plan, kinds.contents)
	}
	object, err := reportPlan(cmd, plan)
	if err != nil {
		return err
	}
	objects, err := withProject(cmd, plan, o.WithProject, kinds.all, object)
	if err != nil {
		return err
	}
	return output.Structs(cmd.OutOrStdout(), manifest.YAML, objects...)
}

// withProject returns the object, after the AppProject if that is printed, too.
func withProject(
	cmd *cobra.Command, plan *delivery.Plan, also bool, kinds []argocd.GroupKind, object any,
) ([]any, error) {
	if !also {
		return []any{object}, nil
	}
	project, notes, err := plan.Project(kinds)
	if err != nil {
		return nil, err
	}
	printNotes(cmd, notes)
	return []any{project, object}, nil
}

// registerApp adds the flags that fleetFlags does not have.
func registerApp(cmd *cobra.Command, o *delivery.Options, vms *[]string) {
	flags := cmd.Flags()
	flags.Lookup("namespace").Usage = "destination `namespace`, for VMs that have none"
	flags.StringArrayVar(vms, "vm", nil, "`name` or namespace/name of a VM to render (repeatable, default all)")
	flags.StringArrayVar(&o.Ignore, "ignore", nil,
		"JSON pointer to a `field` of VirtualMachines that Argo CD ignores, such as /spec/runStrategy (repeatable)")
	flags.StringVar(&o.Repo, "repo", "", "`URL` of the Git repository (default that of the remote \"origin\")")
	flags.StringVar(&o.Revision, "revision", "HEAD", "`branch`, tag or commit to sync; HEAD is the default branch")
	flags.StringVar(&o.Name, "name", "",
		"`name` of the Application, or of the ApplicationSet and prefix of its Applications "+
			"(default from the name of the fleet, PATH and other flags)")
	flags.StringVar(&o.Project, "project", "default", "Argo CD `project`")
	flags.BoolVar(&o.WithProject, "with-project", false,
		"also print the --project: an AppProject that allows only what the fleet renders now")
	flags.StringVar(&o.RestartWindow, "restart-window", "",
		"`schedule` and duration, such as \"0 22 * * 6 4h\" in UTC, for automated syncs of Applications with cattle, "+
			"with --with-project")
	flags.StringVar(&o.PlanURL, "plan-url", "", "`URL` of a page with the plans of the fleet, to which Argo CD links")
	flags.BoolVar(&o.ManualSync, "manual-sync", false,
		"no automated sync, for a fleet that adopts existing VMs")
	flags.BoolVar(&o.GeneratePaths, pathsFlag, false,
		"render again only if a commit changes input files of the Application (default with --appset)")
	flags.StringVar(&o.ArgoCDNamespace, "argocd-namespace", "",
		"`namespace` of Argo CD (default argocd, or openshift-gitops if the target is OpenShift)")
	flags.StringVar(&o.AppNamespace, "app-namespace", "",
		"`namespace` of the Application, if Argo CD serves Applications in any namespace (default that of Argo CD)")
	flags.StringVar(&o.Server, "server", "", "`URL` of the destination's API server (default Argo CD's own cluster)")
	flags.StringVar(&o.Cluster, "cluster", "", "`name` of the destination in Argo CD, instead of --server")
	flags.BoolVar(&o.AppSet, "appset", false, "print an ApplicationSet with one Application per directory")
	flags.StringArrayVar(&o.Clusters, "clusters", nil,
		"label `key=value` of the clusters to deploy to, with --appset (repeatable)")
	flags.StringVar(&o.ClusterOverlays, "cluster-overlays", "",
		"`directory` with an overlay NAME.yaml for each of the --clusters")
	flags.StringArrayVar(&o.Rolling, "rolling", nil,
		"`step` of the sync, with --appset: a directory directly in PATH, or a label key=value of clusters "+
			"(repeatable, in order)")
	flags.IntVar(&o.Size, "size", 0,
		"print values for the Helm chart of Argo CD instead, with servers for the fleet on as many `clusters`")
	flags.StringVar(&o.MaxUpdate, "max-update", "",
		"maximum `number` or percentage of a step's Applications to sync at a time (default all)")
	for _, name := range []string{
		"vm", "ignore", "repo", "revision", "name", "project", "argocd-namespace", "app-namespace", "server", "cluster",
		"clusters", "rolling", "max-update", "restart-window", "plan-url",
		"size",
	} {
		completeFlag(cmd, name, cobra.NoFileCompletions)
	}
	completeFlag(cmd, "cluster-overlays", completeDirs)
}

// reportPlan writes the notes of a plan to stderr and returns the object to print.
func reportPlan(cmd *cobra.Command, plan *delivery.Plan) (any, error) {
	object, notes, err := plan.Object()
	alone, isAlone := errors.AsType[*delivery.AloneError](err)
	if isAlone {
		err = problems.Report(cmd.ErrOrStderr(), alone.Diagnostics)
		notes = append(notes, alone.Error())
	}
	printNotes(cmd, notes)
	return object, err
}

func printNotes(cmd *cobra.Command, notes []string) {
	for _, note := range notes {
		cmd.PrintErrf("note: %s\n", note)
	}
}
