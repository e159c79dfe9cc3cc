package cluster

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// Application returns the name of the Application that tracks an object in the cluster;
// "" if none does.
func (l *State) Application(id manifest.ID) string {
	object := l.Object(id)
	tracking := Annotation(object, argocd.TrackingAnnotation)
	if app := argocd.TrackedBy(tracking, id.Group(), id.Kind, id.Namespace, id.Name); app != "" {
		return app
	}
	name := manifest.Text(object, "metadata", "labels", "app.kubernetes.io/instance")
	if tracking == "" && l.FindApplication(name) != nil {
		return name
	}
	return ""
}

// FindApplication returns an Application by its name, or nil.
func (l *State) FindApplication(name string) manifest.Tree {
	if l == nil || name == "" {
		return nil
	}
	for _, e := range l.ByKind[kindApplication] {
		if e.ID.Name == name {
			return e.Object
		}
	}
	return nil
}

// Ignored returns the JSON pointers of the fields of an object that its Application
// leaves as they are in the cluster.
func (l *State) Ignored(id manifest.ID) []string {
	app := l.FindApplication(l.Application(id))
	if !slices.Contains(manifest.List(app, "spec", "syncPolicy", "syncOptions"), any("RespectIgnoreDifferences=true")) {
		return nil
	}
	return l.Overlooked(id)
}

// Overlooked returns the JSON pointers of the fields of an object in which its Application
// sees no difference.
func (l *State) Overlooked(id manifest.ID) []string {
	app := l.FindApplication(l.Application(id))
	var out []string
	for _, rule := range manifest.List(app, "spec", "ignoreDifferences") {
		if !applies(rule, id) {
			continue
		}
		for _, p := range manifest.List(rule, "jsonPointers") {
			if s, _ := p.(string); s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

// applies reports whether a rule of ignoreDifferences is for an object.
func applies(rule any, id manifest.ID) bool {
	for field, value := range map[string]string{
		"group": id.Group(), "kind": id.Kind, "name": id.Name, "namespace": id.Namespace,
	} {
		if want := manifest.Text(rule, field); want != "" && want != "*" && want != value {
			return false
		}
	}
	return manifest.Text(rule, "kind") != ""
}

// LostApplication returns the name of the Application that tracks an object, if it does not exist; "" if it does, if
// none tracks the object, and if the export has no Applications where that one should be: in the namespace that stands
// in front of its name (argo-cd v3.2.11, util/argo/resource_tracking.go), or anywhere.
func (l *State) LostApplication(id manifest.ID) string {
	name := l.Application(id)
	if name == "" || l.FindApplication(name) != nil || len(l.ByKind[kindApplication]) == 0 {
		return ""
	}
	app, _, _ := strings.Cut(Annotation(l.Object(id), argocd.TrackingAnnotation), ":")
	namespace, _, isElsewhere := strings.Cut(app, "_")
	if isElsewhere && !l.Covers("argoproj.io", "Application", namespace) {
		return ""
	}
	return name
}

// IsForeign reports whether neither Argo CD nor vmrender has had an object in the cluster.
func (l *State) IsForeign(id manifest.ID) bool {
	object := l.Object(id)
	isArgoCD := func(m any) bool { return strings.HasPrefix(manifest.Text(m, "manager"), "argocd") }
	return l.Application(id) == "" && !IsRendered(object) &&
		!slices.ContainsFunc(manifest.List(object, "metadata", "managedFields"), isArgoCD)
}
