package plan

import (
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
	"github.com/vmrender/vmrender/pkg/upgrade"
	"github.com/vmrender/vmrender/pkg/world"
)

// Options are the inputs of [New] in addition to the objects.
type Options struct {
	Cluster cluster.Settings
	// Live are the objects in the cluster: VMs, instances, migrations, disks,
	// claims, snapshots, restores, Jobs, Leases, quotas, storage classes, nodes, Applications,
	// and KubeVirt's settings. Nil if unknown; any kind can be left out.
	Live []manifest.Object
	// Applied is true if the old side is what the cluster has, and not a revision; see [pairs.FromCluster].
	Applied bool
	// Upgrade is an upgrade of the platform that the plan also covers; nil for none. Its
	// versions count more than those that the cluster reports.
	Upgrade *upgrade.Upgrade
	// Types finds instance types and preferences that neither the cluster nor one of the sides has: those that KubeVirt
	// installs. Nil for none.
	Types impact.TypeLookup
	// Was and Now are the directories of the entries of VMs on both sides, relative to that of the fleet, by
	// NAMESPACE/NAME. Nil if they do not matter, or are not known.
	Was, Now map[string]string
	// WasLayers and NowLayers are the layers of a platform on both sides; nil for what is none.
	WasLayers, NowLayers *world.Layers
	// Hold is the level from which the fleet holds changes; None if it holds none.
	Hold impact.Level
}

// New returns what a sync does that turns one set of objects into another. Objects
// whose JSON is the same on both sides cost next to nothing, so both sides should be
// written by the same program.
func New(was, now []manifest.Object, o Options) *Plan {
	p := &planner{Set: pairs.New(was, now, o.Cluster, o.Live), was: o.Was, now: o.Now, common: o.Types, out: &Plan{}}
	p.holdFrom, p.Applied = o.Hold, o.Applied
	if o.Upgrade != nil {
		p.toVersion(o)
	}
	p.layered = layered{was: o.WasLayers, now: o.NowLayers}
	p.settleLayers()
	p.Attach()
	p.linkAll()
	p.findResynced()
	p.findMoving()
	p.findSuccessors()
	for i := range p.Pairs {
		if pair := &p.Pairs[i]; pair.IsMachine() {
			p.machine(pair)
		} else if !pair.IsSame() && !p.linked[pair] {
			p.object(pair)
		}
	}
	p.collide()
	p.outages()
	p.jobs()
	p.upgrade(o.Upgrade)
	p.nameFlux()
	p.addNotes()
	p.out.Notes = p.Notes
	p.out.Summary = summary(p.out)
	return p.out
}

// planner builds a plan.
type planner struct {
	*pairs.Set
	layered

	// links are the changed disks, claims and Secrets of VMs.
	links  map[*pairs.Pair][]*pairs.Pair
	linked map[*pairs.Pair]bool
	// successors are the VMs that are the same under another name, by the one
	// that goes; predecessors the reverse.
	successors, predecessors map[*pairs.Pair]*pairs.Pair
	// takers are the VMs whose next start takes a claim or an address, and collisions the causes of
	// those that another VM has at the same time.
	takers     []*pairs.Pair
	collisions map[*pairs.Pair][]impact.Cause

	// was and now are the directories of VMs; see [Options].
	was, now map[string]string

	// types are the instance types and preferences of both sides, and common those that KubeVirt installs.
	types  map[cluster.Key]manifest.Tree
	common impact.TypeLookup

	// moving are the names of the Plans that move VMs into the cluster.
	moving map[cluster.Key]string

	// resynced is true if a sync also recreates VMs that do not change.
	resynced bool

	// restarts are the VMs that are restarted.
	restarts map[cluster.Key]bool

	// holdFrom is the level from which changes are held; None if none are.
	holdFrom impact.Level

	// observed is the version of KubeVirt that the cluster reports; empty if unknown.
	observed string

	// migrating are the VMs that migrate, as far as the state in the cluster is known.
	migrating []manifest.ID

	// filled are the disks that the sync fills.
	filled filled

	out *Plan
}

// object adds the verdict on an object that does not belong to a VM.
func (p *planner) object(pair *pairs.Pair) {
	if v := verdict(pair.ID, p.inLayer(pair, p.Causes(pair))); v.Level > impact.None {
		p.out.Objects = append(p.out.Objects, v)
	}
}
