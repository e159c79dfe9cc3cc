package drill

import (
	"fmt"
	"slices"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
	"github.com/vmrender/vmrender/pkg/world"
)

// Input is what a drill reads.
type Input struct {
	// Git is all objects that Git brings to the other site.
	Git []manifest.Object
	// Live is what the cluster has. IsWhole is true if it was read from the cluster itself, and completely: there are
	// no objects of a kind that it lacks.
	Live    []manifest.Object
	IsWhole bool
	// Settings are what is known of the cluster otherwise.
	Settings cluster.Settings
	// Common finds the instance types and preferences that KubeVirt installs; nil if none is known.
	Common impact.TypeLookup
}

// New returns what a rebuild of all VMs at another site would lose.
func New(in Input) *Drill {
	state := append([]manifest.Object{}, in.Live...) // known, even if it is empty
	d := &driller{
		Set: pairs.New(in.Git, in.Git, in.Settings, state), git: cluster.Read(append([]manifest.Object{}, in.Git...)),
		isWhole: in.IsWhole, common: in.Common, clashes: map[cluster.Key][]Loss{}, kept: map[string]int{},
		disks: map[*pairs.Pair]bool{}, out: &Drill{Counts: map[Kind]int{}},
	}
	d.Index()
	d.findShields()
	d.findClashes()
	d.ofGit()
	d.ofCluster()
	d.ofOthers()
	d.sum()
	return d.out
}

// driller collects what a rebuild loses.
type driller struct {
	*pairs.Set
	git     *cluster.State // what Git has, in the form of a cluster
	isWhole bool
	common  impact.TypeLookup
	shields []shield
	// unseen is what is unknown if the cluster shows no objects of backups or replicas; empty otherwise.
	unseen  []string
	clashes map[cluster.Key][]Loss
	kept    map[string]int       // disks, by the shield that keeps them
	disks   map[*pairs.Pair]bool // of VMs
	out     *Drill
}

// vm is a VM of Git or the cluster, or a pool as a VM of its template.
type vm struct {
	id             manifest.ID
	git, live      manifest.Tree // nil if there is none
	instance       manifest.Tree
	isDisposable   bool // what it writes is not kept: cattle, and pools
	isKnownMissing bool // the cluster does not have it
}

// is returns the VM as it is: in the cluster, or else in Git.
func (v *vm) is() manifest.Tree {
	if v.live != nil {
		return v.live
	}
	return v.git
}

// becomes returns the VM as a rebuild makes it: from Git, or else as it is in the cluster.
func (v *vm) becomes() manifest.Tree {
	if v.git != nil {
		return v.git
	}
	return v.live
}

// vmOf returns a VM with what Git and the cluster have of it.
func (d *driller) vmOf(id manifest.ID, git manifest.Tree) *vm {
	v := &vm{id: id, live: d.Live.Object(id), instance: d.Live.Get(cluster.KindInstance, id.Namespace, id.Name)}
	v.isKnownMissing = v.live == nil && (d.isWhole || d.Live.Lacks(id))
	if git != nil {
		v.git = world.Template(git)
	}
	if v.live != nil {
		v.live = world.Template(v.live)
	}
	isCattle := cluster.Annotation(v.becomes(), labels.Lifecycle) == labels.Cattle
	v.isDisposable = isCattle || cluster.KindOf(id) == cluster.KindPool
	return v
}

// ofGit adds the VMs of Git.
func (d *driller) ofGit() {
	for i := range d.Pairs {
		pair := &d.Pairs[i]
		if !pair.IsMachine() {
			continue
		}
		v := d.vmOf(pair.ID, manifest.Decode(pair.New))
		d.out.VMs = append(d.out.VMs, rebuildOf(v.id, slices.Concat(
			d.diskLosses(v), d.stateLosses(v), d.referenceLosses(v), d.networkLosses(v), d.typeLosses(v), d.addressLosses(v),
			d.clashes[cluster.KeyOf(v.id)], d.driftLosses(v, pair),
		)))
	}
}

// ofCluster adds the VMs that only the cluster has, without those that a pool or another object creates.
func (d *driller) ofCluster() {
	for _, kind := range []string{cluster.KindVM, cluster.KindPool} {
		for _, e := range d.Live.ByKind[kind] {
			if d.ByKey[cluster.KeyOf(e.ID)] != nil || len(manifest.List(e.Object, "metadata", "ownerReferences")) > 0 {
				continue
			}
			v := d.vmOf(e.ID, nil)
			missing := Loss{Kind: NotInGit, Object: e.ID, Reason: "is in the cluster, but not in Git"}
			d.out.VMs = append(d.out.VMs, rebuildOf(e.ID, slices.Concat(
				[]Loss{missing}, d.diskLosses(v), d.stateLosses(v),
			)))
		}
	}
}

// sum sorts the VMs, and counts what they lose.
func (d *driller) sum() {
	sortRebuilds(d.out.VMs)
	sortRebuilds(d.out.Objects)
	d.out.Score.VMs = len(d.out.VMs)
	for i := range d.out.VMs {
		r := &d.out.VMs[i]
		switch {
		case len(r.Losses) == 0:
			d.out.Score.Whole++
		case r.IsUnknown():
			d.out.Score.Unknown++
		}
		for kind, n := range r.Counts() {
			d.out.Counts[kind] += n
		}
	}
	d.notes()
}

// notes adds the facts about the whole.
func (d *driller) notes() {
	for _, s := range d.shields {
		if n := d.kept[s.name]; n > 0 {
			d.out.Notes = append(d.out.Notes, fmt.Sprintf("the %s keeps %s elsewhere", s.name,
				wording.Plural(n, "disk", "disks")))
		}
	}
	slices.Sort(d.out.Notes)
	d.out.Notes = slices.Compact(d.out.Notes)
}
