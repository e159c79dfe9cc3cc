package drill

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// shield is an object that brings disks to another site.
type shield struct {
	name   string // such as "Schedule openshift-adp/nightly"
	covers func(*claim) answer
}

// answer is what a shield does for a disk. The zero value is nothing.
type answer struct {
	selects bool
	// fails is why the shield does not bring the disk to another site, although it selects it: the rest of a sentence
	// about the shield.
	fails string
	// doubts are what it depends on and the inputs lack.
	doubts []string
}

// kept is the answer of a shield that brings a disk to another site.
var kept = answer{selects: true}

// keptIf is kept for the disks that the shield selects.
func keptIf(selects bool) answer { return answer{selects: selects} }

func fails(reason string) answer { return answer{selects: true, fails: reason} }

func doubts(what ...string) answer { return answer{selects: true, doubts: what} }

// verdict is whether any shield keeps a disk at another site.
type verdict struct {
	is      cluster.Truth
	by      string   // the shield, if one does for certain
	why     string   // the rest of a sentence about the disk, if none does for certain
	unknown []string // what it depends on, and the inputs lack
}

// saved returns whether a disk comes back from another site.
func (d *driller) saved(c *claim) verdict {
	v := verdict{is: cluster.No, why: "no backup or replica of it leaves this site"}
	var failed []string
	for _, s := range d.shields {
		switch a := s.covers(c); {
		case !a.selects:
		case a.fails != "":
			failed = append(failed, "the "+s.name+" "+a.fails)
		case len(a.doubts) > 0:
			v.is = cluster.Unknown
			v.unknown = append(v.unknown, a.doubts...)
		default:
			return verdict{is: cluster.Yes, by: s.name}
		}
	}
	if len(failed) > 0 {
		v.why += ": " + strings.Join(failed, ", and ")
	}
	v.unknown = append(v.unknown, d.unseen...)
	slices.Sort(v.unknown)
	v.unknown = slices.Compact(v.unknown)
	return v
}

// shieldKinds are the kinds of objects that bring disks to another site, and how each is read. VolumeSnapshots and
// VirtualMachineSnapshots are not among them: they are in the storage of this site.
var shieldKinds = []struct {
	kind string
	read func(*driller, cluster.Entity) func(*claim) answer
}{
	{kindSchedule, (*driller).schedule},
	{kindBackup, (*driller).backup},
	{"DRPlacementControl.ramendr.openshift.io", (*driller).placement},
	{"VolumeReplicationGroup.ramendr.openshift.io", (*driller).ramenGroup},
	{"VolumeReplication.replication.storage.openshift.io", (*driller).replication},
	{"VolumeGroupReplication.replication.storage.openshift.io", (*driller).replicationGroup},
	{"ReplicationSource.volsync.backube", (*driller).replicationSource},
	{"ReplicationDestination.volsync.backube", (*driller).replicationDestination},
}

// findShields finds the shields of Git and of the cluster. Of an object that both have, that of the cluster counts: it
// has a status, and what Git has is not in effect yet.
func (d *driller) findShields() {
	isSeen := d.isWhole
	for _, k := range shieldKinds {
		live := d.Live.ByKind[k.kind]
		isSeen = isSeen || len(live) > 0
		all := slices.Clone(live)
		for _, e := range d.git.ByKind[k.kind] {
			if d.Live.Object(e.ID) == nil {
				all = append(all, e)
			}
		}
		for _, e := range all {
			if covers := k.read(d, e); covers != nil {
				d.shields = append(d.shields, shield{named(e.ID), covers})
			}
		}
	}
	if !isSeen {
		d.unseen = []string{"whether the cluster has backups or replicas: its state has no objects of Velero, Ramen, " +
			"csi-addons or VolSync"}
	}
}

// either returns an object of the cluster, or else of Git.
func (d *driller) either(kind, namespace, name string) manifest.Tree {
	if object := d.Live.Get(kind, namespace, name); object != nil {
		return object
	}
	return d.git.Get(kind, namespace, name)
}
