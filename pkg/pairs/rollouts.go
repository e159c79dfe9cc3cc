package pairs

import (
	"maps"
	"slices"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// AwaitsRollout reports whether a VM waits for the restart of a rollout that was not
// done: a new rollout also restarts it, unless it has stopped at this content.
func (p *Set) AwaitsRollout(namespace, name string) bool {
	pair := p.Find("kubevirt.io", "VirtualMachine", namespace, name)
	if p.Live == nil || pair == nil || pair.New == nil {
		return false
	}
	m := p.Live.Machine(pair.ID)
	if m == nil || !m.RestartRequired || m.Running != cluster.Yes {
		return false
	}
	vm := manifest.Decode(pair.New)
	id := manifest.Text(vm, "metadata", "labels", labels.Rollout)
	if id == "" || cluster.Annotation(vm, labels.Lifecycle) == labels.Pet {
		return false
	}
	lease := p.Live.Get(cluster.KindLease, namespace, id+labels.RolloutSuffix)
	at, stopped := labels.ParsePairs(cluster.Annotation(lease, labels.Stopped))[name]
	return !stopped || at != cluster.Annotation(vm, labels.Content)
}

// Rollouts adds the rollouts that have stopped at VMs that have not come up since, and the Jobs of earlier syncs that
// run.
func (p *Set) Rollouts(namespaces []string) {
	for _, ns := range namespaces {
		for _, lease := range p.Live.Of(cluster.KindLease, ns) {
			stopped := labels.ParsePairs(cluster.Annotation(lease.Object, labels.Stopped))
			maps.DeleteFunc(stopped, func(name, _ string) bool {
				id := manifest.ID{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachine", Namespace: ns, Name: name}
				m := p.Live.Machine(id)
				return m != nil && m.IsCurrent() == cluster.Yes
			})
			if names := keysOf(stopped); len(names) > 0 {
				p.Note("%s: an earlier rollout (Lease %s) stopped at %s: a rollout skips these VMs "+
					"until they change again, or until you run it with --retry", ns, lease.ID.Name, wording.Some(names))
			}
		}
		for _, job := range p.Live.Of(cluster.KindJob, ns) {
			if cluster.IsRendered(job.Object) && quantities.Count(manifest.At(job.Object, "status", "active"), 0) > 0 {
				p.Note("%s: the Job %s of an earlier sync is running", ns, job.ID.Name)
			}
		}
	}
}

func keysOf(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
