package status

import (
	"cmp"
	"slices"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
	"github.com/vmrender/vmrender/pkg/world"
)

// New returns the state in the cluster of the VMs in Git. exported is what the cluster has, declared what is known of
// its settings otherwise, and reviews what the layers with `approve` are about. No fact comes from observedGeneration,
// which does not converge after live changes (github.com/kubevirt/kubevirt/issues/18700).
func New(
	wanted []manifest.Object, declared cluster.Settings, exported []manifest.Object, reviews ...*approval.Layer,
) *Status {
	state := append([]manifest.Object{}, exported...) // known, even if it is empty
	p := &reader{pairs.New(wanted, wanted, declared, state)}
	p.Index()
	out := &Status{Counts: map[State]int{}}
	seen := map[*pairs.Pair]bool{}
	for i := range p.Pairs {
		switch pair := &p.Pairs[i]; {
		case pair.IsMachine():
			out.VMs = append(out.VMs, p.stand(pair, seen))
		case cluster.KindOf(pair.ID) == impact.KindPlan:
			out.VMs = append(out.VMs, p.moves(pair)...)
		}
	}
	apps := p.Applications()
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
	p.Reviews(reviews)
	out.Notes = p.Notes
	return out
}

// reader reads how far the objects of Git have come in the cluster.
type reader struct{ *pairs.Set }

// stand returns the standing of one VM. It marks the disks that it checks as seen.
func (p *reader) stand(pair *pairs.Pair, seen map[*pairs.Pair]bool) Standing {
	s := p.Subject(pair)
	s.Live = p.Live.Machine(pair.ID)
	s.Disks = p.DisksOf(s)
	for _, disk := range p.ownDisks(s) {
		seen[disk] = true
	}
	if s.Live == nil {
		return standing(pair.ID, p.absent(pair))
	}
	out := standing(pair.ID, slices.Concat(
		p.powerFacts(s), p.diskFacts(s), p.syncFacts(s, pair), p.applicationFacts(s), p.changeFacts(s),
		heldFacts(s), p.rolloutFacts(s), p.snapshotFacts(s), p.scheduleFacts(s), p.powerJobFacts(s), p.patchFacts(s),
		p.restoreFacts(s), p.operationFacts(s),
	))
	out.Stopped = s.Live.Running == cluster.No
	return out
}

// absent returns the fact that the cluster does not have an object of Git.
func (p *reader) absent(pair *pairs.Pair) []Fact {
	f := Fact{
		State: StateNotSynced, Code: FactMissing, Says: "is not in the cluster",
		Advice: "sync its Application; if a sync has failed, its message contains the reason",
	}
	if !p.Live.Lacks(pair.ID) {
		f.Approximate = "whether the state in the cluster has all of the namespace"
	}
	return []Fact{f}
}

