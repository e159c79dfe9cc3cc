package plan

import (
	"cmp"
	"slices"
	"time"

	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// NewStatus returns the state in the cluster of the VMs in Git. [Options.Live] is what the
// cluster has. No fact comes from observedGeneration, which does not converge after live
// changes (github.com/kubevirt/kubevirt/issues/18700).
func NewStatus(wanted []manifest.Object, o Options) *Status {
	state := append([]manifest.Object{}, o.Live...) // known, even if it is empty
	p := &planner{live: readLive(state), pairs: pairs(wanted, wanted), out: &Plan{}}
	p.readCluster(o.Cluster, state)
	p.index()
	out := &Status{Counts: map[State]int{}}
	seen := map[*pair]bool{}
	for i := range p.pairs {
		switch pair := &p.pairs[i]; {
		case pair.isMachine():
			out.VMs = append(out.VMs, p.stand(pair, seen))
		case kindOf(pair.id) == kindPlan:
			out.VMs = append(out.VMs, p.moves(pair)...)
		}
	}
	apps := p.applications()
	out.VMs = append(out.VMs, p.leftOver(apps)...)
	out.Objects = p.otherObjects(seen)
	for _, list := range [][]Standing{out.VMs, out.Objects} {
		slices.SortStableFunc(list, func(a, b Standing) int {
			return cmp.Or(cmp.Compare(b.State, a.State), a.ID.Compare(b.ID))
		})
	}
	for i := range out.VMs {
		out.Counts[out.VMs[i].State]++
	}
	p.statusNotes(apps)
	out.Notes = p.out.Notes
	return out
}

// stand returns the standing of one VM. It marks the disks that it checks as seen.
func (p *planner) stand(pair *pair, seen map[*pair]bool) Standing {
	s := p.subject(pair)
	s.live = p.live.machine(pair.id)
	s.disks = p.disksOf(s)
	for _, disk := range p.ownDisks(s) {
		seen[disk] = true
	}
	if s.live == nil {
		return standing(pair.id, p.absent(pair))
	}
	out := standing(pair.id, slices.Concat(
		p.powerFacts(s), p.diskFacts(s), p.syncFacts(s, pair), p.applicationFacts(s), p.changeFacts(s),
		p.rolloutFacts(s), p.snapshotFacts(s), p.operationFacts(s),
	))
	out.Stopped = s.live.running == no
	return out
}

// absent returns the fact that the cluster does not have an object of Git.
func (p *planner) absent(pair *pair) []Fact {
	f := Fact{
		State: StateNotSynced, Code: FactMissing, Says: "is not in the cluster",
		Advice: "sync its Application; if a sync has failed, its message contains the reason",
	}
	if !p.live.lacks(pair.id) {
		f.Approximate = "whether the state in the cluster has all of the namespace"
	}
	return []Fact{f}
}

// ownDisks returns the DataVolumes and claims of Git that a VM uses.
func (p *planner) ownDisks(s *subject) []*pair {
	var out []*pair
	for _, name := range world.Claims(world.Spec(world.Template(s.new))) {
		for _, kind := range []key{{group: "cdi.kubevirt.io", kind: "DataVolume"}, {kind: "PersistentVolumeClaim"}} {
			if d := p.find(kind.group, kind.kind, s.id.Namespace, name); d != nil && !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	return out
}

// rolloutFacts returns what the rollout of a VM reports about it.
func (p *planner) rolloutFacts(s *subject) []Fact {
	id := manifest.Text(s.live.object, "metadata", "labels", labels.Rollout)
	if id == "" {
		return nil
	}
	name := id + labels.RolloutSuffix
	lease := p.live.get(kindLease, s.id.Namespace, name)
	at, stopped := labels.ParsePairs(annotation(lease, labels.Stopped))[s.id.Name]
	isCurrent := s.live.isCurrent()
	switch {
	case stopped && at == annotation(s.live.object, labels.Content) && isCurrent != yes:
		f := Fact{
			State: StateFailed, Code: FactRolloutStopped, Says: "a rollout has stopped at it (Lease " + name + ")",
			Advice: "find the reason why it was not ready in time; " +
				"a rollout skips it until it changes, or until you run it with --retry",
		}
		if isCurrent == unknown {
			f.Approximate = "whether it has come up since: the state in the cluster lacks its instance"
		}
		return []Fact{f}
	case p.awaitsRollout(s.id.Namespace, s.id.Name) && p.live.isHeld(lease):
		return []Fact{{State: StateUnderWay, Code: FactUnderWay, Says: "a rollout is running, and restarts it in its turn"}}
	}
	return nil
}

// isCurrent reports whether a VM needs nothing of a rollout: it is ready, runs from its disks, and no change waits for
// a restart. That counts more than what a rollout has recorded before, as in package rollout.
func (m *liveMachine) isCurrent() truth {
	switch {
	case m.restartRequired || is(m.object, "Ready") != yes:
		return no
	case m.instance == nil:
		return unknown
	}
	isOther := func(volume any) bool {
		claim := world.ClaimOf(volume)
		running := manifest.At(m.instance, "spec", "volumes", "["+manifest.EntryName(volume)+"]")
		return claim != "" && !isHotpluggable(volume) && world.ClaimOf(running) != claim
	}
	volumes := manifest.List(world.Spec(m.object), "volumes")
	return known(is(m.instance, "Ready") == yes && !slices.ContainsFunc(volumes, isOther))
}

// leaseTime is how long a run of a rollout holds its Lease after the last renewal, with room for
// what lies between the objects of an export.
const leaseTime = 2 * time.Minute

// isHeld reports whether a run of a rollout holds its Lease.
func (l *live) isHeld(lease tree) bool {
	age, known := l.age(manifest.Text(lease, "spec", "renewTime"))
	return manifest.Text(lease, "spec", "holderIdentity") != "" && (!known || age < leaseTime)
}

// operationFacts returns what is going on with a VM.
func (p *planner) operationFacts(s *subject) []Fact {
	operations := p.operations(s)
	out := make([]Fact, 0, len(operations))
	for _, c := range operations {
		out = append(out, Fact{State: StateUnderWay, Code: FactUnderWay, Says: c.Reason})
	}
	return out
}

// leftOver returns the VMs that the Applications of the fleet track, or that vmrender
// has rendered, and that Git does not have.
func (p *planner) leftOver(apps []string) []Standing {
	var out []Standing
	for _, kind := range []string{kindVM, kindPool} {
		for _, e := range p.live.byKind[kind] {
			if p.byKey[keyOf(e.id)] != nil || len(manifest.List(e.object, "metadata", "ownerReferences")) > 0 {
				continue
			}
			if f, ok := p.isLeftOver(e, apps); ok {
				out = append(out, standing(e.id, []Fact{f}))
			}
		}
	}
	return out
}

func (p *planner) isLeftOver(e entity, apps []string) (Fact, bool) {
	f := Fact{State: StateLeftOver, Code: FactLeftOver, Says: "is in the cluster, but not in Git"}
	app := p.live.application(e.id)
	switch {
	case app != "" && slices.Contains(apps, app):
		f.Says += ", but the Application " + app + " tracks it"
		if p.live.lostApplication(e.id) != "" {
			f.Says = "is in the cluster, but neither in Git nor in an Application: " + app + ", which tracks it, does not exist"
		}
		f.Approximate = "whether Git has it in a part of the Application that is not compared"
	case app == "" && len(apps) == 0 && isRendered(e.object) && slices.Contains(p.namespaces(), e.id.Namespace):
		f.Approximate = "whether another fleet has it"
	default:
		return f, false
	}
	f.Advice = "put it back into Git, or delete it in the cluster"
	if syncOption(e.object, "Prune") == "false" {
		f.Says += "; Prune=false keeps it"
	}
	return f, true
}

// statusNotes adds the facts about the whole.
func (p *planner) statusNotes(apps []string) {
	p.syncs(apps)
	p.failedSyncs(apps)
	p.lostApplications()
	p.selectiveSyncs(apps)
	p.rollouts(p.namespaces())
	p.failedJobs()
	p.oldDisks()
	p.youngDisks()
}

// otherObjects returns the standings of the objects that are neither VMs nor seen as their disks, and that are not as
// Git has them.
func (p *planner) otherObjects(seen map[*pair]bool) []Standing {
	var out []Standing
	for i := range p.pairs {
		pair := &p.pairs[i]
		if pair.isMachine() || seen[pair] {
			continue
		}
		facts := p.objectFacts(pair)
		if p.live.lacks(pair.id) && !p.isUnseen(pair) {
			facts = p.absent(pair)
		}
		if len(facts) > 0 {
			out = append(out, standing(pair.id, facts))
		}
	}
	return out
}

// failedSyncs notes the Applications whose last sync has failed.
func (p *planner) failedSyncs(apps []string) {
	for _, name := range apps {
		state := manifest.At(p.live.findApplication(name), "status", "operationState")
		if phase := manifest.Text(state, "phase"); phase == "Failed" || phase == "Error" {
			p.note("the last sync of the Application %s, of %s, has failed%s",
				name, revisionOf(state), because(manifest.Text(state, "message")))
		}
	}
}

// failedJobs notes the Jobs of vmrender that have failed.
func (p *planner) failedJobs() {
	for _, ns := range p.namespaces() {
		for _, job := range p.live.of(kindJob, ns) {
			if isRendered(job.object) && is(job.object, "Failed") == yes {
				p.note("%s: the Job %s has failed%s", ns, job.id.Name, becauseOf(job.object, "Failed"))
			}
		}
	}
}
