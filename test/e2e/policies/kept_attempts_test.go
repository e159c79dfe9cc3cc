package policies_test

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// These accounts have all verbs, as Argo CD's have in most clusters.
var (
	argoController  = serviceAccount("argocd", "argocd-application-controller")
	argoServer      = serviceAccount("argocd", "argocd-server")
	argoManager     = serviceAccount("kube-system", "argocd-manager") // in clusters that Argo CD manages from another one
	applicationSets = serviceAccount("argocd", "argocd-applicationset-controller")
	cdi             = serviceAccount("openshift-cnv", "cdi-sa")
	cdiOperator     = serviceAccount("openshift-cnv", "cdi-operator")
	kubeVirtUpdate  = serviceAccount("openshift-cnv", "kubevirt-operator")
	collector       = serviceAccount("kube-system", "generic-garbage-collector")
	sharedIdentity  = user("system:kube-controller-manager")
)

const (
	keepsAll = "Prune=false,Delete=false"
	approval = "argocd.argoproj.io/deletion-approved"
)

var (
	inBackground = metav1.DeletePropagationBackground
	inForeground = metav1.DeletePropagationForeground
)

// options sets the sync options of an object.
func options(o *unstructured.Unstructured, text string) *unstructured.Unstructured {
	return noted(o, "argocd.argoproj.io/sync-options", text)
}

func noted(o *unstructured.Unstructured, key, value string) *unstructured.Unstructured {
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	o.SetAnnotations(annotations)
	return o
}

func volumeClaim() *unstructured.Unstructured {
	return newObject("v1", "PersistentVolumeClaim", "team", object{
		"accessModes": []any{"ReadWriteOnce"}, "resources": object{"requests": object{"storage": "1Gi"}},
	})
}

// stateClaim returns a claim as KubeVirt makes it for the TPM of a VM.
func stateClaim(vm string) *unstructured.Unstructured {
	return labelled(volumeClaim(), map[string]string{"persistent-state-for": vm})
}

// removal returns a deletion that is refused, or admitted if refused is empty.
func removal(name string, as rest.ImpersonationConfig, o *unstructured.Unstructured, refused string) attempt {
	return attempt{name: name, as: as, object: o, remove: true, refused: refused}
}

// keepingAttempts returns deletions of what is kept by every client, next to
// the deletions that a cluster needs.
func keepingAttempts() []attempt {
	all := named("protected", append(keptObjectAttempts(), petAttempts()...))
	return append(all, definitionAttempts()...)
}

func keptObjectAttempts() []attempt {
	const byDisk, byClaim = "is kept (Delete=false), also when a sync replaces it; to delete it, remove that first: kubectl annotate datavolume protected-", "kubectl annotate persistentvolumeclaim protected-"
	const state = "has the state of the TPM or EFI of a VM; to delete it, remove its label first: kubectl label persistentvolumeclaim protected-"
	keptDisk := func() *unstructured.Unstructured { return options(disk("team"), keepsAll) }
	keptClaim := func() *unstructured.Unstructured {
		return options(volumeClaim(), "ServerSideApply=true, Prune=false, Delete=false")
	}
	root := func() *unstructured.Unstructured {
		return labelled(keptDisk(), map[string]string{"vmrender.io/disk": "root"})
	}
	return []attempt{
		removal("disk by Argo CD", argoController, keptDisk(), byDisk),
		removal("disk by Argo CD's user interface", argoServer, keptDisk(), byDisk),
		removal("disk by Argo CD of another cluster", argoManager, keptDisk(), byDisk),
		removal("disk by the account of a tenant", argoCD, keptDisk(), byDisk),
		removal("disk by a user", developer, keptDisk(), byDisk),
		removal("disk by the garbage collector", collector, keptDisk(), "release it: kubectl patch datavolume"),
		removal("disk by controllers with one identity", sharedIdentity, keptDisk(), "release it: kubectl patch datavolume"),
		removal("disk by a rollout", rollout, keptDisk(), "denied request"), /* by two policies */
		removal("root disk of cattle by a rollout", rollout, root(), ""),
		removal("root disk of cattle by Argo CD", argoController, root(), byDisk),
		removal("disk by a protection admin", protectionAdmin, keptDisk(), ""),
		removal("disk by an administrator", admin, keptDisk(), ""),
		removal("disk by CDI", cdi, keptDisk(), ""),
		removal("disk by KubeVirt, after a restore", kubeVirt, keptDisk(), ""),
		removal("disk that is only not pruned, by Argo CD", argoController, options(disk("team"), "Prune=false"), ""),
		removal("disk without options by Argo CD", argoController, disk("team"), ""),
		removal("claim by Argo CD", argoController, keptClaim(), byClaim),
		removal("claim by a user", developer, keptClaim(), byClaim),
		removal("claim by the garbage collector", collector, keptClaim(), "release it: kubectl patch persistentvolumeclaim"),
		removal("claim by an administrator", admin, keptClaim(), ""),
		removal("claim by CDI", cdi, keptClaim(), ""),
		removal("temporary claim by CDI", cdi, volumeClaim(), ""),
		removal("claim without options by a user", developer, volumeClaim(), ""),
		removal("state of a TPM by Argo CD", argoServer, stateClaim("db"), state),
		removal("state of a TPM by a user", developer, stateClaim("db"), state),
		removal("state of a TPM by KubeVirt, after a migration", kubeVirt, stateClaim("db"), ""),
		removal("state of a TPM of cattle by the garbage collector", collector, stateClaim("web-1"), ""),
		removal("state of a TPM by an administrator", admin, stateClaim("db"), ""),
		removal("namespace by Argo CD", argoController, options(namespace(), keepsAll), "kubectl annotate namespace protected-"),
		removal("other namespace by Argo CD", argoController, namespace(), ""),
	}
}