// ownDisks returns the DataVolumes and claims of Git that a VM uses.
func (p *reader) ownDisks(s *impact.Subject) []*pairs.Pair {
	var out []*pairs.Pair
	for _, name := range world.Claims(world.Spec(world.Template(s.New))) {
		for _, kind := range [][2]string{{"cdi.kubevirt.io", "DataVolume"}, {"", "PersistentVolumeClaim"}} {
			if d := p.Find(kind[0], kind[1], s.ID.Namespace, name); d != nil && !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	return out
}

// rolloutFacts returns what the rollout of a VM reports about it.
func (p *reader) rolloutFacts(s *impact.Subject) []Fact {
	id := manifest.Text(s.Live.Object, "metadata", "labels", labels.Rollout)
	if id == "" {
		return nil
	}
	name := id + labels.RolloutSuffix
	lease := p.Live.Get(cluster.KindLease, s.ID.Namespace, name)
	at, stopped := labels.ParsePairs(cluster.Annotation(lease, labels.Stopped))[s.ID.Name]
	isCurrent := s.Live.IsCurrent()
	switch {
	case stopped && at == cluster.Annotation(s.Live.Object, labels.Content) && isCurrent != cluster.Yes:
		f := Fact{
			State: StateFailed, Code: FactRolloutStopped, Says: "a rollout has stopped at it (Lease " + name + ")",
			Advice: "find the reason why it was not ready in time; " +
				"a rollout skips it until it changes, or until you run it with --retry",
		}
		if isCurrent == cluster.Unknown {
			f.Approximate = "whether it has come up since: the state in the cluster lacks its instance"
		}
		return []Fact{f}
	case p.AwaitsRollout(s.ID.Namespace, s.ID.Name) && p.Live.IsHeld(lease):
		return []Fact{{State: StateUnderWay, Code: FactUnderWay, Says: "a rollout is running, and restarts it in its turn"}}
	}
	return nil
}

// operationFacts returns what is going on with a VM.
func (p *reader) operationFacts(s *impact.Subject) []Fact {
	operations := p.Operations(s)
	out := make([]Fact, 0, len(operations))
	for _, c := range operations {
		out = append(out, Fact{State: StateUnderWay, Code: FactUnderWay, Says: c.Reason})
	}
	return out
}

// leftOver returns the VMs that the Applications of the fleet track, or that vmrender
// has rendered, and that Git does not have.
func (p *reader) leftOver(apps []string) []Standing {
	var out []Standing
	for _, kind := range []string{cluster.KindVM, cluster.KindPool} {
		for _, e := range p.Live.ByKind[kind] {
			if p.ByKey[cluster.KeyOf(e.ID)] != nil || len(manifest.List(e.Object, "metadata", "ownerReferences")) > 0 {
				continue
			}
			if f, ok := p.isLeftOver(e, apps); ok {
				out = append(out, standing(e.ID, []Fact{f}))
			}
		}
	}
	return out
}

func (p *reader) isLeftOver(e cluster.Entity, apps []string) (Fact, bool) {
	f := Fact{State: StateLeftOver, Code: FactLeftOver, Says: "is in the cluster, but not in Git"}
	app := p.Live.Application(e.ID)
	switch {
	case app != "" && slices.Contains(apps, app):
		f.Says += ", but the Application " + app + " tracks it"
		if p.Live.LostApplication(e.ID) != "" {
			f.Says = "is in the cluster, but neither in Git nor in an Application: " + app + ", which tracks it, does not exist"
		}
		f.Approximate = "whether Git has it in a part of the Application that is not compared"
	case app == "" && len(apps) == 0 && cluster.IsRendered(e.Object) && slices.Contains(p.Namespaces(), e.ID.Namespace):
		f.Approximate = "whether another fleet has it"
	default:
		return f, false
	}
	f.Advice = "put it back into Git, or delete it in the cluster"
	if cluster.SyncOption(e.Object, "Prune") == "false" {
		option := "Prune=false"
		if cluster.Annotation(e.Object, labels.Wave) != "" {
			option = "prune: disabled" // of Flux
		}
		f.Says += "; " + option + " keeps it"
	}
	f.Says += p.holdings(e)
	return f, true
}

// statusNotes adds the facts about the whole.
func (p *reader) statusNotes(apps []string) {
	p.Syncs(apps)
	p.SelfHeals(apps)
	p.failedSyncs(apps)
	p.LostApplications()
	p.SelectiveSyncs(apps)
	p.Rollouts(p.Namespaces())
	p.failedJobs()
	p.oldDisks()
	p.youngDisks()
}

// otherObjects returns the standings of the objects that are neither VMs nor seen as their disks, and that are not as
// Git has them.
func (p *reader) otherObjects(seen map[*pairs.Pair]bool) []Standing {
	var out []Standing
	for i := range p.Pairs {
		pair := &p.Pairs[i]
		if pair.IsMachine() || seen[pair] {
			continue
		}
		facts := p.objectFacts(pair)
		if p.Live.Lacks(pair.ID) && !p.IsUnseen(pair) {
			facts = p.absent(pair)
		}
		if len(facts) > 0 {
			out = append(out, standing(pair.ID, facts))
		}
	}
	return out
}

// failedSyncs notes the Applications whose last sync has failed.
func (p *reader) failedSyncs(apps []string) {
	for _, name := range apps {
		state := manifest.At(p.Live.FindApplication(name), "status", "operationState")
		if phase := manifest.Text(state, "phase"); phase == "Failed" || phase == "Error" {
			p.Note("the last sync of the Application %s, of %s, has failed%s",
				name, pairs.RevisionOf(state), wording.Because(manifest.Text(state, "message")))
		}
	}
}

// failedJobs notes the Jobs of vmrender that have failed.
func (p *reader) failedJobs() {
	for _, ns := range p.Namespaces() {
		for _, job := range p.Live.Of(cluster.KindJob, ns) {
			if cluster.IsRendered(job.Object) && cluster.Is(job.Object, "Failed") == cluster.Yes {
				p.Note("%s: the Job %s has failed%s", ns, job.ID.Name, cluster.BecauseOf(job.Object, "Failed"))
			}
		}
	}
}

// applicationFacts returns the fact that nothing syncs a VM, because the Application that tracks it is gone.
func (p *reader) applicationFacts(s *impact.Subject) []Fact {
	name := p.Live.LostApplication(s.ID)
	if name == "" {
		return nil
	}
	return []Fact{{
		State: StateNotSynced, Code: FactNoApplication, Advice: pairs.AdviceNoApplication,
		Says: "the Application " + name + " that tracks it does not exist: nothing syncs it",
	}}
}
