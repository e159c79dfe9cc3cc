package argocd

// The annotations that Argo CD reads (argo-cd v3.2, common/common.go,
// pkg/apis/application/v1alpha1/types.go, and docs/user-guide/sync-waves.md,
// sync-options.md, compare-options.md, resource_tracking.md and resource_hooks.md).
const (
	// AnnotationPrefix is the prefix of the names of all of them.
	AnnotationPrefix = "argocd.argoproj.io/"

	// SyncWaveAnnotation is the number of the wave in which an object is applied.
	// Defaults to 0.
	SyncWaveAnnotation = "argocd.argoproj.io/sync-wave"
	// HookWeightAnnotation is Helm's, which Argo CD takes for the wave if there is none.
	HookWeightAnnotation = "helm.sh/hook-weight"
	// SyncOptionsAnnotation lists options, separated by commas, for how an object is
	// applied, pruned and deleted.
	SyncOptionsAnnotation = "argocd.argoproj.io/sync-options"
	// CompareOptionsAnnotation sets how live objects are compared with those in Git.
	CompareOptionsAnnotation = "argocd.argoproj.io/compare-options"
	// HookAnnotation is the phase of a sync in which a hook runs, such as "PostSync".
	HookAnnotation = "argocd.argoproj.io/hook"
	// HookSkip is the hook type of an object that is neither applied nor pruned.
	HookSkip = "Skip"
	// HookDeletePolicyAnnotation lists, separated by commas, when a hook is deleted.
	HookDeletePolicyAnnotation = "argocd.argoproj.io/hook-delete-policy"
	// HelmHookAnnotation and HelmHookDeletePolicyAnnotation make a hook of an object as Argo CD's own do.
	HelmHookAnnotation             = "helm.sh/hook"
	HelmHookDeletePolicyAnnotation = "helm.sh/hook-delete-policy"
	// IgnoreUpdatesAnnotation lists changes of a live object that are no reason to compare it again.
	IgnoreUpdatesAnnotation = "argocd.argoproj.io/ignore-resource-updates"

	// TrackingAnnotation names the Application that manages a live object, and the object:
	// "APPLICATION:GROUP/KIND:NAMESPACE/NAME".
	TrackingAnnotation = "argocd.argoproj.io/tracking-id"

	// InstanceLabel is the label by which Argo CD tracks objects if it is told to. Others also use it, so it counts only
	// if Argo CD has applied the object.
	InstanceLabel = "app.kubernetes.io/instance"

	// GeneratePathsAnnotation, on an Application, lists paths, separated by semicolons.
	// Argo CD generates the manifests again if a commit changes one of them. They are
	// relative to the source's path or, with a leading slash, to the repository; a
	// directory includes everything below it.
	GeneratePathsAnnotation = "argocd.argoproj.io/manifest-generate-paths"
	// PlanLinkAnnotation, on an Application, is a title and the URL of a page, separated
	// by "|", which Argo CD links to.
	PlanLinkAnnotation = "link.argocd.argoproj.io/plan"
	// SkipReconcileAnnotation, on an Application, with the value "true" makes Argo CD
	// ignore it.
	SkipReconcileAnnotation = "argocd.argoproj.io/skip-reconcile"
)
