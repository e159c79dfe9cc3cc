package status

import (
	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// lastRestore is the annotation with which KubeVirt marks a VM that it has restored (kubevirt v1.8.4,
// pkg/storage/snapshot/restore.go).
const lastRestore = "restore.kubevirt.io/lastRestoreUID"

// restoreFacts returns the fact that a VM that Git restores from a snapshot is not restored: the Job has failed, or a
// sync of selected objects ran none.
func (p *reader) restoreFacts(s *impact.Subject) []Fact {
	value, noted := cluster.Annotation(s.New, labels.Restore), cluster.Annotation(s.Live.Object, labels.Restore)
	from := approval.ParseRestore(value)
	switch {
	case from.Token == "":
	case value != noted && p.hasFailed(s.ID.Namespace, s.ID.Name+"="+value):
		return []Fact{{
			State: StateFailed, Code: FactNotRestored,
			Says:   "nothing was changed, because the restore from the snapshot " + from.Snapshot + " has failed",
			Advice: "the log of the Job tells why; repair the cause, and sync again",
		}}
	case value == noted && cluster.Annotation(s.Live.Object, lastRestore) == "" && !p.isRestored(s, from):
		return []Fact{{
			State: StateFailed, Code: FactNotRestored,
			Says: "was not restored from the snapshot " + from.Snapshot +
				": a sync of selected objects runs no Job, and a new VM has nothing to restore",
			Advice: "remove restoreFrom, or restore the VM with the next token of vmrender plan --live",
		}}
	}
	return nil
}

// isRestored reports whether the cluster has the complete restore of a VM.
func (p *reader) isRestored(s *impact.Subject, from approval.Restore) bool {
	restore := p.Live.Get(cluster.KindRestore, s.ID.Namespace, from.Object(s.ID.Name))
	return manifest.At(restore, "status", "complete") == true
}
