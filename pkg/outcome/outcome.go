// Package outcome has the last look at finished objects: whether they have what their lifecycle promises, and nothing
// that undoes it. It reads what came out, and never what an input says, so that no spelling of an input is forgotten.
package outcome

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/flux"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/rule"
)

// Pair is a label or an annotation that an object must have.
type Pair struct {
	Key, Value string
	// Loss is what it is for and what to do instead, if an object has it not; empty for a general text.
	Loss string
}

// AppendPair appends a label or an annotation, unless the value is empty. loss is that of the [Pair].
func AppendPair(to []Pair, key, value, loss string) []Pair {
	if value == "" {
		return to
	}
	return append(to, Pair{Key: key, Value: value, Loss: loss})
}

// MapOf returns pairs as a map, or nil if there are none.
func MapOf(pairs []Pair) map[string]string {
	if pairs == nil {
		return nil
	}
	m := make(map[string]string, max(len(pairs), 8)) // with room for the user's
	for i := range pairs {
		m[pairs[i].Key] = pairs[i].Value
	}
	return m
}

// Scope is what reads the metadata of an object.
type Scope uint8

// The scopes.
const (
	// Part is an object that Argo CD applies. Users set none of Argo CD's keys.
	Part Scope = iota
	// Machine is a VirtualMachine or a pool. Users may add sync options, and protect it better.
	Machine
	// Template is metadata of what KubeVirt creates, which Argo CD does not apply.
	Template
)

// Promise is the metadata of an object that Argo CD and vmrender's Jobs act on: of the keys that they read, the object
// has these and no others.
type Promise struct {
	Scope               Scope
	Flux                bool // whether Flux applies the object, and not Argo CD
	Labels, Annotations []Pair
	// Machine's only. Options are sync options, separated by commas, that it has at least.
	Options string
	Wave    int
	Pet     bool
	Replace bool   // whether Argo CD may delete and recreate it
	Instead string // what to use if the loss of an option is intended
}

// Finding is a promise that an object breaks.
type Finding struct {
	Rule rule.ID
	// Keys is the path of the field below the object or template.
	Keys    []string
	Problem string
}

func finding(id rule.ID, problem string, keys ...string) Finding { return Finding{id, keys, problem} }

// Check returns the promises that the metadata of an object breaks, or nil.
func (p *Promise) Check(m *metav1.ObjectMeta) []Finding {
	found := p.checkKeys(nil, "labels", m.Labels, p.Labels)
	found = p.checkKeys(found, "annotations", m.Annotations, p.Annotations)
	if p.Scope == Machine && !p.Flux {
		found = p.checkMachine(found, m.Annotations)
	}
	if len(m.Finalizers) > 0 {
		found = append(found, finding(rule.Unsafe,
			"an object with finalizers cannot be deleted until a controller has removed them; remove it",
			"metadata", "finalizers"))
	}
	if len(m.OwnerReferences) > 0 {
		found = append(found, finding(rule.Unsafe,
			"Kubernetes deletes an object with its owner, and one whose owner does not exist; remove it",
			"metadata", "ownerReferences"))
	}
	return found
}

// checkKeys reports promised labels or annotations that are missing or different, and others that are guarded.
func (p *Promise) checkKeys(found []Finding, field string, have map[string]string, want []Pair) []Finding {
	more := 0
	for key := range have {
		if p.guards(field, key) {
			more++
		}
	}
	for i := range want {
		w := &want[i]
		value, ok := have[w.Key]
		if ok && p.guards(field, w.Key) {
			more--
		}
		if value != w.Value && !(p.Scope == Machine && w.Key == argocd.SyncWaveAnnotation) { // see checkMachine
			found = append(found, w.lost(field))
		}
	}
	if more > 0 {
		found = append(found, p.added(field, have, want)...)
	}
	return found
}

// lost returns the finding that an object does not have a label or an annotation.
func (w *Pair) lost(field string) Finding {
	id, why := rule.Protection, w.Loss
	switch {
	case labels.IsReserved(w.Key):
		id, why = rule.Reserved, "is set by vmrender, and read by its Jobs; it must not be changed"
	case why == "":
		id, why = rule.SyncOptions, fmt.Sprintf("must be %q, which Argo CD applies and deletes the object by", w.Value)
	}
	return finding(id, why, "metadata", field, w.Key)
}

// added returns the guarded keys that are not promised.
func (p *Promise) added(field string, have map[string]string, want []Pair) []Finding {
	var found []Finding
	for key := range have {
		if !p.guards(field, key) || slices.ContainsFunc(want, func(w Pair) bool { return w.Key == key }) {
			continue
		}
		id, why := rule.Identity, "only vmrender sets it; remove it"
		switch {
		case labels.IsReserved(key):
			id, why = rule.Reserved, "is set by vmrender, and read by its Jobs; remove it"
		case p.Flux:
			id, why = rule.SyncOptions, readBy(key)
		case isHook(key) && p.Scope == Machine:
			id, why = rule.SyncOptions, "Argo CD deletes a VM that is a hook in every sync; remove it"
		case isHook(key):
			id, why = rule.SyncOptions, "Argo CD deletes an object that is a hook in every sync; remove it"
		}
		found = append(found, finding(id, why, "metadata", field, key))
	}
	slices.SortFunc(found, func(a, b Finding) int { return strings.Compare(a.Keys[2], b.Keys[2]) })
	return found
}

// guards reports whether users may not set a label or an annotation.
func (p *Promise) guards(field, key string) bool {
	switch {
	case labels.IsReserved(key):
		return true
	case p.Scope == Template:
		return false
	case p.Flux:
		return IsForDelivery(key) && key != flux.SubstituteAnnotation
	case strings.HasPrefix(key, argocd.AnnotationPrefix):
		return p.Scope == Part || field == "labels" || !slices.Contains(ofUsers[:], key)
	case field == "labels" || !strings.HasPrefix(key, "helm.sh/"):
		return false
	}
	return p.Scope == Part || isHook(key)
}

// IsForDelivery reports whether Argo CD or Flux reads a label or an annotation.
func IsForDelivery(key string) bool {
	return strings.HasPrefix(key, argocd.AnnotationPrefix) || strings.HasPrefix(key, flux.AnnotationPrefix)
}

// readBy returns why a key is not accepted in a fleet that Flux delivers.
func readBy(key string) string {
	if strings.HasPrefix(key, argocd.AnnotationPrefix) {
		return "is for Argo CD, and the fleet has `target.delivery: flux`; remove it"
	}
	return "decides what Flux applies and deletes; remove it, and use the keys of `lifecycle`"
}

// ofUsers are the annotations for Argo CD that users may set on a VM. The first three have checks of their own.
var ofUsers = [...]string{
	argocd.SyncOptionsAnnotation, argocd.CompareOptionsAnnotation, argocd.SyncWaveAnnotation,
	argocd.IgnoreUpdatesAnnotation,
}

// isHook reports whether an annotation, also without a value, makes a hook of an object (gitops-engine
// pkg/sync/hook/hook.go, argo-cd v3.2.11).
func isHook(key string) bool {
	return key == argocd.HookAnnotation || key == argocd.HookDeletePolicyAnnotation ||
		key == argocd.HelmHookAnnotation || key == argocd.HelmHookDeletePolicyAnnotation
}

// IsGuarded reports whether [Promise.Check] covers a label or an annotation of a [Part].
func IsGuarded(key string) bool {
	return IsForDelivery(key) || strings.HasPrefix(key, "helm.sh/") || labels.IsReserved(key)
}
