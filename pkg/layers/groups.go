package layers

import (
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

// Group is the objects that one Application of a platform syncs.
type Group struct {
	// Layer is the name of the layer, or empty for the app-of-apps and for policies.
	Layer string
	// Action is that of the layer, such as "DryRun"; empty if it is applied.
	Action string
	// Held reports whether the layer needs what a layer provides that waits for a user, so that it waits, too.
	Held bool
	// Namespace is that of objects that do not set one.
	Namespace string
	Objects   []manifest.Object
}

// RenderGroups is like [Render], but the app-of-apps is followed by the objects of each
// managed layer, in the order of their waves. No object is in two groups. The result must
// only be used if there are no errors.
func RenderGroups(path string, o Options) ([]Group, *source.Diagnostics) {
	if o.Policies || o.Layer != "" {
		objects, diags := Render(path, o)
		return []Group{{Layer: o.Layer, Objects: objects}}, diags
	}
	apps, layers, held, diags := renderApps(path, o)
	groups := []Group{{Objects: apps}}
	for _, r := range layers {
		groups = append(groups, Group{
			Layer: r.name, Action: r.Action, Held: held[r.name], Namespace: r.namespace, Objects: r.objects,
		})
	}
	return groups, diags
}
