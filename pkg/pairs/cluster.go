package pairs

import (
	"bytes"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// Attach uses the cluster's objects as the old side of the pairs that they differ from.
func (p *Set) Attach() {
	defer p.Index()
	if p.Live == nil {
		return
	}
	kept := p.Pairs[:0]
	for i := range p.Pairs {
		pair := p.Pairs[i]
		p.meet(&pair)
		if pair.Old != nil || pair.New != nil {
			kept = append(kept, pair)
		}
	}
	p.Pairs = kept
}

// meet compares one pair with the cluster.
func (p *Set) meet(pair *Pair) {
	p.adoptSecret(pair)
	if p.IsUnseen(pair) {
		return
	}
	object := p.Live.Object(pair.ID)
	switch {
	case object != nil:
		p.overlay(pair, object)
	case pair.Old != nil && p.Live.Lacks(pair.ID) && p.Live.Get(cluster.KindClaim, pair.ID.Namespace, pair.ID.Name) == nil:
		pair.git, pair.Old, pair.missing = pair.Old, nil, true
	default:
		pair.unseen = p.Applied && pair.Old == nil && !p.Live.Covers(pair.ID.Group(), pair.ID.Kind, pair.ID.Namespace)
	}
}

// IsUnseen reports whether the cluster's object records no sync: Argo CD
// replaces hooks, and contents of Secrets are never compared.
func (p *Set) IsUnseen(pair *Pair) bool {
	switch cluster.KindOf(pair.ID) {
	case cluster.KindSecret, cluster.KindJob, cluster.KindAnsibleJob:
		return true
	}
	hook := []byte(`argocd.argoproj.io/hook"`)
	return bytes.Contains(pair.New, hook) || bytes.Contains(pair.Old, hook)
}

// overlay uses an object of the cluster as the old side of its pair, if it differs.
func (p *Set) overlay(pair *Pair, object manifest.Tree) {
	isSame := pair.IsSame()
	if p.isAsBefore(pair, object) {
		return // most objects: nothing is decoded for them
	}
	git := manifest.Decode(pair.Old)
	now := git
	if !isSame {
		now = manifest.Decode(pair.New)
	}
	before := p.before(pair.ID, object, git, now)
	if git != nil && len(diff.Trees(git, before)) == 0 {
		return
	}
	state := *pair
	state.git, state.Old, state.takenOver = pair.Old, manifest.Bytes(before), pair.Old == nil
	if isSame && !pair.IsMachine() && impact.WorstOf(p.Causes(&state)) < impact.Refused {
		p.Differs = append(p.Differs, pair.ID)
		return
	}
	*pair = state
}

// isAsBefore reports whether an object of the cluster is known not to differ from the old side of its pair: it has all
// of it, and the new side has no other fields, nor any whose values the sync leaves as they are.
func (p *Set) isAsBefore(pair *Pair, object manifest.Tree) bool {
	addsNothing := pair.IsSame() ||
		pair.Old != nil && manifest.SameFields(pair.Old, pair.New) && len(p.Live.Ignored(pair.ID)) == 0
	return addsNothing && manifest.Covers(cluster.Without(object, "status"), pair.Old)
}

// before returns what the cluster has of an object's fields in Git.
func (p *Set) before(id manifest.ID, object, git, now manifest.Tree) manifest.Tree {
	before, _ := cluster.Within(cluster.Without(object, "status"), git, now).(manifest.Tree)
	if git == nil && p.Live.IsForeign(id) {
		before = toAdopt(object, now)
	}
	for _, key := range []string{"apiVersion", "kind"} {
		before[key] = object[key]
	}
	if now == nil {
		// Argo CD reads from the live object whether it may delete it.
		before["metadata"] = object["metadata"]
		return before
	}
	for _, pointer := range p.Live.Ignored(id) {
		settle(before, now, pointer)
	}
	if !p.Cluster.KeepsAbsent() || p.Live.Get(cluster.KindInstance, id.Namespace, id.Name) != nil {
		settleAbsent(before, now)
	}
	return before
}

// settle sets a field, by its JSON pointer, to the value of the new side: Argo CD leaves it
// as it is in the cluster.
func settle(before, now any, pointer string) {
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i := range parts {
		parts[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(parts[i])
	}
	last := len(parts) - 1
	into, _ := manifest.At(before, parts[:last]...).(manifest.Tree)
	if into == nil {
		return
	}
	if v := manifest.At(now, parts...); v != nil {
		into[parts[last]] = v
	} else {
		delete(into, parts[last])
	}
}

// settleAbsent puts back into a VM the NICs with `state: absent` that KubeVirt has
// unplugged and removed from it (v1.8.4, pkg/network/controllers/vm.go): their
// return changes nothing.
func settleAbsent(before, now manifest.Tree) {
	domain := manifest.At(world.Spec(before), "domain", "devices")
	devices, _ := domain.(manifest.Tree)
	instance, _ := world.Spec(before).(manifest.Tree)
	for _, nic := range manifest.List(world.Spec(now), "domain", "devices", "interfaces") {
		name := "[" + manifest.EntryName(nic) + "]"
		if manifest.Text(nic, "state") != "absent" || devices == nil || manifest.At(devices, "interfaces", name) != nil {
			continue
		}
		devices["interfaces"] = append(manifest.List(devices, "interfaces"), nic)
		network := manifest.At(world.Spec(now), "networks", name)
		if network != nil && manifest.At(instance, "networks", name) == nil {
			instance["networks"] = append(manifest.List(instance, "networks"), network)
		}
	}
}
