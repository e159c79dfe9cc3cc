package layers

import (
	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

// Group is the objects that one Application of a platform syncs.
type Group struct {
	// Layer is the name of the layer, or empty for the app-of-apps and for policies.
	Layer string
	// Action is that of the layer, such as "DryRun"; empty if it is applied.
	Action string
	// Unmanaged reports whether others manage the layer, so that no Application syncs it.
	Unmanaged bool
	// Held reports whether the layer needs what a layer provides that waits for a user, so that it waits, too.
	Held bool
	// Namespace is that of objects that do not set one.
	Namespace string
	// Review is what the approval of the layer is about; nil if the layer has no `approve`.
	Review  *approval.Layer
	Objects []manifest.Object
}

// RenderGroups is like [Render], but the app-of-apps is followed by the objects of each
// layer, in the order of their waves, the managed ones first. No object is in two groups. The result must only be used
// if there are no errors.
func RenderGroups(path string, o Options) ([]Group, *source.Diagnostics) {
	if o.Policies || o.Layer != "" {
		objects, diags := Render(path, o)
		return []Group{{Layer: o.Layer, Objects: objects}}, diags
	}
	tree, diags := renderApps(path, o)
	groups := []Group{{Objects: tree.apps}}
	for _, r := range tree.layers {
		action := r.Action
		if r.shows() {
			action = "DryRun"
		}
		groups = append(groups, Group{
			Layer: r.name, Action: action, Review: r.review, Held: tree.held[r.name], Namespace: r.namespace, Objects: r.objects,
		})
	}
	return tree.addUnmanaged(groups), diags
}

// addUnmanaged adds the groups of the layers that others manage, without what an earlier group has.
func (t *appTree) addUnmanaged(groups []Group) []Group {
	seen := map[manifest.ID]bool{}
	for _, g := range groups {
		for _, o := range g.Objects {
			seen[o.ID] = true
		}
	}
	for _, r := range t.unmanaged {
		g := Group{Layer: r.name, Unmanaged: true, Namespace: r.namespace}
		for _, o := range r.objects {
			if !seen[o.ID] {
				seen[o.ID] = true
				g.Objects = append(g.Objects, o)
			}
		}
		groups = append(groups, g)
	}
	return groups
}
