package pairs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// Newest returns the newest snapshot that a Job has taken of a VM before a change to
// a content, and whether it is of the change that comes: from the VM as it is.
func (p *Set) Newest(namespace, machine, content string, vm manifest.Tree) (newest cluster.Entity, isOurs bool) {
	for _, snap := range p.Live.Of(cluster.KindSnapshot, namespace) {
		change := cluster.Annotation(snap.Object, labels.Change)
		isOf := manifest.Text(snap.Object, "spec", "source", "name") == machine && strings.HasSuffix(change, " -> "+content)
		if isOf && cluster.Created(snap.Object) >= cluster.Created(newest.Object) {
			newest = snap
			isOurs = change == fmt.Sprintf("%s/%s: %s -> %s", manifest.Text(vm, "metadata", "uid"),
				manifest.Compact(manifest.At(vm, "metadata", "generation")), cluster.Annotation(vm, labels.Content), content)
		}
	}
	return newest, isOurs
}

// SnapshotFailure returns why KubeVirt could not take a snapshot, and whether that is so.
func SnapshotFailure(snap manifest.Tree) (reason string, failed bool) {
	return manifest.Text(snap, "status", "error", "message"), manifest.Text(snap, "status", "phase") == "Failed"
}

// TakesSnapshot reports whether Git has a Job that takes a snapshot of a VM before it changes.
func (p *Set) TakesSnapshot(namespace, name string) bool {
	if p.snapshotted == nil {
		p.snapshotted = map[cluster.Key]bool{}
		for i := range p.Pairs {
			if pair := &p.Pairs[i]; cluster.KindOf(pair.ID) == cluster.KindJob && pair.New != nil {
				p.addSnapshotted(pair.ID.Namespace, JobArguments(manifest.Decode(pair.New)))
			}
		}
	}
	return p.snapshotted[cluster.KeyOfVM(namespace, name)]
}

// addSnapshotted adds the VMs of a Job's arguments, if it takes snapshots.
func (p *Set) addSnapshotted(namespace string, args []any) {
	if !slices.Contains(args, any("snapshot")) {
		return
	}
	for _, a := range args {
		arg, _ := a.(string)
		if name, _, ok := strings.Cut(arg, "="); ok {
			p.snapshotted[cluster.KeyOfVM(namespace, name)] = true
		}
	}
}

// SelectiveSyncs notes the VMs whose last sync was one of selected objects, for which Argo CD runs no
// hooks (argo-cd v3.2.11, controller/sync.go), although they have a snapshot before each change.
// Self-heal also selects objects, but brings nothing new from Git.
func (p *Set) SelectiveSyncs(apps []string) {
	for _, name := range apps {
		state := manifest.At(p.Live.FindApplication(name), "status", "operationState")
		if manifest.At(state, "operation", "initiatedBy", "automated") == true {
			continue
		}
		for _, r := range manifest.List(state, "operation", "sync", "resources") {
			vm, namespace := manifest.Text(r, "name"), manifest.Text(r, "namespace")
			if manifest.Text(r, "kind") == "VirtualMachine" && p.TakesSnapshot(namespace, vm) {
				p.Note("%s/%s: the last sync of the Application %s was of selected objects, "+
					"so that no snapshot was taken before it", namespace, vm, name)
			}
		}
	}
}

// JobArguments returns the arguments of a Job's container.
func JobArguments(job manifest.Tree) []any {
	containers := manifest.List(job, "spec", "template", "spec", "containers")
	if len(containers) == 0 {
		return nil
	}
	return manifest.List(containers[0], "args")
}
