package impact

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

const (
	sourceDataVolume  = "CDI v1.66, pkg/apiserver/webhooks/datavolume-validate.go, Admit"
	sourceClaimLabels = "CDI v1.65, pkg/controller/datavolume/controller-base.go, newPersistentVolumeClaim"
	sourceResize      = "Kubernetes v1.34, plugin/pkg/admission/storage/persistentvolume/resize"
	sourceClaim       = "Kubernetes v1.34, pkg/apis/core/validation/validation.go, ValidatePersistentVolumeClaimUpdate"
	sourceNMState     = "kubernetes-nmstate, controllers/handler/nodenetworkconfigurationpolicy_controller.go"
	sourceHCO         = "hyperconverged-cluster-operator v1.18, controllers/handlers/kubevirt.go"
	sourceAPI         = "Kubernetes API"

	// adviceClaimLabels is how a claim that exists gets labels.
	adviceClaimLabels = "label the claim: kubectl label pvc CLAIM KEY=VALUE --overwrite, or KEY- to remove a label"

	pathWave = `metadata.annotations."` + labels.Wave + `"`
)

// The conditions of other objects than VMs. Argo CD reads the options of an object
// that is no longer in Git from the live one.
var (
	keptByPrune  = Condition{"Prune=false", func(e *Edit) bool { return cluster.SyncOption(e.Old, "Prune") == "false" }, unseen}
	askedByPrune = Condition{"Prune=confirm", func(e *Edit) bool { return cluster.SyncOption(e.Old, "Prune") == "confirm" }, unseen}
	isWarm       = Condition{"checkpoints of VDDK or ImageIO", func(e *Edit) bool {
		source := manifest.At(e.New, "spec", "source")
		return len(manifest.List(e.New, "spec", "checkpoints")) > 0 && (manifest.At(source, "vddk") != nil || manifest.At(source, "imageio") != nil)
	}, unseen}
	moves      = Condition{"without prune: disabled", func(e *Edit) bool { return IsMoved(e.Old, e.New) }, unseen}
	handedOver = Condition{"removed, without prune: disabled", func(e *Edit) bool { return IsHandedOver(e.Old, e.New) }, unseen}
	ofUser     = Condition{"not a label of vmrender", func(e *Edit) bool {
		key := e.Path[len(e.Path)-1]
		return !labels.IsReserved(key) && key != labels.ManagedBy && key != labels.App
	}, unseen}
	isHook         = Condition{"a hook", func(e *Edit) bool { return cluster.Annotation(e.New, argocd.HookAnnotation) != "" }, unseen}
	ofAnsible      = Condition{"of an Ansible Job", func(e *Edit) bool { return strings.Contains(e.ID.Name, "-ansible-") }, unseen}
	isOurs         = Condition{"rendered by vmrender", func(e *Edit) bool { return cluster.IsRendered(e.Old) }, unseen}
	forcedReplaced = Condition{"Force=true", func(e *Edit) bool {
		return cluster.SyncOption(e.Old, "Force") == "true" || cluster.SyncOption(e.New, "Force") == "true" || cluster.SyncOption(e.InCluster, "Force") == "true"
	}, unseen}
)

