package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/pairs"
)

// snapshots notes the snapshots that exist for the change of a VM: the Job takes
// none if there is one for this very change, and any other shows no data of today.
func (p *planner) snapshots(namespace string, args []any) {
	for _, a := range args {
		s, _ := a.(string)
		name, content, ok := strings.Cut(s, "=")
		vm := p.Live.Get(cluster.KindVM, namespace, name)
		if !ok || vm == nil || cluster.Annotation(vm, labels.Content) == content {
			continue
		}
		if snap, isOurs := p.Newest(namespace, name, content, vm); snap.Object != nil {
			p.Note("%s/%s: %s", namespace, name, p.snapshotNote(snap, isOurs))
		}
	}
}

// fresh is the time for which package rollout counts a snapshot.
const fresh = time.Hour

func (p *planner) snapshotNote(snap cluster.Entity, isOurs bool) string {
	age, known := p.Live.Age(cluster.Created(snap.Object))
	text := fmt.Sprintf("a snapshot before a change to this revision exists: %s, taken %s", snap.ID.Name, ago(age, known))
	if reason, failed := pairs.SnapshotFailure(snap.Object); failed {
		return text + "; it has failed" + wording.Because(reason) + ", so the Job takes another one"
	}
	if isOurs && known && age < fresh {
		return text + "; it is for this change, so the Job takes no other one for an hour"
	}
	return text + "; the Job takes another one"
}

// ago returns an age for users.
func ago(d time.Duration, known bool) string {
	switch {
	case !known:
		return "at an unknown time"
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days before the export", int(d.Hours())/24)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours before the export", int(d.Hours()))
	}
	return fmt.Sprintf("%d minutes before the export", int(d.Minutes()))
}