// pet returns a pet with sync options.
func pet(text string) *unstructured.Unstructured {
	return options(noted(machine("team"), "vmrender.io/lifecycle", "pet"), text)
}

func petAttempts() []attempt {
	const refused = "is a pet that no commit has approved to go"
	const denied, confirm, approved = "Prune=false,Delete=confirm", "Prune=confirm,Delete=confirm", "Delete=confirm"
	at := func(name string, as rest.ImpersonationConfig, o *unstructured.Unstructured, how *metav1.DeletionPropagation, refused string) attempt {
		return attempt{name: name, as: as, object: o, remove: true, propagation: how, refused: refused}
	}
	return []attempt{
		at("forced replacement of a pet", argoController, pet(denied), &inBackground, refused),
		at("forced replacement of a pet by the account of a tenant", argoCD, pet(denied), &inBackground, refused),
		at("forced replacement of a pet in another cluster", argoManager, pet(denied), &inBackground, refused),
		at("deletion of a pet without a propagation", argoController, pet(denied), nil, refused),
		at("deletion of a pet in the list of resources", argoServer, pet(denied), &inForeground, refused),
		at("deletion of a pet with its Application, confirmed", argoController, pet(denied), &inForeground, ""),
		at("deletion with its Application of a pet that stays", argoController, pet(keepsAll), &inForeground, refused),
		at("pruning of a pet, confirmed", argoController, pet(confirm), &inForeground, ""),
		at("forced replacement of a pet whose pruning needs a confirmation", argoController, pet(confirm), &inBackground, refused),
		at("pruning of a pet, approved in Git", argoController, pet(approved), &inForeground, ""),
		at("pruning in the background of a pet, approved in Git", argoController, pet(approved), &inBackground, ""),
		at("deletion of a pet by a user", developer, pet(denied), &inBackground, ""),
		at("forced replacement of cattle", argoController, noted(machine("team"), "vmrender.io/lifecycle", "cattle"), &inBackground, ""),
	}
}

// definition returns a definition of a kind.
func definition(plural, group string) *unstructured.Unstructured {
	o := newObject("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", object{
		"group": group, "scope": "Namespaced",
		"names": object{"plural": plural, "singular": plural[:len(plural)-1], "kind": "Gadget" + plural[:1], "listKind": "Gadget" + plural[:1] + "List"},
		"versions": []any{object{"name": "v1", "served": true, "storage": true, "schema": object{
			"openAPIV3Schema": object{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
		}}},
	})
	o.SetName(plural + "." + group)
	return o
}

func definitionAttempts() []attempt {
	refused := func(plural string) string {
		return "all " + plural + " of the cluster would be deleted; to delete them: kubectl annotate customresourcedefinition " + plural
	}
	application := func(name string, confirms bool, finalizers ...string) *unstructured.Unstructured {
		o := newObject("argoproj.io/v1alpha1", "Application", "team", object{})
		o.SetName(name)
		o.SetFinalizers(finalizers)
		vm := object{"group": "kubevirt.io", "kind": "VirtualMachine", "name": "db"}
		if confirms {
			vm["requiresDeletionConfirmation"] = true
		}
		return with(o, []any{object{"kind": "Service", "name": "db"}, vm}, "status", "resources")
	}
	const cascade, background, pets = "resources-finalizer.argocd.argoproj.io", "resources-finalizer.argocd.argoproj.io/background", " has pets; to keep its VMs, delete it with: argocd app delete "
	return []attempt{
		removal("definition by an administrator", admin, definition("anvils", "cdi.kubevirt.io"), refused("anvils")),
		removal("definition by Argo CD", argoController, definition("bolts", "kubevirt.io"), refused("bolts")),
		removal("definition by KubeVirt's operator", kubeVirtUpdate, definition("cogs", "kubevirt.io"), ""),
		removal("definition by CDI's operator", cdiOperator, definition("dials", "cdi.kubevirt.io"), ""),
		removal("definition by an administrator, confirmed", admin, noted(definition("eyelets", "kubevirt.io"), approval, "yes"), ""),
		removal("definition of another group", admin, definition("files", "notkubevirt.io"), ""),
		removal("Application with pets by a user interface", argoServer, application("pets", true, cascade), "Application pets"+pets),
		removal("Application with pets by its ApplicationSet", applicationSets, application("generated", true, cascade), "Application generated"+pets),
		removal("Application with pets by an administrator", admin, application("of-admin", true, background), "Application of-admin"+pets),
		removal("Application with pets that stay", argoServer, application("stays", true), ""),
		removal("Application with pets, confirmed", argoServer, noted(application("confirmed", true, cascade), approval, "yes"), ""),
		removal("Application without pets", argoServer, application("cattle", false, cascade), ""),
	}
}
