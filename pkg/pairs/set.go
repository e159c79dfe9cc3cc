package pairs

import (
	"maps"
	"slices"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// Set is the objects of two states of Git, each next to the other, and what the cluster has of them.
type Set struct {
	Cluster cluster.Settings
	Live    *cluster.State // nil if unknown
	// Applied is true if the old side is what the cluster has, and not a revision; see [FromCluster].
	Applied bool
	Pairs   []Pair
	ByKey   map[cluster.Key]*Pair

	// Notes are facts about the whole, for users.
	Notes []string
	// Differs are the objects that differ in the cluster from the old side in Git, in ways that touch no running VM.
	Differs []manifest.ID
	// snapshotted are the VMs of which a Job in Git takes snapshots; nil before they are found.
	snapshotted map[cluster.Key]bool
}

// New returns the objects of two states of Git. state is what the cluster has, nil if unknown, and declared what is
// known of its settings otherwise. Nothing is found in it before it is indexed.
func New(was, now []manifest.Object, declared cluster.Settings, state []manifest.Object) *Set {
	p := &Set{Live: cluster.Read(state), Pairs: pairUp(was, now)}
	p.Cluster, _ = cluster.ReadSettings(declared, state)
	if p.Live != nil {
		p.Live.Sticky = p.Cluster.KeepsRestart()
	}
	return p
}

// pairUp returns the objects of both sides, by namespace, kind and name. Of several
// with one identity, the last one counts.
func pairUp(was, now []manifest.Object) []Pair {
	byKey := make(map[cluster.Key]int, max(len(was), len(now)))
	out := make([]Pair, 0, max(len(was), len(now)))
	find := func(id manifest.ID) *Pair {
		i, ok := byKey[cluster.KeyOf(id)]
		if !ok {
			i = len(out)
			byKey[cluster.KeyOf(id)] = i
			out = append(out, Pair{})
		}
		out[i].ID = id
		return &out[i]
	}
	for i := range was {
		find(was[i].ID).Old = was[i].JSON
	}
	for i := range now {
		find(now[i].ID).New = now[i].JSON
	}
	slices.SortFunc(out, func(a, b Pair) int { return a.ID.Compare(b.ID) })
	return out
}

// Index finds the pairs of objects.
func (p *Set) Index() {
	p.ByKey = make(map[cluster.Key]*Pair, len(p.Pairs))
	for i := range p.Pairs {
		p.ByKey[cluster.KeyOf(p.Pairs[i].ID)] = &p.Pairs[i]
	}
}

// Causes returns the causes of a pair that is not a VM.
func (p *Set) Causes(pair *Pair) []impact.Cause {
	return impact.CausesOf(p.Subject(pair), impact.ObjectRules())
}

// Find returns the pair of an object, or nil.
func (p *Set) Find(group, kind, namespace, name string) *Pair {
	return p.ByKey[cluster.KeyFor(group, kind, namespace, name)]
}

// Disk returns a DataVolume or claim, as it will be; nil if it is in neither set.
func (p *Set) Disk(namespace, name string) *Pair {
	if d := p.Find("cdi.kubevirt.io", "DataVolume", namespace, name); d != nil {
		return d
	}
	return p.Find("", "PersistentVolumeClaim", namespace, name)
}

// Subject returns a pair with what the cluster reports about it.
func (p *Set) Subject(pair *Pair) *impact.Subject {
	s := pair.Subject(p.Cluster)
	s.State, s.InCluster = p.Live, p.Live.Object(pair.ID)
	return s
}

// DisksOf returns the disks of a VM, by name, as they are before the sync.
func (p *Set) DisksOf(s *impact.Subject) map[string]manifest.Tree {
	out := map[string]manifest.Tree{}
	for _, v := range manifest.List(s.Old, "spec", "dataVolumeTemplates") {
		out[manifest.EntryName(v)], _ = v.(manifest.Tree)
	}
	for _, name := range world.Claims(world.Spec(s.Old)) {
		if d := p.Disk(s.ID.Namespace, name); d != nil && d.Old != nil {
			out[name] = manifest.Decode(d.Old)
		}
	}
	return out
}

// Namespaces returns the namespaces of the VMs of the plan.
func (p *Set) Namespaces() []string {
	all := map[string]bool{}
	for i := range p.Pairs {
		if p.Pairs[i].IsMachine() {
			all[p.Pairs[i].ID.Namespace] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