// rulesStorage are the rules of DataVolumes and claims.
var rulesStorage = []Rule{
	{Kind: cluster.KindDataVolume, Path: diff.Removed, If: keptByPrune, Level: Left, Code: "left", Reason: "Prune=false keeps the disk and its data", Source: sourceOptions},
	{Kind: cluster.KindDataVolume, Path: diff.Removed, If: askedByPrune, Level: DataLoss, Code: "disk-deleted", Reason: "the disk is deleted with its data", When: "after confirmation in Argo CD", Key: "disks", Source: sourceOptions},
	{Kind: cluster.KindDataVolume, Path: diff.Removed, Level: DataLoss, Code: "disk-deleted", Reason: "the disk is deleted with its data", Advice: "keep the entry, or set lifecycle.keepDisks in an earlier commit", Key: "disks", Source: sourceOptions},
	{Kind: cluster.KindDataVolume, Path: pathWave, If: handedOver, Level: DataLoss, Code: "disk-deleted", Reason: reasonHandedOver, Advice: adviceHandedOver, Key: "delivery", Source: sourceFlux},
	{Kind: cluster.KindDataVolume, Path: pathWave, If: moves, Level: DataLoss, Code: "disk-deleted", Reason: reasonMoved + ": its data is deleted", Advice: "keep the wave", Key: "wave", Source: sourceFlux},
	{Kind: cluster.KindDataVolume, Path: diff.Created, Level: Create, Code: "disk-created", Reason: "a new disk is created and filled", Key: "disks", Source: sourceDataVolume},
	{Kind: cluster.KindDataVolume, Path: "metadata.labels.**", If: ofUser, Level: Metadata, Code: "claim-labels", Reason: "Argo CD changes the DataVolume, but CDI copies its labels only when it creates the claim: a claim that exists keeps its own", Advice: adviceClaimLabels, Key: "diskLabels", Warning: true, Source: sourceClaimLabels},
	{Kind: cluster.KindDataVolume, Path: "spec.checkpoints.**", If: isWarm, Level: Live, Code: "checkpoint", Reason: "CDI copies what has changed since the last checkpoint of the warm migration", Source: sourceDataVolume},
	{Kind: cluster.KindDataVolume, Path: "spec.finalCheckpoint", If: isWarm, Level: Live, Code: "checkpoint", Reason: "CDI ends the warm migration with this checkpoint", Source: sourceDataVolume},
	{Kind: cluster.KindDataVolume, Path: "spec.**", If: forcedReplaced, Level: DataLoss, Code: "disk-replaced", Reason: "CDI refuses the change, and Force=true makes Argo CD delete the disk and fill a new one", Advice: "remove Force=true from the disk", Key: "disks", Source: sourceOptions},
	{Kind: cluster.KindDataVolume, Path: "spec.**", If: unfilled, Level: Refused, Code: "never-filled", Reason: "the disk could not be filled yet, and CDI refuses every change of a DataVolume's spec", Advice: adviceUnfilled, Key: "disks", Source: sourceDataVolume},
	{Kind: cluster.KindDataVolume, Path: "spec.source.**", Level: Refused, Code: "immutable", Reason: "CDI refuses another source for an existing disk", Advice: "keep the source; if the disk could not be filled from it, " + adviceUnfilled, Key: "disks", Source: sourceDataVolume},
	{Kind: cluster.KindDataVolume, Path: "spec.sourceRef.**", Level: Refused, Code: "immutable", Reason: "CDI refuses another source for an existing disk", Advice: "keep the source; if the disk could not be filled from it, " + adviceUnfilled, Key: "disks", Source: sourceDataVolume},
	{Kind: cluster.KindDataVolume, Path: "spec.**", Level: Refused, Code: "immutable", Reason: "CDI refuses every change of a DataVolume's spec", Advice: "to grow a disk, use disks.NAME.expandTo; for another storage class, access or volume mode, set disks.NAME.revision to another number", Key: "disks", Source: sourceDataVolume},

	{Kind: cluster.KindClaim, Path: diff.Removed, If: keptByPrune, Level: Left, Code: "left", Reason: "Prune=false keeps the claim and its data", Source: sourceOptions},
	{Kind: cluster.KindClaim, Path: diff.Removed, Level: DataLoss, Code: "disk-deleted", Reason: "the claim is deleted with its data", Source: sourceOptions},
	{Kind: cluster.KindClaim, Path: pathWave, If: handedOver, Level: DataLoss, Code: "disk-deleted", Reason: reasonHandedOver, Advice: adviceHandedOver, Key: "delivery", Source: sourceFlux},
	{Kind: cluster.KindClaim, Path: pathWave, If: moves, Level: DataLoss, Code: "disk-deleted", Reason: reasonMoved + ": its data is deleted", Advice: "keep the wave", Key: "wave", Source: sourceFlux},
	{Kind: cluster.KindClaim, Path: diff.Created, If: cannotExpand, Level: Refused, Code: "cannot-grow", Reason: "the claim's storage class does not allow growth", Advice: adviceGrowth, Key: "disks", Source: sourceResize},
	{Kind: cluster.KindClaim, Path: diff.Created, Level: Create, Code: "grown", Reason: "the disk grows if its storage class allows it, or is created", Advice: "grow the partition and file system in the guest", Key: "disks", Source: sourceClaim},
	{Kind: cluster.KindClaim, Path: "spec.resources.requests.storage", If: lowered, Level: Refused, Code: "cannot-shrink", Reason: "Kubernetes refuses to shrink a claim", Key: "disks", Source: sourceClaim},
	{Kind: cluster.KindClaim, Path: "spec.resources.requests.storage", If: both(raised, cannotExpand), Level: Refused, Code: "cannot-grow", Reason: "the claim's storage class does not allow growth", Advice: adviceGrowth, Key: "disks", Source: sourceResize},
	{Kind: cluster.KindClaim, Path: "spec.resources.requests.storage", Level: Live, Code: "grown", Reason: "the disk grows while the VM runs, if its storage class allows it", Advice: "grow the partition and file system in the guest", Key: "disks", Source: sourceClaim},
	{Kind: cluster.KindClaim, Path: "spec.**", Level: Refused, Code: "immutable", Reason: "Kubernetes rejects every change of a claim except its growth", Key: "disks", Source: sourceClaim},
}

