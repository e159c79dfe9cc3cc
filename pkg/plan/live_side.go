package plan

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// A sync compares Git with the cluster, not with the last revision. So if the state
// in the cluster is known, the old side of a pair is what the cluster has of the fields
// that one side of Git has: all others stay as they are. Lists are atomic in KubeVirt's
// API (a sync replaces them as a whole), so their other entries also count.

// attach uses the cluster's objects as the old side of the pairs that they differ from.
func (p *planner) attach() {
	if p.live == nil {
		return
	}
	kept := p.pairs[:0]
	for i := range p.pairs {
		pair := p.pairs[i]
		p.meet(&pair)
		if pair.old != nil || pair.new != nil {
			kept = append(kept, pair)
		}
	}
	p.pairs = kept
}

// meet compares one pair with the cluster.
func (p *planner) meet(pair *pair) {
	p.adoptSecret(pair)
	if p.isUnseen(pair) {
		return
	}
	object := p.live.object(pair.id)
	switch {
	case object != nil:
		p.overlay(pair, object)
	case pair.old != nil && p.live.lacks(pair.id) && p.live.get(kindClaim, pair.id.Namespace, pair.id.Name) == nil:
		pair.git, pair.old, pair.missing = pair.old, nil, true
	}
}

// isUnseen reports whether the cluster's object records no sync: Argo CD
// replaces hooks, and contents of Secrets are never compared.
func (p *planner) isUnseen(pair *pair) bool {
	switch kindOf(pair.id) {
	case kindSecret, kindJob, kindAnsibleJob:
		return true
	}
	hook := []byte(`argocd.argoproj.io/hook"`)
	return bytes.Contains(pair.new, hook) || bytes.Contains(pair.old, hook)
}

// overlay uses an object of the cluster as the old side of its pair, if it differs.
func (p *planner) overlay(pair *pair, object tree) {
	isSame := pair.isSame()
	git := manifest.Decode(pair.old)
	now := git
	if !isSame {
		now = manifest.Decode(pair.new)
	}
	before := p.before(pair.id, object, git, now)
	if git != nil && len(diff(git, before)) == 0 {
		return
	}
	state := *pair
	state.git, state.old, state.takenOver = pair.old, []byte(compact(before)), pair.old == nil
	if isSame && !pair.isMachine() && verdict(pair.id, p.causes(&state)).Level < Refused {
		p.differs = append(p.differs, pair.id)
		return
	}
	*pair = state
}

