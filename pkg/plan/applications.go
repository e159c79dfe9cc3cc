package plan

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
)

// What follows from Argo CD's Applications: which of them renders a VM, and what each of its syncs does.

// changesHome reports whether the entry of a VM moves to another directory, of which neither contains the other: each
// may have an Application of its own.
func (p *planner) changesHome(pair *pairs.Pair) bool {
	from, to := p.directories(pair)
	if from == to || from == "" || to == "" || !pair.IsMachine() {
		return false
	}
	if contains(from, to) || contains(to, from) {
		return false
	}
	path, isTracked := p.sourcePath(pair)
	return !isTracked || path == from || strings.HasSuffix(path, "/"+from)
}

// directories returns the directories of a VM's entry on both sides; empty if not known.
func (p *planner) directories(pair *pairs.Pair) (from, to string) {
	vm := pair.ID.Namespace + "/" + pair.ID.Name
	return p.was[vm], p.now[vm]
}

// contains reports whether a directory contains another.
func contains(outer, inner string) bool { return outer == "." || strings.HasPrefix(inner, outer+"/") }

// sourcePath returns the directory in Git of the Application that tracks a VM in the cluster, and whether that is
// known.
func (p *planner) sourcePath(pair *pairs.Pair) (path string, known bool) {
	app := p.Live.FindApplication(p.Live.Application(pair.ID))
	if manifest.At(app, "spec", "source") == nil { // there is none, or several, of which any can be the one
		return "", false
	}
	return strings.Trim(strings.TrimPrefix(manifest.Text(app, "spec", "source", "path"), "./"), "/"), true
}

// moved returns the cause of a VM whose entry moves to the directory of another Application: the one that loses it
// prunes it, and the other one cannot take it before that.
func (p *planner) moved(pair *pairs.Pair, s *impact.Subject) []impact.Cause {
	if s.Old == nil || s.New == nil || !p.changesHome(pair) {
		return nil
	}
	from, to := p.directories(pair)
	c := impact.Cause{
		Level: impact.DataLoss, Code: "moved", Warning: true,
		Reason: fmt.Sprintf("its entry moves from %s to %s: the Application of %s deletes the VM with its disks",
			from, to, from),
		Advice: "commit lifecycle: {removal: denied} first, and move it as described in docs/how-to/move-vms.md; " +
			"if one Application renders both directories, plan with --one-application",
	}
	if stays(s.Old) {
		c.Level = impact.Refused
		c.Reason = fmt.Sprintf("its entry moves from %s to %s: the VM stays, and the Application of %s cannot take it "+
			"while that of %s tracks it (Shared resource found)", from, to, to, from)
		c.Advice = "after the sync, remove the tracking annotation as described in docs/how-to/move-vms.md; " +
			"if one Application renders both directories, plan with --one-application"
	}
	if _, known := p.sourcePath(pair); !known {
		c.Approximate = "whether one Application renders both directories"
	}
	return []impact.Cause{c}
}

// findResynced finds out whether the sync also recreates VMs that do not change: Argo CD applies all objects of an
// Application in every sync unless it has ApplyOutOfSyncOnly=true, and deletes and recreates those with
// Force=true,Replace=true (gitops-engine v0.7, pkg/sync/sync_context.go).
func (p *planner) findResynced() {
	if p.Cluster.ApplyOutOfSyncOnly {
		return
	}
	p.resynced = slices.ContainsFunc(p.Pairs, func(pair pairs.Pair) bool { return !pair.IsSame() })
}

// isResynced reports whether the sync recreates a VM that does not change.
func (p *planner) isResynced(pair *pairs.Pair) bool {
	if !p.resynced || !pair.IsSame() || !bytes.Contains(pair.New, []byte("Replace=true")) {
		return false
	}
	app := p.Live.FindApplication(p.Live.Application(pair.ID))
	if slices.Contains(manifest.List(app, "spec", "syncPolicy", "syncOptions"), any("ApplyOutOfSyncOnly=true")) {
		return false
	}
	return cluster.KindOf(pair.ID) == cluster.KindVM && impact.IsReplaced(&impact.Subject{New: manifest.Decode(pair.New)})
}

// inDoubt returns causes that depend on what is not known.
func inDoubt(causes []impact.Cause, open string) []impact.Cause {
	for i := range causes {
		causes[i].Approximate = open
	}
	return causes
}

// herd is the entry of VMs with `replicas`.
type herd struct{ namespace, name string }

// outages notes the entries of which all VMs go in this sync: nothing waits until others are ready in their place.
func (p *planner) outages() {
	gone := map[herd]int{}
	for i := range p.Pairs {
		if pair := &p.Pairs[i]; cluster.KindOf(pair.ID) == cluster.KindVM && pair.New == nil && p.successors[pair] == nil {
			if old := manifest.Decode(pair.Old); cluster.Annotation(old, labels.Entry) != "" && !stays(old) {
				gone[herd{pair.ID.Namespace, cluster.Annotation(old, labels.Entry)}]++
			}
		}
	}
	if len(gone) == 0 {
		return
	}
	for i := range p.Pairs {
		if pair := &p.Pairs[i]; cluster.KindOf(pair.ID) == cluster.KindVM && pair.Old != nil && pair.New != nil {
			delete(gone, herd{pair.ID.Namespace, cluster.Annotation(manifest.Decode(pair.New), labels.Entry)})
		}
	}
	var notes []string
	for h, n := range gone {
		if n > 1 {
			notes = append(notes, fmt.Sprintf("%s: all %d VMs of the entry %s go in one sync, and what takes their place is "+
				"not ready before that; to keep the service up, add the new entry in an earlier commit", h.namespace, n, h.name))
		}
	}
	slices.Sort(notes)
	p.Notes = append(p.Notes, notes...)
}