// rulesNodes are the rules of what configures nodes.
var rulesNodes = slices.Concat(
	[]Rule{
		{Kind: kindNNCP, Path: diff.Removed, If: keptByPrune, Level: Left, Code: "left", Reason: "Prune=false keeps the policy", Source: sourceOptions},
		{Kind: kindNNCP, Path: diff.Removed, Level: Metadata, Code: "not-undone", Reason: "the policy is deleted, but the nodes keep its configuration", Advice: "set the interfaces to state: absent first", Warning: true, Source: sourceNMState},
	},
	node(Rule{Kind: kindNNCP, Level: NodeNetwork, Code: "node-network", Reason: "NMState changes the network of the nodes, and rolls back if they lose their gateway", Advice: "change one node first (maxUnavailable, a canary)", Source: sourceNMState}),
)

const kindNNCP = "NodeNetworkConfigurationPolicy.nmstate.io"

// node returns the rules of a kind that configures nodes, however it changes.
func node(r Rule) []Rule {
	paths := []string{diff.Created, diff.Removed, "spec.**"}
	out := make([]Rule, len(paths))
	for i, path := range paths {
		out[i] = r
		out[i].Path = path
	}
	return out
}

// rulesApplications are the rules of Argo CD's Applications.
var rulesApplications = []Rule{
	{Kind: kindApplication, Path: diff.Removed, If: keptByPrune, Level: Left, Code: "left", Reason: "Prune=false keeps the Application", Source: sourceOptions},
	{Kind: kindApplication, Path: diff.Removed, If: cascades, Level: DataLoss, Code: "application-deleted", Reason: "Argo CD deletes with the Application what it manages, except for objects with Delete=false", Advice: "remove the finalizer in an earlier commit to keep the objects", Warning: true, Source: sourceFinalizer},
	{Kind: kindApplication, Path: diff.Removed, Level: Left, Code: "application-gone", Reason: "the Application has no finalizer: what it manages stays, and nothing syncs it from now on", Source: sourceFinalizer},
	{Kind: kindApplication, Path: "spec.syncPolicy.automated.**", If: added, Level: Metadata, Code: "automated", Reason: "Argo CD syncs it without a user from now on", Source: sourceApplication},
	{Kind: kindApplication, Path: "spec.syncPolicy.automated.**", If: removed, Level: Metadata, Code: "manual", Reason: "from now on, only a user syncs it", Source: sourceApplication},
	{Kind: kindApplication, Path: `metadata.annotations."` + argocd.SkipReconcileAnnotation + `"`, If: added, Level: Metadata, Code: "paused", Reason: "Argo CD neither compares nor syncs it from now on", Source: sourceApplication},
	{Kind: kindApplication, Path: `metadata.annotations."` + argocd.SkipReconcileAnnotation + `"`, Level: Metadata, Code: "resumed", Reason: "Argo CD compares and syncs it again", Source: sourceApplication},
	{Kind: kindApplication, Path: `metadata.annotations."` + argocd.SyncWaveAnnotation + `"`, Level: Metadata, Code: "order", Reason: "it changes only the order in which Applications are synced", Source: sourceApplication},
}

