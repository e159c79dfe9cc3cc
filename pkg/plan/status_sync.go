package plan

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// unrecorded is what is not known if an object does not record what Argo CD has applied last.
const unrecorded = "whether a sync is due or the cluster was changed: the object does not say what was applied last"

// syncFacts returns the fields of a VM and its disks that are not as Git has them:
// because no sync has applied them yet, or because they were changed in the cluster.
func (p *planner) syncFacts(s *subject, machine *pair) []Fact {
	out := p.syncFactsOf(machine, "")
	for _, disk := range p.ownDisks(s) {
		if p.live.object(disk.id) == nil {
			if p.live.disk(disk.id.Namespace, disk.id.Name) == nil && p.live.lacks(disk.id) {
				says := disk.id.Kind + " " + disk.id.Name + " is not in the cluster"
				out = append(out, Fact{State: StateNotSynced, Code: FactMissing, Object: disk.id, Says: says})
			}
			continue
		}
		for _, f := range p.syncFactsOf(disk, disk.id.Kind+" "+disk.id.Name+" ") {
			f.Object = disk.id
			out = append(out, f)
		}
	}
	return out
}

// syncFactsOf returns the facts about the fields of a VM or one of its disks, in the words of the values file.
func (p *planner) syncFactsOf(pair *pair, which string) []Fact {
	drift, pending := p.differences(pair)
	return p.syncFactsAs(pair, drift, pending, which+"was changed in the cluster: "+authored(drift),
		which+"is not synced yet: "+labelsOf(pending))
}

// objectFacts returns the facts about the fields of another object, with their values.
func (p *planner) objectFacts(pair *pair) []Fact {
	drift, pending := p.differences(pair)
	return p.syncFactsAs(pair, drift, pending, "was changed in the cluster: "+comparedAll(drift),
		"is not synced yet: "+comparedAll(pending))
}

// syncFactsAs returns the facts that fields of an object were changed in the cluster, and that others are not synced.
func (p *planner) syncFactsAs(pair *pair, drift, pending []FieldStatus, drifted, due string) []Fact {
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
		case p.live.lostApplication(pair.id) != "":
			f.Advice = adviceNoApplication
		case p.takesSnapshot(pair.id.Namespace, pair.id.Name):
			f.Advice = "sync its whole Application, or wait for it: a sync of selected objects takes no snapshot first"
		}
		if applied(p.live.object(pair.id)) == nil {
			f.Approximate = unrecorded
		}
		out = append(out, f)
	}
	return out
}

// authored returns the fields with those who have changed them: "memory (kubectl-edit,
// 2026-11-22T03:00:00Z), runStrategy".
func authored(fields []FieldStatus) string {
	out := make([]string, len(fields))
	for i := range fields {
		out[i] = fields[i].label() + fields[i].author()
	}
	return strings.Join(out, ", ")
}

// differences returns the fields of an object in which the cluster differs from Git: those
// that are as Git has them in what Argo CD has applied last were changed in the cluster
// since, and all others wait for a sync.
func (p *planner) differences(pair *pair) (drift, pending []FieldStatus) {
	object := p.live.object(pair.id)
	if object == nil || p.isUnseen(pair) {
		return nil, nil
	}
	was := applied(object)
	if was != nil {
		was = withRunStrategy(was)
	}
	s := p.compared(pair, was)
	for _, c := range changes(s) {
		if isCosmetic(&c) || isTracking(&c) {
			continue
		}
		f := s.field(&c)
		f.By, f.At = authorOf(object, c.path)
		if isChanged(object, was, &c, f.By) {
			drift = append(drift, f)
		} else {
			f.By, f.At = "", ""
			pending = append(pending, f)
		}
	}
	return compactFields(drift), compactFields(pending)
}

// compared returns a VM or another object of Git with what the cluster has of its
// fields as the old side. Was is what Argo CD has applied last, or nil.
func (p *planner) compared(pair *pair, was tree) *subject {
	now := withRunStrategy(manifest.Decode(pair.new))
	before := p.before(pair.id, withRunStrategy(p.live.object(pair.id)), was, now)
	for _, pointer := range p.live.overlooked(pair.id) {
		settle(before, now, pointer)
	}
	return &subject{id: pair.id, old: before, new: now, cluster: p.cluster, state: p.live}
}

// isChanged reports whether a field differs because the cluster was changed: it is as Git has
// it in what Argo CD has applied last. By server-side apply, and without a record, who else owns
// the field has changed it: Argo CD gives up the fields that others change.
func isChanged(object, was tree, c *change, by string) bool {
	last := valueAt(was, c.path)
	if was != nil && equal(c.path, last, c.now) {
		return true
	}
	return by != "" && last == nil && annotation(object, lastApplied) == ""
}

// isTracking reports whether a field is one that Argo CD or kubectl adds to what Git has, or one
// that depends on the Application that Git is rendered for, whose name is not known here.
func isTracking(c *change) bool {
	if len(c.path) != 3 || c.path[0] != "metadata" {
		return false
	}
	return c.path[2] == labels.Rollout && c.was != nil && c.now != nil || slices.Contains(tracking, c.path[2])
}

// tracking are the labels and annotations that Argo CD or kubectl adds to what Git has.
var tracking = []string{
	argocd.TrackingAnnotation, argocd.AnnotationPrefix + "installation-id", "app.kubernetes.io/instance", lastApplied,
}

// valueAt returns the value at the path of a change; of an order, the names of the entries.
func valueAt(object tree, path []string) any {
	if last := len(path) - 1; path[last] == order {
		return joined(manifest.List(object, path[:last]...))
	}
	return manifest.At(object, path...)
}

// field returns a changed field: of a VM, a pool or a disk as the rules name it, which is what the values file has, and
// of other objects by its whole path.
func (s *subject) field(c *change) FieldStatus {
	rules := objectRules()
	switch s.kind() {
	case kindVM:
		rules = machineRules()
	case kindPool, kindDataVolume, kindClaim:
	default:
		rules = nil
	}
	e := &edit{*c, s}
	r, n := find(rules, e)
	if r == nil {
		return FieldStatus{Path: display(c.path), Is: shown(c.path, c.was), Wanted: shown(c.path, c.now)}
	}
	cause := r.cause(e, n)
	return FieldStatus{Path: cause.Path, Key: cause.Key, Is: cause.Old, Wanted: cause.New}
}

// compactFields leaves each field once: of several changes within one, the first.
func compactFields(fields []FieldStatus) []FieldStatus {
	var out []FieldStatus
	for _, f := range fields {
		if !slices.ContainsFunc(out, func(o FieldStatus) bool { return o.Path == f.Path }) {
			out = append(out, f)
		}
	}
	return out
}
