package argocd

import (
	"fmt"
	"strings"
)

// TrackedBy returns the name of the Application that tracks an object with a
// [TrackingAnnotation]; "" if it names another object, of which this one is a copy
// (argo-cd v3.2.11, util/argo/resource_tracking.go). The namespace of the Application,
// which Argo CD writes in front of an underscore, is left out.
func TrackedBy(annotation, group, kind, namespace, name string) string {
	app, rest, _ := strings.Cut(annotation, ":")
	if rest != fmt.Sprintf("%s/%s:%s/%s", group, kind, namespace, name) {
		return ""
	}
	return app[strings.LastIndexByte(app, '_')+1:]
}
