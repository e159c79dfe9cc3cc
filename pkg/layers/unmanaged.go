package layers

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// Unmanaged is an object of a layer that Argo CD does not manage. KIND/NAME, or
// KIND/NAMESPACE/NAME, is short for `{object: KIND/NAME}`.
type Unmanaged struct {
	// Kind and name of the object, or kind, namespace and name, such as `MachineConfig/99-worker-psi-karg`.
	Object string `json:"object"`
	// Application of the same Argo CD that has taken the object over. This layer then no longer renders it.
	Application string `json:"application,omitempty"`
}

// DecodeNode reads the short or the long form.
func (u *Unmanaged) DecodeNode(n *source.Node, path source.Path, diags *source.Diagnostics) {
	if n.Kind == source.String {
		u.Object = n.Text
		return
	}
	source.DecodeFields(n, u, path, diags)
}

// target returns the object, or nil if it is not written as expected.
func (u *Unmanaged) target() *Object {
	parts := strings.Split(u.Object, "/")
	if slices.Contains(parts, "") {
		return nil
	}
	switch len(parts) {
	case 2:
		return &Object{Kind: parts[0], Name: parts[1]}
	case 3:
		return &Object{Kind: parts[0], Namespace: parts[1], Name: parts[2]}
	}
	return nil
}

// leave marks the objects that are left to others, and returns all objects that are
// rendered. What Argo CD once created would be pruned if it were not rendered any more: it
// reads `Prune=false` from the live object only, so that would take two commits. The
// hook type Skip needs one: Argo CD neither applies nor prunes what has it, and counts it
// neither for the status of the Application nor for its health (argo-cd v3.2,
// gitops-engine pkg/sync/sync_phase.go and sync_context.go, pruneObject; controller/
// state.go and health.go).
func (l *layer) leave(objects []manifest.Object, diags *source.Diagnostics) []manifest.Object {
	dropped := map[manifest.ID]bool{}
	for i, u := range l.Unmanaged {
		at, path := l.itemAt("unmanaged", i), source.IndexPath(l.path+".unmanaged", i)
		target := u.target()
		if target == nil {
			diags.Errorf(at, rule.BadValue, path, "%q is not an object; expected KIND/NAME or KIND/NAMESPACE/NAME", u.Object)
			continue
		}
		var missing source.Diagnostics
		found := l.targets(target, objects, at, path, &missing)
		for _, d := range missing.Sorted() {
			d.Path = path
			diags.Add(d)
		}
		for _, o := range found {
			if u.Application != "" {
				dropped[o.ID] = true
				u.warnOfPruning(o, at, path, diags)
			} else if err := skip(o); err != nil {
				diags.Errorf(at, rule.Patch, path, "%s: %v", o.ID, err)
			}
		}
	}
	kept := make([]manifest.Object, 0, len(objects))
	for _, o := range objects {
		if !dropped[o.ID] {
			kept = append(kept, o)
		}
	}
	return kept
}

// warnOfPruning warns of what happens if the other Application does not have the object
// yet.
func (u *Unmanaged) warnOfPruning(o *manifest.Object, at source.Pos, path string, diags *source.Diagnostics) {
	if !strings.Contains(annotationsOf(*o)[argocd.SyncOptionsAnnotation], "Prune=false") {
		diags.Warnf(at, rule.Unmanaged, path, "%s: Argo CD prunes the object of this layer, "+
			"unless it already belongs to the Application %q; omit `application` until then", o.ID, u.Application)
	}
}

// skip annotates an object so that Argo CD does not change it.
func skip(o *manifest.Object) error {
	tree, err := treeOf(o)
	if err != nil {
		return err
	}
	docs := map[*manifest.Object]*patch.Document{o: {Tree: tree}}
	if tree.Get("metadata", "annotations") == nil {
		empty := patch.Operation{Op: "add", Path: "/metadata/annotations", Value: &source.Node{Kind: source.Map}}
		if err := apply(&empty, o, docs); err != nil {
			return err
		}
	}
	hook := &source.Node{Kind: source.String, Text: argocd.HookSkip}
	key := strings.ReplaceAll(argocd.HookAnnotation, "/", "~1")
	return apply(&patch.Operation{Op: "add", Path: "/metadata/annotations/" + key, Value: hook}, o, docs)
}

// skipped reports whether an object is left to others.
func skipped(o manifest.Object) bool {
	return annotationsOf(o)[argocd.HookAnnotation] == argocd.HookSkip
}
