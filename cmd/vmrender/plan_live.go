package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/process"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/compare"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rollout"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// liveFlags are the flags that name the source of the state in the cluster: an export, or
// the cluster itself.
type liveFlags struct{ from, kubeconfig, context string }

// theCluster is the value of --live for the cluster itself.
const theCluster = "cluster"

func (f *liveFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.from, "live", "", "state in the cluster: an export `FILE`, - for standard input, "+
		"or "+theCluster+" to read it there")
	kubeconfigFlag(cmd, &f.kubeconfig)
	cmd.Flags().StringVar(&f.context, "context", "", "`name` of a context of the kubeconfig")
	completeFlag(cmd, "context", cobra.NoFileCompletions)
}

func (f *liveFlags) given() bool { return f.from != "" }

// check returns an error if the flags do not fit together or to the arguments.
func (f *liveFlags) check(_ *cobra.Command, args []string) error {
	switch {
	case f.kubeconfig+f.context != "" && f.from != theCluster:
		return errors.New("--kubeconfig and --context name a cluster; use them with --live " + theCluster)
	case f.from == "-" && slices.Contains(args, "-"):
		return errors.New(`--live and an argument are both "-"; standard input can be only one of them`)
	}
	return nil
}

// state is what the cluster has.
type state struct {
	label    string
	exported string              // RFC 3339; empty if unknown
	objects  []manifest.Object   // nil if it was not asked for
	unread   []string            // the kinds that may not be read
	diags    *source.Diagnostics // of reading the export
}

// load reads the state of the VMs and of the layers in Git.
func (f *liveFlags) load(cmd *cobra.Command, git ...compare.Loaded) (state, error) {
	if !f.given() {
		return state{diags: new(source.Diagnostics)}, nil
	}
	if f.from == theCluster {
		return f.query(cmd, stateOf(machineNamespaces(git), layerObjects(git)))
	}
	return f.export(cmd)
}

// loadDrain reads the state that decides about a drain of a node.
func (f *liveFlags) loadDrain(cmd *cobra.Command) (state, error) {
	if f.from == theCluster {
		return f.query(cmd, drainState)
	}
	return f.export(cmd)
}

// loadDrill reads the state of all VMs, and of what brings their disks to another site.
func (f *liveFlags) loadDrill(cmd *cobra.Command, _ ...compare.Loaded) (state, error) {
	if f.from == theCluster {
		return f.query(cmd, drillState)
	}
	return f.export(cmd)
}

// export reads the state from an export.
func (f *liveFlags) export(cmd *cobra.Command) (state, error) {
	s := state{label: "the export " + f.from}
	if f.from == "-" {
		s.label = "the export on standard input"
	}
	l := compare.Export(f.from, cmd.InOrStdin(), makeRoom())
	s.objects, s.diags = l.Objects, l.Diags
	if len(s.objects) == 0 && !s.diags.HasErrors() {
		s.diags.Errorf(source.Pos{File: l.Label}, rule.EmptyFile, "",
			"no objects; expected an export, see docs/how-to/live.md")
	}
	s.exported = cluster.Exported(s.objects)
	return s, nil
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

// query reads the state from the cluster.
func (f *liveFlags) query(cmd *cobra.Command, list lister) (state, error) {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	client, name, err := rollout.Dial(f.kubeconfig, f.context)
	if err != nil {
		return state{}, err
	}
	objects, unread, err := readObjects(ctx, client, list, manifest.Reader{Trees: true, Room: makeRoom()})
	if err != nil && objects == nil {
		return state{}, err
	}
	return state{
		label: "the cluster of context " + name, exported: cluster.Exported(objects), objects: objects, unread: unread,
		diags: new(source.Diagnostics),
	}, err
}

// lister lists objects of a cluster as a stream of manifests, and returns the kinds that may not be read.
type lister func(context.Context, *rollout.Cluster) (stream []byte, unread []string, err error)

// stateOf lists the state of the VMs in namespaces, and reads the objects with these identities.
func stateOf(namespaces []string, named []rollout.Wanted) lister {
	return func(ctx context.Context, c *rollout.Cluster) ([]byte, []string, error) {
		vms, unread, err := c.State(ctx, namespaces)
		if err != nil {
			return nil, nil, err
		}
		others, unreadToo, err := c.Named(ctx, named)
		return slices.Concat(vms, others), slices.Concat(unread, unreadToo), err
	}
}

// drainState lists what decides about a drain of a node.
func drainState(ctx context.Context, c *rollout.Cluster) ([]byte, []string, error) {
	return c.Drain(ctx)
}

// drillState lists what decides about a rebuild of all VMs at another site.
func drillState(ctx context.Context, c *rollout.Cluster) ([]byte, []string, error) {
	return c.Drill(ctx)
}

// readObjects reads objects from the cluster, and returns what it could not read.
func readObjects(
	ctx context.Context, client *rollout.Cluster, list lister, as manifest.Reader,
) (objects []manifest.Object, unread []string, err error) {
	stream, unread, err := list(ctx, client)
	if err != nil {
		return nil, nil, err
	}
	objects, err = as.Read(bytes.NewReader(stream))
	if objects == nil {
		objects = []manifest.Object{}
	}
	return objects, unread, err
}

// machineKinds are the kinds in whose namespaces the state is read.
var machineKinds = []string{"VirtualMachine", "VirtualMachinePool", "DataVolume", "Plan"}

// layerObjects returns the identities of the objects of platforms, sorted.
func layerObjects(git []compare.Loaded) []rollout.Wanted {
	all := map[rollout.Wanted]bool{}
	for i := range git {
		if git[i].Layers == nil {
			continue
		}
		for k := range git[i].Objects {
			id := git[i].Objects[k].ID
			all[rollout.Wanted{ID: id, Default: git[i].Layers.Namespaces[git[i].Layers.Layer(id)]}] = true
		}
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b rollout.Wanted) int {
		return cmp.Or(a.Compare(b.ID), strings.Compare(a.Default, b.Default))
	})
}

// machineNamespaces returns the namespaces of the VMs in Git, sorted.
func machineNamespaces(git []compare.Loaded) []string {
	all := map[string]bool{}
	for i := range git {
		for k := range git[i].Objects {
			if id := git[i].Objects[k].ID; slices.Contains(machineKinds, id.Kind) && id.Namespace != "" {
				all[id.Namespace] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// notes returns what the reader must know about the state and the settings.
func (s *state) notes(settings []string) []string {
	if s.objects == nil {
		return nil
	}
	note := "compared with " + s.label
	if s.exported != "" {
		note += ", whose newest time is " + s.exported
	}
	if len(settings) > 0 {
		note += "; its settings count: " + strings.Join(settings, ", ")
	}
	return []string{note}
}

// unknown returns what the plan leaves open without the state.
func (s *state) unknown() []string {
	if s.objects == nil {
		return []string{"the state in the cluster"}
	}
	if len(s.unread) > 0 {
		return []string{"what may not be read in the cluster: " + strings.Join(s.unread, ", ")}
	}
	return nil
}
