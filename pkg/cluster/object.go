package cluster

import (
	"maps"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/flux"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// Annotation returns an annotation of one side.
func Annotation(side manifest.Tree, key string) string {
	return manifest.Text(side, "metadata", "annotations", key)
}

// SyncOption returns the value of a sync option in an object's annotation, or "". An object that Flux keeps has those
// with which Argo CD would keep it, and one whose removal is approved has Prune=true; annotations of Argo CD
// on an object of Flux are of the time before, and mean nothing.
func SyncOption(object manifest.Tree, name string) string {
	annotation := func(key string) string { return Annotation(object, key) }
	switch {
	case (name == "Prune" || name == "Delete") && flux.Keeps(annotation):
		return "false"
	case name == "Prune" && flux.Renders(annotation) && annotation(flux.PruneAnnotation) == flux.Enabled:
		return "true"
	case flux.Renders(annotation):
		return ""
	}
	return argocd.FindSyncOption(Annotation(object, argocd.SyncOptionsAnnotation), name).Value
}

// IsRendered reports whether vmrender has rendered an object.
func IsRendered(object manifest.Tree) bool {
	return manifest.Text(object, "metadata", "labels", labels.ManagedBy) == labels.Manager
}

// Created returns the time at which an object was created, in RFC 3339.
func Created(object manifest.Tree) string {
	return manifest.Text(object, "metadata", "creationTimestamp")
}

// BecauseOf is because for the message of a condition of an object.
func BecauseOf(object manifest.Tree, kind string) string {
	return wording.Because(manifest.Text(Condition(object, kind), "message"))
}

// Without returns a copy of a tree without some of its keys.
func Without(t manifest.Tree, names ...string) manifest.Tree {
	out := make(manifest.Tree, len(t))
	maps.Copy(out, t)
	for _, name := range names {
		delete(out, name)
	}
	return out
}

// WithRunStrategy returns a VM with a run strategy in place of its older form.
func WithRunStrategy(vm manifest.Tree) manifest.Tree {
	if manifest.At(vm, "spec", "running") == nil {
		return vm
	}
	spec, _ := vm["spec"].(manifest.Tree)
	vm, spec = maps.Clone(vm), Without(spec, "running")
	spec["runStrategy"] = world.RunStrategy(vm)
	vm["spec"] = spec
	return vm
}