// before returns what the cluster has of an object's fields in Git.
func (p *planner) before(id manifest.ID, object, git, now tree) tree {
	before, _ := within(without(object, "status"), git, now).(tree)
	if git == nil && p.live.isForeign(id) {
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
	for _, pointer := range p.live.ignored(id) {
		settle(before, now, pointer)
	}
	settleAbsent(before, now)
	return before
}

// within returns of a value the fields that one of two others has. Of lists with names,
// it keeps all entries, and of other lists those of the same place.
func within(v, a, b any) any {
	switch v := v.(type) {
	case tree:
		x, isA := a.(tree)
		y, isB := b.(tree)
		if !isA && !isB {
			return v
		}
		out := tree{}
		for k, value := range v {
			_, inA := x[k]
			if _, inB := y[k]; inA || inB {
				out[k] = within(value, x[k], y[k])
			}
		}
		return out
	case []any:
		return entriesWithin(v, a, b)
	}
	return v
}

func entriesWithin(l []any, a, b any) []any {
	x, _ := a.([]any)
	y, _ := b.([]any)
	out := make([]any, len(l))
	byA, okA := manifest.Keyed(x)
	byB, okB := manifest.Keyed(y)
	_, named := manifest.Keyed(l)
	for i, v := range l {
		switch name := "[" + manifest.EntryName(v) + "]"; {
		case named && okA && okB && byA[name] == nil && byB[name] == nil:
			out[i] = v
		case named && okA && okB:
			out[i] = within(v, byA[name], byB[name])
		default:
			out[i] = within(v, item(x, i), item(y, i))
		}
	}
	return out
}

func item(l []any, i int) any {
	if i < len(l) {
		return l[i]
	}
	return nil
}

// settle sets a field, by its JSON pointer, to the value of the new side: Argo CD leaves it
// as it is in the cluster.
func settle(before, now any, pointer string) {
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i := range parts {
		parts[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(parts[i])
	}
	last := len(parts) - 1
	into, _ := manifest.At(before, parts[:last]...).(tree)
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
func settleAbsent(before, now tree) {
	domain := manifest.At(world.Spec(before), "domain", "devices")
	devices, _ := domain.(tree)
	instance, _ := world.Spec(before).(tree)
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

// FromCluster returns the old side if no former revision is given: what the cluster
// has of the objects in Git, and of those that the same Applications track. It
// takes what Argo CD has applied last: from the annotation of client-side apply, or the
// fields that Argo CD manages by server-side apply. What Argo CD and vmrender have never had
// is left out, as new in Git. The second result is the number of
// objects without such a record, of which fields that Git has dropped are not seen.
func FromCluster(state, wanted []manifest.Object) (old []manifest.Object, unrecorded int) {
	l := readLive(state)
	want, apps := map[key][]byte{}, map[string]bool{"": false}
	for _, o := range wanted {
		want[keyOf(o.ID)] = o.JSON
		if app := l.application(o.ID); app != "" {
			apps[app] = true
		}
	}
	for _, o := range state {
		object := l.object(o.ID)
		now, isWanted := want[keyOf(o.ID)]
		if object == nil || !isWanted && !apps[l.application(o.ID)] || isWanted && l.isForeign(o.ID) {
			continue
		}
		was := applied(object)
		if was == nil {
			unrecorded++
			was = without(object, "status")
			if isWanted {
				was, _ = within(was, manifest.Decode(now), nil).(tree)
			}
		}
		if isWanted {
			was = untracked(was, manifest.Decode(now))
		}
		old = append(old, manifest.Object{ID: o.ID, JSON: []byte(compact(was))})
	}
	return old, unrecorded
}

// untracked returns what Argo CD has applied without what it has added to what Git had,
// which Git does not have now, either.
func untracked(was, now tree) tree {
	out := manifest.Decode([]byte(compact(was)))
	metadata, _ := out["metadata"].(tree)
	for _, kind := range []string{"labels", "annotations"} {
		all, _ := metadata[kind].(tree)
		maps.DeleteFunc(all, func(key string, _ any) bool {
			return slices.Contains(tracking, key) && manifest.At(now, "metadata", kind, key) == nil
		})
		if len(all) == 0 {
			delete(metadata, kind)
		}
	}
	return out
}

const lastApplied = corev1.LastAppliedConfigAnnotation

// applied returns what Argo CD has applied last, or nil if the object does not report it.
func applied(object tree) tree {
	if last := annotation(object, lastApplied); last != "" && json.Valid([]byte(last)) {
		return manifest.Decode([]byte(last))
	}
	for _, m := range manifest.List(object, "metadata", "managedFields") {
		if strings.HasPrefix(manifest.Text(m, "manager"), "argocd") && manifest.Text(m, "operation") == "Apply" {
			out, _ := managed(object, manifest.At(m, "fieldsV1")).(tree)
			if out == nil {
				return nil
			}
			out["apiVersion"], out["kind"] = object["apiVersion"], object["kind"]
			return out
		}
	}
	return nil
}

// managed returns the part of a value that a set of fields (metav1.FieldsV1) names.
func managed(v, fields any) any {
	set, _ := fields.(tree)
	switch v := v.(type) {
	case tree:
		if len(set) == 0 {
			return v
		}
		out := tree{}
		for k, value := range v {
			if below, ok := set["f:"+k]; ok {
				out[k] = managed(value, below)
			}
		}
		return out
	case []any:
		if len(set) == 0 {
			return v
		}
		var out []any
		for _, entry := range v {
			if below, ok := set[`k:{"name":"`+manifest.EntryName(entry)+`"}`]; ok {
				out = append(out, managed(entry, below))
			}
		}
		return out
	}
	return v
}