const (
	kindApplication = "Application.argoproj.io"
	// resourcesFinalizer is how the finalizers begin with which the deletion of an Application deletes its objects.
	resourcesFinalizer = "resources-finalizer.argocd.argoproj.io"
	sourceSRIOV        = "sriov-network-operator release-4.20, controllers"
	sourceApplication  = "Argo CD v3.2.11, controller/appcontroller.go"
	sourceFlux         = "kustomize-controller v1.9.5, internal/controller/kustomization_controller.go, deleteObjects"
	sourceFinalizer    = "Argo CD v3.2.11, controller/appcontroller.go, finalizeApplicationDeletion"
)

// cascades is the condition that the deletion of an Application deletes its objects.
var cascades = Condition{"with a finalizer", func(e *Edit) bool {
	return slices.ContainsFunc(manifest.List(e.Old, "metadata", "finalizers"), func(f any) bool {
		s, _ := f.(string)
		return strings.HasPrefix(s, resourcesFinalizer)
	})
}, unseen}

// rulesPlatform are the rules of the layers below the VMs.
var rulesPlatform = []Rule{
	hyperConverged("spec.liveMigrationConfig.network", NodeNetwork, "virt-handler restarts on every node with the new migration network; migrations fail meanwhile"),
	hyperConverged("spec.virtualization.liveMigrationConfig.network", NodeNetwork, "virt-handler restarts on every node with the new migration network; migrations fail meanwhile"),
	overcommit("spec.higherWorkloadDensity.memoryOvercommitPercentage"),
	overcommit("spec.virtualization.higherWorkloadDensity.memoryOvercommitPercentage"),
	hyperConverged("spec.infra.**", Restart, "the operators' pods move to other nodes"),
	hyperConverged("spec.workloads.**", Migrate, "virt-handler moves to other nodes; VMs on nodes without it are not migrated automatically"),
	hyperConverged("spec.defaultCPUModel", Staged, "VMs without a model of their own get it at their next start"),
	hyperConverged("spec.featureGates.**", Live, "KubeVirt's components apply the gates"),
	hyperConverged("spec.**", Live, "the operator configures KubeVirt, CDI and the network components"),
	{Kind: "HyperConverged.hco.kubevirt.io", Path: diff.Removed, If: not(keptByPrune, "without Prune=false"), Level: Refused, Code: "uninstall", Reason: "HyperConverged cannot be deleted while there are VMs; without VMs, its deletion removes KubeVirt and CDI", Source: "hyperconverged-cluster-operator v1.18, uninstallStrategy"},
	{Kind: "Subscription.operators.coreos.com", Path: "spec.channel", Level: Live, Code: "operator-upgrade", Reason: "OLM upgrades the operator to what the channel offers", Advice: "read the operator's release notes: an upgrade of OpenShift Virtualization live-migrates VMs", Source: "OLM v0.38, pkg/controller/operators/catalog"},
	{Kind: "Subscription.operators.coreos.com", Path: "spec.startingCSV", Level: Live, Code: "operator-upgrade", Reason: "applies to the first installation, and to the version that is approved", Source: "OLM v0.38, pkg/controller/operators/catalog"},
	{Kind: "StorageClass.storage.k8s.io", Path: "metadata.**", Level: Metadata, Code: "metadata", Reason: "the default class applies to new claims", Source: sourceAPI},
	{Kind: "StorageClass.storage.k8s.io", Path: "allowVolumeExpansion", Level: Live, Code: "updated", Reason: "whether claims of the class can grow changes", Source: sourceAPI},
	fixedByClass("provisioner"),
	fixedByClass("parameters.**"),
	fixedByClass("reclaimPolicy"),
	fixedByClass("volumeBindingMode"),
	{Kind: "NetworkAttachmentDefinition.k8s.cni.cncf.io", Path: "spec.**", Level: Staged, Code: "network-attachment", Reason: "running VMs keep the network; it takes effect at the next migration or start", When: "at the next migration or start", Source: "multus-cni 28e3dc01, pkg/k8sclient/k8sclient.go, TryLoadPodDelegates"},
	{Kind: "NetworkAttachmentDefinition.k8s.cni.cncf.io", Path: diff.Removed, If: not(keptByPrune, "without Prune=false"), Level: Delete, Code: "deleted", Reason: "VMs on the network keep running, but can no longer start or migrate", Warning: true, Source: "multus-cni 28e3dc01, pkg/k8sclient/k8sclient.go, TryLoadPodDelegates"},
	{Kind: "SriovNetwork.sriovnetwork.openshift.io", Path: "spec.**", Level: Staged, Code: "network-attachment", Reason: "its operator writes the NetworkAttachmentDefinition again; running VMs keep the network; it takes effect at the next migration or start", When: "at the next migration or start", Source: sourceSRIOV},
	{Kind: "SriovNetwork.sriovnetwork.openshift.io", Path: diff.Removed, If: not(keptByPrune, "without Prune=false"), Level: Delete, Code: "deleted", Reason: "its operator deletes the NetworkAttachmentDefinition; VMs on the network keep running, but can no longer start or migrate", Warning: true, Source: sourceSRIOV},
	{Kind: "Namespace", Path: diff.Removed, If: not(keptByPrune, "without Prune=false"), Level: DataLoss, Code: "namespace-deleted", Reason: "everything in the namespace is deleted, with all disks", Source: sourceAPI},
	{Kind: "CustomResourceDefinition.apiextensions.k8s.io", Path: diff.Removed, If: not(keptByPrune, "without Prune=false"), Level: DataLoss, Code: "definition-deleted", Reason: "every object of the kind is deleted", Source: sourceAPI},
}

