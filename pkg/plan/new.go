package plan

import (
	"maps"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// Options are the inputs of [New] in addition to the objects.
type Options struct {
	Cluster Cluster
	// Live are the objects in the cluster: VMs, instances, migrations, disks,
	// claims, snapshots, restores, Jobs, Leases, quotas, storage classes, nodes, Applications,
	// and KubeVirt's settings. Nil if unknown; any kind can be left out.
	Live []manifest.Object
	// Upgrade is an upgrade of the platform that the plan also covers; nil for none. Its
	// versions count more than those that the cluster reports.
	Upgrade *Upgrade
	// Was and Now are the directories of the entries of VMs on both sides, relative to that of the fleet, by
	// NAMESPACE/NAME. Nil if they do not matter, or are not known.
	Was, Now map[string]string
}

// readCluster sets the cluster, and with it how its state is read.
func (p *planner) readCluster(declared Cluster, state []manifest.Object) {
	p.cluster, _ = ReadCluster(declared, state)
	if p.live != nil {
		p.live.sticky = p.cluster.keepsRestart()
	}
}

// New returns what a sync does that turns one set of objects into another. Objects
// whose JSON is the same on both sides cost next to nothing, so both sides should be
// written by the same program.
func New(was, now []manifest.Object, o Options) *Plan {
	p := &planner{live: readLive(o.Live), pairs: pairs(was, now), was: o.Was, now: o.Now, out: &Plan{}}
	p.readCluster(o.Cluster, o.Live)
	if o.Upgrade != nil {
		p.toVersion(o)
	}
	p.attach()
	p.index()
	p.linkAll()
	p.findResynced()
	p.findMoving()
	p.findSuccessors()
	for i := range p.pairs {
		if pair := &p.pairs[i]; pair.isMachine() {
			p.machine(pair)
		} else if !pair.isSame() && !p.linked[pair] {
			p.object(pair)
		}
	}
	p.collide()
	p.outages()
	p.jobs()
	p.upgrade(o.Upgrade)
	p.notes()
	p.out.Summary = summary(p.out)
	return p.out
}

// planner builds a plan.
type planner struct {
	cluster Cluster
	live    *live
	pairs   []pair
	byKey   map[key]*pair

	// links are the changed disks, claims and Secrets of VMs.
	links  map[*pair][]*pair
	linked map[*pair]bool
	// successors are the VMs that are the same under another name, by the one
	// that goes; predecessors the reverse.
	successors, predecessors map[*pair]*pair
	// takers are the VMs whose next start takes a claim or an address, and collisions the causes of
	// those that another VM has at the same time.
	takers     []*pair
	collisions map[*pair][]Cause

	// was and now are the directories of VMs; see [Options].
	was, now map[string]string

	// moving are the names of the Plans that move VMs into the cluster.
	moving map[key]string

	// resynced is true if a sync also recreates VMs that do not change.
	resynced bool

	// snapshotted are the VMs of which a Job in Git takes snapshots; nil before they are found.
	snapshotted map[key]bool

	// restarts are the VMs that are restarted.
	restarts map[key]bool

	// observed is the version of KubeVirt that the cluster reports; empty if unknown.
	observed string

	// migrating are the VMs that migrate, as far as the state in the cluster is known.
	migrating []manifest.ID

	// differs are the objects that differ in the cluster from the old side in Git, in ways
	// that touch no running VM.
	differs []manifest.ID

	// filled are the disks that the sync fills.
	filled filled

	out *Plan
}

func (p *planner) index() {
	p.byKey = make(map[key]*pair, len(p.pairs))
	for i := range p.pairs {
		p.byKey[keyOf(p.pairs[i].id)] = &p.pairs[i]
	}
}

// find returns the pair of an object, or nil.
func (p *planner) find(group, kind, namespace, name string) *pair {
	return p.byKey[key{group, kind, namespace, name}]
}

// disk returns a DataVolume or claim, as it will be; nil if it is in neither set.
func (p *planner) disk(namespace, name string) *pair {
	if d := p.find("cdi.kubevirt.io", "DataVolume", namespace, name); d != nil {
		return d
	}
	return p.find("", "PersistentVolumeClaim", namespace, name)
}

// subject returns a pair with what the cluster reports about it.
func (p *planner) subject(pair *pair) *subject {
	s := pair.subject(p.cluster)
	s.state, s.inCluster = p.live, p.live.object(pair.id)
	return s
}

// object adds the verdict on an object that does not belong to a VM.
func (p *planner) object(pair *pair) {
	if v := verdict(pair.id, p.causes(pair)); v.Level > None {
		p.out.Objects = append(p.out.Objects, v)
	}
}

// causes returns the causes of a pair that is not a VM.
func (p *planner) causes(pair *pair) []Cause {
	return causesOf(p.subject(pair), objectRules())
}

// causesOf returns the causes of the changes of an object.
func causesOf(s *subject, rules []Rule) []Cause {
	found := findings(s, rules, changes(s))
	out := make([]Cause, len(found))
	for i, f := range found {
		out[i] = f.Cause
	}
	return out
}

// changes returns the changes of an object: [Created], [Removed], or its fields but
// the status.
func changes(s *subject) []change {
	switch {
	case s.old == nil:
		return []change{{path: []string{Created}}}
	case s.new == nil:
		return []change{{path: []string{Removed}}}
	}
	return diff(without(s.old, "status", "apiVersion", "kind"), without(s.new, "status", "apiVersion", "kind"))
}

// without returns a copy of a tree without some of its keys.
func without(t tree, names ...string) tree {
	out := make(tree, len(t))
	maps.Copy(out, t)
	for _, name := range names {
		delete(out, name)
	}
	return out
}

// finding is a cause with the rule that found it.
type finding struct {
	Cause
	rule *Rule
}

// findings applies rules to changes. Changes that a rule takes together are found
// once.
func findings(s *subject, rules []Rule, all []change) []finding {
	var out []finding
	seen := map[string]bool{}
	for _, c := range all {
		e := &edit{c, s}
		r, n := find(rules, e)
		if r == nil {
			continue
		}
		cause := r.cause(e, n)
		if s.isAdopted(&c, &cause) {
			continue
		}
		if s.isDrift(c.path) {
			if cause.Level < Live || isCosmetic(&c) {
				s.settled = s.settled || !isCosmetic(&c)
				continue
			}
			s.revert(&cause, &c)
		}
		id := cause.Path + "\x00" + string(cause.Code)
		if seen[id] || r.Level == None && !r.Warning {
			continue
		}
		seen[id] = true
		out = append(out, finding{cause, r})
	}
	return out
}
