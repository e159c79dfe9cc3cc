package status

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
)

// snapshotFacts returns the fact that a change waits because the snapshot before it failed.
func (p *reader) snapshotFacts(s *impact.Subject) []Fact {
	content := cluster.Annotation(s.New, labels.Content)
	if content == cluster.Annotation(s.Live.Object, labels.Content) {
		return nil
	}
	snap, isOurs := p.Newest(s.ID.Namespace, s.ID.Name, content, s.Live.Object)
	reason, failed := pairs.SnapshotFailure(snap.Object)
	excluded := stringsOf(manifest.At(snap.Object, "status", "snapshotVolumes", "excludedVolumes"))
	if !failed && excluded != "" && p.hasFailed(s.ID.Namespace, s.ID.Name+"="+content) {
		reason, failed = "it is without "+excluded, true
	}
	if !isOurs || !failed {
		return nil
	}
	return []Fact{{
		State: StateFailed, Code: FactNoSnapshot,
		Says: "nothing was changed, because the snapshot " + snap.ID.Name + " before the change failed" +
			wording.Because(reason),
		Advice: "repair the cause; the next sync takes another snapshot",
	}}
}

// scheduleFacts returns the fact that the newest snapshot on the schedule of the VM has failed.
func (p *reader) scheduleFacts(s *impact.Subject) []Fact {
	schedule := cluster.Annotation(s.New, labels.Snapshots)
	if schedule == "" {
		return nil
	}
	var newest cluster.Entity
	for _, snap := range p.Live.Of(cluster.KindSnapshot, s.ID.Namespace) {
		isOf := manifest.Text(snap.Object, "spec", "source", "name") == s.ID.Name &&
			manifest.Text(snap.Object, "metadata", "labels", labels.Schedule) != ""
		if isOf && cluster.Created(snap.Object) >= cluster.Created(newest.Object) {
			newest = snap
		}
	}
	reason, failed := pairs.SnapshotFailure(newest.Object)
	if !failed {
		return nil
	}
	return []Fact{{
		State: StateFailed, Code: FactScheduleFailed,
		Says: "the newest snapshot of its schedule (" + schedule + "), " + newest.ID.Name + ", has failed" +
			wording.Because(reason),
		Advice: "repair the cause; the next run takes another snapshot, and older ones stay until one is ready",
	}}
}

// hasFailed reports whether the cluster has a failed Job with an argument, or with more after an "@".
func (p *reader) hasFailed(namespace, argument string) bool {
	return slices.ContainsFunc(p.Live.Of(cluster.KindJob, namespace), func(job cluster.Entity) bool {
		return cluster.Is(job.Object, "Failed") == cluster.Yes &&
			slices.ContainsFunc(pairs.JobArguments(job.Object), func(a any) bool {
				text, _ := a.(string)
				return strings.HasPrefix(text+"@", argument+"@")
			})
	})
}