func hyperConverged(path string, level Level, reason string) Rule {
	return Rule{Kind: "HyperConverged.hco.kubevirt.io", Path: path, Level: level, Code: "hyperconverged", Reason: reason, Source: sourceHCO}
}

// overcommit returns the rule that less memory is overcommitted than before.
func overcommit(path string) Rule {
	r := hyperConverged(path, Staged, "VMs request more memory of the nodes, at their next start or migration: "+
		"what fits now may not fit then")
	r.If, r.Code, r.Warning, r.When = lessOvercommit, "less-overcommit", true, "at the next start or migration"
	r.Advice = "make room first, or lower it in steps"
	return r
}

// lessOvercommit is the condition that the percentage is lower than before. Without one it is 100 (HCO v1.18,
// api/v1beta1/hyperconverged_types.go).
var lessOvercommit = Condition{"lowered", func(e *Edit) bool {
	return quantities.Count(e.Now, 100) < quantities.Count(e.Was, 100)
}, unseen}

func fixedByClass(path string) Rule {
	return Rule{
		Kind: "StorageClass.storage.k8s.io", Path: path, Level: Refused, Code: "immutable",
		Reason: "the API server refuses to change it in a storage class",
		Source: "Kubernetes v1.34, pkg/apis/storage/validation, ValidateStorageClassUpdate",
	}
}

// isFixed is the condition that the API server refuses changes of the content.
var isFixed = Condition{"immutable: true", func(e *Edit) bool { return e.Old["immutable"] == true }, unseen}

// fixedContent returns the rules of a kind whose content can be immutable.
func fixedContent(kind string) []Rule {
	paths := []string{"data.**", "binaryData.**", "stringData.**", "immutable"}
	out := make([]Rule, 0, len(paths))
	for _, path := range paths {
		out = append(out, Rule{
			Kind: kind, Path: path, If: isFixed, Level: Refused, Code: "immutable",
			Reason: "the API server refuses to change the content of an object with immutable: true",
			Advice: "use a new object of another name, and remove the old one",
			Source: "Kubernetes v1.34, pkg/apis/core/validation/validation.go, ValidateConfigMapUpdate, ValidateSecretUpdate",
		})
	}
	return out
}

