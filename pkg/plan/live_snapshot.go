package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// snapshots notes the snapshots that exist for the change of a VM: the Job takes
// none if there is one for this very change, and any other shows no data of today.
func (p *planner) snapshots(namespace string, args []any) {
	for _, a := range args {
		s, _ := a.(string)
		name, content, ok := strings.Cut(s, "=")
		vm := p.live.get(kindVM, namespace, name)
		if !ok || vm == nil || annotation(vm, labels.Content) == content {
			continue
		}
		if snap, isOurs := p.newest(namespace, name, content, vm); snap.object != nil {
			p.note("%s/%s: %s", namespace, name, p.snapshotNote(snap, isOurs))
		}
	}
}

// newest returns the newest snapshot that a Job has taken of a VM before a change to
// a content, and whether it is of the change that comes: from the VM as it is.
func (p *planner) newest(namespace, machine, content string, vm tree) (newest entity, isOurs bool) {
	for _, snap := range p.live.of(kindSnapshot, namespace) {
		change := annotation(snap.object, labels.Change)
		isOf := manifest.Text(snap.object, "spec", "source", "name") == machine && strings.HasSuffix(change, " -> "+content)
		if isOf && created(snap.object) >= created(newest.object) {
			newest = snap
			isOurs = change == fmt.Sprintf("%s/%s: %s -> %s", manifest.Text(vm, "metadata", "uid"),
				compact(manifest.At(vm, "metadata", "generation")), annotation(vm, labels.Content), content)
		}
	}
	return newest, isOurs
}

// snapshotFailure returns why KubeVirt could not take a snapshot, and whether that is so.
func snapshotFailure(snap tree) (reason string, failed bool) {
	return manifest.Text(snap, "status", "error", "message"), manifest.Text(snap, "status", "phase") == "Failed"
}

// snapshotFacts returns the fact that a change waits because the snapshot before it failed.
func (p *planner) snapshotFacts(s *subject) []Fact {
	content := annotation(s.new, labels.Content)
	if content == annotation(s.live.object, labels.Content) {
		return nil
	}
	snap, isOurs := p.newest(s.id.Namespace, s.id.Name, content, s.live.object)
	reason, failed := snapshotFailure(snap.object)
	excluded := stringsOf(manifest.At(snap.object, "status", "snapshotVolumes", "excludedVolumes"))
	if !failed && excluded != "" && p.hasFailed(s.id.Namespace, s.id.Name+"="+content) {
		reason, failed = "it is without "+excluded, true
	}
	if !isOurs || !failed {
		return nil
	}
	return []Fact{{
		State: StateFailed, Code: FactNoSnapshot,
		Says:   "nothing was changed, because the snapshot " + snap.id.Name + " before the change failed" + because(reason),
		Advice: "repair the cause; the next sync takes another snapshot",
	}}
}

// hasFailed reports whether the cluster has a failed Job with an argument.
func (p *planner) hasFailed(namespace, argument string) bool {
	return slices.ContainsFunc(p.live.of(kindJob, namespace), func(job entity) bool {
		return is(job.object, "Failed") == yes && slices.Contains(jobArguments(job.object), any(argument))
	})
}

// takesSnapshot reports whether Git has a Job that takes a snapshot of a VM before it changes.
func (p *planner) takesSnapshot(namespace, name string) bool {
	if p.snapshotted == nil {
		p.snapshotted = map[key]bool{}
		for i := range p.pairs {
			if pair := &p.pairs[i]; kindOf(pair.id) == kindJob && pair.new != nil {
				p.addSnapshotted(pair.id.Namespace, jobArguments(manifest.Decode(pair.new)))
			}
		}
	}
	return p.snapshotted[key{"kubevirt.io", "VirtualMachine", namespace, name}]
}

// addSnapshotted adds the VMs of a Job's arguments, if it takes snapshots.
func (p *planner) addSnapshotted(namespace string, args []any) {
	if !slices.Contains(args, any("snapshot")) {
		return
	}
	for _, a := range args {
		arg, _ := a.(string)
		if name, _, ok := strings.Cut(arg, "="); ok {
			p.snapshotted[key{"kubevirt.io", "VirtualMachine", namespace, name}] = true
		}
	}
}

// selectiveSyncs notes the VMs whose last sync was one of selected objects, for which Argo CD runs no
// hooks (argo-cd v3.2.11, controller/sync.go), although they have a snapshot before each change.
// Self-heal also selects objects, but brings nothing new from Git.
func (p *planner) selectiveSyncs(apps []string) {
	for _, name := range apps {
		state := manifest.At(p.live.findApplication(name), "status", "operationState")
		if manifest.At(state, "operation", "initiatedBy", "automated") == true {
			continue
		}
		for _, r := range manifest.List(state, "operation", "sync", "resources") {
			vm, namespace := manifest.Text(r, "name"), manifest.Text(r, "namespace")
			if manifest.Text(r, "kind") == "VirtualMachine" && p.takesSnapshot(namespace, vm) {
				p.note("%s/%s: the last sync of the Application %s was of selected objects, "+
					"so that no snapshot was taken before it", namespace, vm, name)
			}
		}
	}
}

// fresh is the time for which package rollout counts a snapshot.
const fresh = time.Hour

func (p *planner) snapshotNote(snap entity, isOurs bool) string {
	age, known := p.live.age(created(snap.object))
	text := fmt.Sprintf("a snapshot before a change to this revision exists: %s, taken %s", snap.id.Name, ago(age, known))
	if reason, failed := snapshotFailure(snap.object); failed {
		return text + "; it has failed" + because(reason) + ", so the Job takes another one"
	}
	if isOurs && known && age < fresh {
		return text + "; it is for this change, so the Job takes no other one for an hour"
	}
	return text + "; the Job takes another one"
}

// age returns how long before the newest timestamp of the export a time was.
func (l *live) age(timestamp string) (time.Duration, bool) {
	then, err := time.Parse(time.RFC3339, timestamp)
	now, errNow := time.Parse(time.RFC3339, l.newest)
	return max(now.Sub(then), 0), err == nil && errNow == nil
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
