package plan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
)

// sayRestored writes into the causes of a VM what a restore from a snapshot loses, as far as it is known, and the token
// that a restore without one needs.
func (p *planner) sayRestored(s *impact.Subject, causes []impact.Cause) {
	for i := range causes {
		c := &causes[i]
		if c.Code != impact.CodeRestored && c.Code != impact.CodeRestoreNoted {
			continue
		}
		of := approval.ParseRestore(cluster.Annotation(s.New, labels.Restore))
		switch {
		case of.Snapshot == "":
			c.Reason = "it only notes from what the VM was restored"
		case c.Code == impact.CodeRestoreNoted:
			c.Reason = "restores nothing without its token"
			p.noteRestore(s, of, "to restore the VM")
		default:
			p.judgeRestore(s, of, c)
		}
	}
}

// noteRestore notes the line that restores a VM, whatever else happens to it, and what is lost with it.
func (p *planner) noteRestore(s *impact.Subject, of approval.Restore, why string) {
	p.Note("%s/%s: %s, write %s: %s",
		s.ID.Namespace, s.ID.Name, why, p.restoreLine(s, of.Snapshot), p.restoreLoss(s, of))
}

// judgeRestore writes what a restore does into its cause.
func (p *planner) judgeRestore(s *impact.Subject, of approval.Restore, c *impact.Cause) {
	done := p.Live.Get(cluster.KindRestore, s.ID.Namespace, of.Object(s.ID.Name))
	switch problem := p.restoreProblem(s, of.Snapshot); {
	case manifest.At(done, "status", "complete") == true:
		c.Level, c.When = impact.Metadata, ""
		c.Reason = "nothing is restored: the token has been used, at " + manifest.Text(done, "status", "restoreTime")
		p.noteRestore(s, of, "to restore the VM once more")
	case problem != "":
		c.Level, c.When = impact.Refused, ""
		c.Reason = problem + ": the Job of the restore fails, and nothing of the sync is applied"
		c.Advice = "name a snapshot of this VM that is ready"
	default:
		c.Reason = "a Job stops the VM and puts the disks of the snapshot in place of its own: " + p.restoreLoss(s, of)
	}
}

// restoreProblem returns why the snapshot cannot be restored, or "" if nothing is known against it.
func (p *planner) restoreProblem(s *impact.Subject, name string) string {
	snap := p.Live.Get(cluster.KindSnapshot, s.ID.Namespace, name)
	_, failed := pairs.SnapshotFailure(snap)
	switch source := manifest.Text(snap, "spec", "source", "name"); {
	case snap == nil && p.Live != nil && p.Live.Covers("snapshot.kubevirt.io", "VirtualMachineSnapshot", s.ID.Namespace):
		return "there is no snapshot " + name
	case snap == nil:
		return ""
	case source != s.ID.Name:
		return "the snapshot " + name + " is of the VM " + wording.Sentence(source)
	case failed:
		return "the snapshot " + name + " has failed"
	case manifest.At(snap, "status", "readyToUse") != true:
		return "the snapshot " + name + " is not ready to use"
	}
	uid := manifest.Text(snap, "status", "sourceUID")
	if live := manifest.Text(s.InCluster, "metadata", "uid"); uid != "" && live != "" && uid != live {
		return "the snapshot " + name + " is of an earlier VM of this name"
	}
	return ""
}

// restoreLoss returns what is lost, for users.
func (p *planner) restoreLoss(s *impact.Subject, of approval.Restore) string {
	snap := p.Live.Get(cluster.KindSnapshot, s.ID.Namespace, of.Snapshot)
	at := manifest.Text(snap, "status", "creationTime")
	if at == "" {
		return "what was written since the snapshot " + of.Snapshot + " is lost"
	}
	age, known := p.Live.Age(at)
	return fmt.Sprintf("what was written since %s, %s, is lost", at, ago(age, known))
}

// restoreLine returns the line of the entry that restores a VM, with the next token that was not used.
func (p *planner) restoreLine(s *impact.Subject, snapshot string) string {
	used := 0
	for _, vm := range []manifest.Tree{s.Old, s.Git, s.InCluster} {
		used = max(used, restoreNumber(approval.ParseRestore(cluster.Annotation(vm, labels.Restore)).Token))
	}
	for _, e := range p.Live.Of(cluster.KindRestore, s.ID.Namespace) {
		if token, ours := strings.CutPrefix(e.ID.Name, approval.Restore{}.Object(s.ID.Name)); ours {
			used = max(used, restoreNumber(token))
		}
	}
	token := approval.RestoreToken(used+1, s.ID.Namespace, s.ID.Name, snapshot)
	return fmt.Sprintf("restoreFrom: {snapshot: %s, token: %s}", snapshot, token)
}

// restoreNumber returns the number of a token, or 0 if it has none.
func restoreNumber(token string) int {
	number, _, _ := strings.Cut(token, "-")
	n, _ := strconv.Atoi(number)
	return n
}
