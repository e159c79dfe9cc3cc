package drill

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// appNamespace is the annotation of a DRPlacementControl with the namespace that it protects, if that is not its own:
// Ramen sets it (internal/controller/drplacementcontrol_controller.go, DRPCAppNamespace).
const appNamespace = "drplacementcontrol.ramendr.openshift.io/app-namespace"

// placement reads a DRPlacementControl (Ramen, api/v1alpha1/drplacementcontrol_types.go).
func (d *driller) placement(e cluster.Entity) func(*claim) answer {
	namespaces := manifest.List(e.Object, "spec", "protectedNamespaces")
	if len(namespaces) == 0 {
		namespaces = []any{orElse(e.Object, []string{"metadata", "annotations", appNamespace}, e.ID.Namespace)}
	}
	return func(c *claim) answer {
		if !slices.Contains(namespaces, any(c.namespace)) {
			return answer{}
		}
		a := chosen(e, c)
		if a.selects && cluster.Is(e.Object, "Protected") == cluster.No {
			return doubts("whether the " + named(e.ID) + " protects its disks: its condition Protected is False")
		}
		return a
	}
}

// ramenGroup reads a VolumeReplicationGroup, which Ramen creates in the cluster (api/v1alpha1/
// volumereplicationgroup_types.go).
func (d *driller) ramenGroup(e cluster.Entity) func(*claim) answer {
	namespaces := append(manifest.List(e.Object, "spec", "protectedNamespaces"), e.ID.Namespace)
	isHere := manifest.Text(e.Object, "spec", "replicationState") != "secondary"
	return func(c *claim) answer {
		if !isHere || !slices.Contains(namespaces, any(c.namespace)) {
			return answer{}
		}
		return chosen(e, c)
	}
}

// The recipe that Ramen has for VMs, the parameter with the values by which it selects their disks, and the label with
// them (Ramen, internal/controller/core/recipes.go).
const (
	vmRecipe         = "vm-recipe"
	recipeDisks      = "PVC_RESOURCE_SELECTOR"
	labelOfResources = "ramendr.openshift.io/k8s-resource-selector"
)

// chosen returns whether Ramen selects a disk: by its recipe, or else by its labels.
func chosen(e cluster.Entity, c *claim) answer {
	protection := manifest.At(e.Object, "spec", "kubeObjectProtection")
	switch recipe := manifest.Text(protection, "recipeRef", "name"); recipe {
	case "":
		return keptIf(cluster.Selects(manifest.At(e.Object, "spec", "pvcSelector"), c.labels))
	case vmRecipe:
		values := manifest.List(protection, "recipeParameters", recipeDisks)
		return keptIf(slices.Contains(values, c.labels[labelOfResources]))
	default:
		return doubts("which disks the Recipe " + recipe + " of the " + named(e.ID) + " selects")
	}
}

// replication reads a VolumeReplication (csi-addons v0.12, api/replication.storage/v1alpha1).
func (d *driller) replication(e cluster.Entity) func(*claim) answer {
	source := manifest.At(e.Object, "spec", "dataSource")
	isOfClaim := manifest.Text(source, "kind") == cluster.KindClaim
	return d.primary(e, func(c *claim) bool { return isOfClaim && manifest.Text(source, "name") == c.name })
}

// replicationGroup reads a VolumeGroupReplication (csi-addons v0.12, api/replication.storage/v1alpha1).
func (d *driller) replicationGroup(e cluster.Entity) func(*claim) answer {
	selector := manifest.At(e.Object, "spec", "source", "selector")
	return d.primary(e, func(c *claim) bool { return cluster.Selects(selector, c.labels) })
}

// primary returns the answer of a replication of disks of its namespace: a secondary one receives them.
func (d *driller) primary(e cluster.Entity, selects func(*claim) bool) func(*claim) answer {
	state := manifest.Text(e.Object, "spec", "replicationState")
	return func(c *claim) answer {
		switch {
		case c.namespace != e.ID.Namespace || !selects(c):
			return answer{}
		case state != "primary":
			return fails("is " + state + ", so it sends nothing")
		}
		return kept
	}
}

// movers are the ways of VolSync to bring a disk to another site (v0.12, api/v1alpha1/replicationsource_types.go).
var movers = []string{"rsync", "rsyncTLS", "rclone", "restic", "syncthing", "external"}

// replicationSource reads a ReplicationSource of VolSync.
func (d *driller) replicationSource(e cluster.Entity) func(*claim) answer {
	spec := manifest.At(e.Object, "spec")
	isMover := func(name string) bool { return manifest.At(spec, name) != nil }
	return func(c *claim) answer {
		switch {
		case c.namespace != e.ID.Namespace || manifest.Text(spec, "sourcePVC") != c.name:
			return answer{}
		case manifest.At(spec, "paused") == true:
			return fails("is paused")
		case !slices.ContainsFunc(movers, isMover):
			return fails("has no mover")
		}
		return kept
	}
}

// replicationDestination reads a ReplicationDestination of VolSync, which is for the other site: what sends to it is
// unknown.
func (d *driller) replicationDestination(e cluster.Entity) func(*claim) answer {
	spec := manifest.At(e.Object, "spec")
	return func(c *claim) answer {
		for _, mover := range movers {
			if c.namespace == e.ID.Namespace && manifest.Text(spec, mover, "destinationPVC") == c.name {
				return doubts("whether a ReplicationSource sends " + c.name + " to the " + named(e.ID))
			}
		}
		return answer{}
	}
}