// rulesObjects are the rules of every other kind.
var rulesObjects = slices.Concat(fixedContent("ConfigMap"), fixedContent(cluster.KindSecret), []Rule{
	{Kind: cluster.KindJob, Path: "*.**", If: isHook, Level: Create, Code: "job", Reason: "Argo CD replaces the Job of the last sync, and the new one runs", Source: sourceOptions},
	{Kind: cluster.KindJob, Path: diff.Created, Level: Create, Code: "job", Reason: "the Job runs", Source: sourceAPI},
	{Kind: cluster.KindJob, Path: diff.Removed, Level: None, Code: "job-removed", Reason: "the finished Job is removed; one that still runs is stopped", Source: sourceAPI},
	{Kind: cluster.KindAnsibleJob, Path: diff.Removed, Level: None, Code: "job-removed", Reason: "the finished AnsibleJob is removed", Source: sourceAPI},
	{Kind: cluster.KindJob, Path: "spec.template.**", Level: Refused, Code: "immutable", Reason: "the API server refuses to change a Job's template, unless Argo CD replaces the hook", Source: sourceAPI},
	{Kind: cluster.KindSecret, Path: diff.Removed, If: ofAnsible, Level: None, Code: "job-removed", Reason: "the variables of the finished Job are removed", Source: sourceOptions},
	{Kind: "ServiceAccount", Path: diff.Removed, If: isOurs, Level: None, Code: "job-removed", Reason: "it was for the Jobs of VMs that no longer exist", Source: sourceOptions},
	{Kind: "Role.rbac.authorization.k8s.io", Path: diff.Removed, If: isOurs, Level: None, Code: "job-removed", Reason: "it was for the Jobs of VMs that no longer exist", Source: sourceOptions},
	{Kind: "RoleBinding.rbac.authorization.k8s.io", Path: diff.Removed, If: isOurs, Level: None, Code: "job-removed", Reason: "it was for the Jobs of VMs that no longer exist", Source: sourceOptions},
	{Kind: "Service", Path: "spec.clusterIP", Level: Refused, Code: "immutable", Reason: "Kubernetes refuses to change the address of a Service, and whether it has one", Advice: "use a new Service of another name, and remove the old one", Key: "services", Source: "Kubernetes v1.34, pkg/apis/core/validation/validation.go, ValidateServiceUpdate"},
	{Path: diff.Created, Level: Create, Code: "created", Reason: "a new object", Source: sourceAPI, Assumes: Seen},
	{Path: diff.Removed, If: keptByPrune, Level: Left, Code: "left", Reason: "Prune=false keeps it", Source: sourceOptions},
	{Path: diff.Removed, If: askedByPrune, Level: Delete, Code: "deleted", Reason: "Argo CD deletes it", When: "after confirmation in Argo CD", Source: sourceOptions},
	{Path: diff.Removed, Level: Delete, Code: "deleted", Reason: "Argo CD deletes it", Source: sourceOptions},
	{Path: pathWave, If: handedOver, Level: Delete, Code: "deleted", Reason: reasonHandedOver, Advice: adviceHandedOver, Key: "delivery", Source: sourceFlux},
	{Path: pathWave, If: moves, Level: Recreate, Code: "replaced", Reason: reasonMoved, Key: "wave", Source: sourceFlux},
	{Path: "metadata.*.**", Level: Metadata, Code: "metadata", Reason: "labels and annotations", Source: sourceAPI},
	{Path: "*.**", Level: Live, Code: "updated", Reason: "updated in place", Source: sourceAPI},
})

// ObjectRules are the rules of all objects but VMs, in the order in which they
// are tried.
var ObjectRules = compile(rulesStorage, rulesMigration, rulesEffects, rulesNodes, rulesApplications, rulesPlatform, rulesKinds, rulesObjects)
