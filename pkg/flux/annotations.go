// Package flux contains what vmrender writes for Flux: its annotations, Kustomizations with the fields that vmrender
// sets, and expressions for the health of VMs and disks.
//
// Facts are those of kustomize-controller v1.9.5, docs/spec/v1/kustomizations.md and internal/controller, and of
// github.com/fluxcd/pkg/ssa v0.77.0.
package flux

import "github.com/vmrender/vmrender/pkg/labels"

const (
	// AnnotationPrefix is the prefix of labels and annotations that Flux reads from objects, and of those that it adds.
	AnnotationPrefix = "kustomize.toolkit.fluxcd.io/"
	// PruneAnnotation with the value [Disabled] keeps an object in the cluster: Flux reads it from the live object, when
	// the object is no longer in the source and when its Kustomization is deleted.
	PruneAnnotation = "kustomize.toolkit.fluxcd.io/prune"
	// SubstituteAnnotation with the value [Disabled] keeps Flux from replacing variables such as ${name} in an object. It
	// replaces some only if the Kustomization has `postBuild`.
	SubstituteAnnotation = "kustomize.toolkit.fluxcd.io/substitute"
	// NameLabel is the name of the Kustomization that has applied an object last. One that no longer has the object in
	// its directory deletes it only if it is the one.
	NameLabel = "kustomize.toolkit.fluxcd.io/name"
	// NamespaceLabel is the namespace of the Kustomization of [NameLabel].
	NamespaceLabel = "kustomize.toolkit.fluxcd.io/namespace"
	// Disabled is the value that switches off what an annotation is named after.
	Disabled = "disabled"
	// Enabled is the value of [PruneAnnotation] that shows that the removal of an object is approved. Flux deletes the
	// object as it does without the annotation: it compares with [Disabled] only.
	Enabled = "enabled"
)

// Renders reports whether the annotations are those of an object that vmrender rendered for Flux: Argo CD ignores
// [PruneAnnotation].
func Renders(annotations func(key string) string) bool { return annotations(labels.Wave) != "" }

// Keeps reports whether Flux leaves an object of a fleet in the cluster that is no longer in the source.
func Keeps(annotations func(key string) string) bool {
	return Renders(annotations) && annotations(PruneAnnotation) == Disabled
}
