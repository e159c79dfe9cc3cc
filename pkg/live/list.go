package live

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/compare"
	"github.com/vmrender/vmrender/pkg/rollout"
)

// List lists objects of a cluster as a stream of manifests, and returns the kinds that may not be read.
type List func(context.Context, *rollout.Cluster) (stream []byte, unread []string, err error)

// Of lists the state of the VMs and of the layers in Git.
func Of(git ...compare.Loaded) List { return listOf(namespacesOf(git), layersOf(git)) }

// Drain lists what decides about a drain of a node.
func Drain(ctx context.Context, c *rollout.Cluster) ([]byte, []string, error) { return c.Drain(ctx) }

// Drill lists what decides about a rebuild of all VMs at another site.
func Drill(ctx context.Context, c *rollout.Cluster) ([]byte, []string, error) { return c.Drill(ctx) }

// listOf lists the state of the VMs in namespaces, and reads the objects with these identities.
func listOf(namespaces []string, named []rollout.Wanted) List {
	return func(ctx context.Context, c *rollout.Cluster) ([]byte, []string, error) {
		vms, unread, err := c.State(ctx, namespaces)
		if err != nil {
			return nil, nil, err
		}
		others, unreadToo, err := c.Named(ctx, named)
		return slices.Concat(vms, others), slices.Concat(unread, unreadToo), err
	}
}

// machineKinds are the kinds in whose namespaces the state is read.
var machineKinds = []string{"VirtualMachine", "VirtualMachinePool", "DataVolume", "Plan"}

// namespacesOf returns the namespaces of the VMs in Git, sorted.
func namespacesOf(git []compare.Loaded) []string {
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

// layersOf returns the identities of the objects of platforms, sorted.
func layersOf(git []compare.Loaded) []rollout.Wanted {
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
