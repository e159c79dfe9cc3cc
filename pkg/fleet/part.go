package fleet

import (
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"path/filepath"
	"slices"

	"github.com/vmrender/vmrender/pkg/source"
)

// partName names what is rendered together, for objects that belong to no single
// machine. Applications that render other parts, or other VMs, have others.
func (l *loader) partName() string {
	path := "-"
	if l.tree != nil {
		path = filepath.ToSlash(below(l.tree.root, l.tree.part))
	}
	return or(l.header.Metadata.Name, "fleet") + "-" + Hash(append([]string{path}, slices.Sorted(slices.Values(l.opts.VMs))...)...)
}

// Hash is a name of 8 hexadecimal digits for texts, the same for the same texts
// in the same order. It must never change: objects are named by it.
func Hash(texts ...string) string {
	h := fnv.New64a()
	for _, s := range texts {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	sum := h.Sum64()
	return hex.EncodeToString(binary.BigEndian.AppendUint32(nil, uint32(sum>>32^sum))) //nolint:gosec // both halves are in it
}

// longestFleet is how long the fleet's name may be, so that the names of its
// Jobs, which are values of labels too, are within bounds.
const longestFleet = maxName - hashLength - len("-snapshot")

// checkHooks reports what the Jobs of a fleet need, and what Argo CD needs to
// know to get to them.
func (l *loader) checkHooks() {
	var jobs, replaced *record // the first of each
	after, last := false, 0
	for _, r := range l.found {
		if !l.wants(r) {
			continue
		}
		if r.jobs && jobs == nil {
			jobs = r
		}
		if r.replaced && replaced == nil {
			replaced = r
		}
		after, last = after || r.after, max(last, r.lastWave())
	}
	if jobs != nil {
		l.checkJobs(jobs)
	}
	if replaced != nil && !l.header.Target.ApplyOutOfSyncOnly {
		l.diags.Warnf(l.headerPos(replaced, "target"), "replace", "target.applyOutOfSyncOnly",
			"`strategy: replace` deletes a VM with its disks and makes it anew, all VMs at once, and without the sync option ApplyOutOfSyncOnly=true in every sync; "+
				"set that on the Application, and this to true, or use another strategy")
	}
	l.checkStopped(last, after)
}

// checkJobs reports what the fleet lacks for its Jobs; r is the first machine that has one.
func (l *loader) checkJobs(r *record) {
	if name := l.header.Metadata.Name; len(name) > longestFleet && nameProblem(name) == "" {
		l.diags.Errorf(l.headerPos(r, "metadata", "name"), "bad-name", "metadata.name",
			"%q has %d characters; at most %d are accepted where Jobs are named after the fleet: for `strategy: rollout` and `snapshotBefore`", name, len(name), longestFleet)
	}
	if l.header.Target.Image == "" {
		l.diags.Warnf(l.headerPos(r, "target"), "default-image", "target.image",
			"missing, and Jobs are rendered that run %q; name the image by a version of it that your registry has", DefaultImage)
	}
}

// checkStopped warns of VMs that are off while Argo CD waits for them: before
// 3.5.3 a VM that is declared to be stopped is never healthy (argo-cd pull
// request 29664).
func (l *loader) checkStopped(last int, hooks bool) {
	t := &l.header.Target
	if t.HealthChecks || !Before(t.ArgoCD, 3, 6) {
		return
	}
	for _, r := range l.found {
		if r.stopped != nil && r.stopped.Line > 0 && l.wants(r) && (hooks || r.wave < last) {
			l.diags.Warnf(*r.stopped, "stopped", r.path+".runStrategy",
				"Argo CD %s waits for this VM to run before it goes on with later waves and hooks; install the health checks of plugin/, and set `target: {healthChecks: true}`", t.ArgoCD)
			return // all have the same remedy
		}
	}
}

// lastWave is the last in which something of the machine is applied.
func (r *record) lastWave() int {
	if r.grows {
		return r.wave + 1
	}
	return r.wave
}

// headerPos is where a key of fleet.yaml stands, or the nearest above it; without
// such a file the place of a machine.
func (l *loader) headerPos(r *record, keys ...string) source.Pos {
	if l.headerDoc == nil {
		return r.pos
	}
	at, n := l.headerDoc.Pos(), l.headerDoc
	for _, k := range keys {
		f := n.Field(k)
		if f == nil {
			break
		}
		at, n = f.Pos(), f.Value
		if len(n.Fields) == 0 {
			at = n.Pos()
		}
	}
	return at
}
