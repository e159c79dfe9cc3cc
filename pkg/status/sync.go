package status

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/pairs"
)

// unrecorded is what is not known if an object does not record what Argo CD has applied last.
const unrecorded = "whether a sync is due or the cluster was changed: the object does not say what was applied last"

// syncFacts returns the fields of a VM and its disks that are not as Git has them:
// because no sync has applied them yet, or because they were changed in the cluster.
func (p *reader) syncFacts(s *impact.Subject, machine *pairs.Pair) []Fact {
	out := p.syncFactsOf(machine, "")
	for _, disk := range p.ownDisks(s) {
		if p.Live.Object(disk.ID) == nil {
			if p.Live.Disk(disk.ID.Namespace, disk.ID.Name) == nil && p.Live.Lacks(disk.ID) {
				says := disk.ID.Kind + " " + disk.ID.Name + " is not in the cluster"
				out = append(out, Fact{State: StateNotSynced, Code: FactMissing, Object: disk.ID, Says: says})
			}
			continue
		}
		for _, f := range p.syncFactsOf(disk, disk.ID.Kind+" "+disk.ID.Name+" ") {
			f.Object = disk.ID
			out = append(out, f)
		}
	}
	return out
}

// syncFactsOf returns the facts about the fields of a VM or one of its disks, in the words of the values file.
func (p *reader) syncFactsOf(pair *pairs.Pair, which string) []Fact {
	drift, pending := p.Differences(pair)
	return p.syncFactsAs(pair, drift, pending, which+"was changed in the cluster: "+authored(drift),
		which+"is not synced yet: "+impact.LabelsOf(pending))
}

// objectFacts returns the facts about the fields of another object, with their values.
func (p *reader) objectFacts(pair *pairs.Pair) []Fact {
	drift, pending := p.Differences(pair)
	return p.syncFactsAs(pair, drift, pending, "was changed in the cluster: "+impact.ComparedAll(drift),
		"is not synced yet: "+impact.ComparedAll(pending))
}

// syncFactsAs returns the facts that fields of an object were changed in the cluster, and that others are not synced.
func (p *reader) syncFactsAs(pair *pairs.Pair, drift, pending []impact.FieldStatus, drifted, due string) []Fact {
	var out []Fact
	if len(drift) > 0 {
		out = append(out, Fact{
			State: StateDrift, Code: FactDrift, Fields: drift, Says: drifted,
			Advice: "bring the change into Git if it should stay; the next sync reverts it",
		})
	}
	if len(pending) > 0 {
		f := Fact{
			State: StateNotSynced, Code: FactNotSynced, Fields: pending, Says: due,
			Advice: "sync its Application, or wait for it",
		}
		switch {
		case p.Live.LostApplication(pair.ID) != "":
			f.Advice = pairs.AdviceNoApplication
		case p.TakesSnapshot(pair.ID.Namespace, pair.ID.Name):
			f.Advice = "sync its whole Application, or wait for it: a sync of selected objects takes no snapshot first"
		}
		if cluster.Applied(p.Live.Object(pair.ID)) == nil {
			f.Approximate = unrecorded
		}
		out = append(out, f)
	}
	return out
}

// authored returns the fields with those who have changed them: "memory (kubectl-edit,
// 2026-11-22T03:00:00Z), runStrategy".
func authored(fields []impact.FieldStatus) string {
	out := make([]string, len(fields))
	for i := range fields {
		out[i] = fields[i].Label() + fields[i].Author()
	}
	return strings.Join(out, ", ")
}
