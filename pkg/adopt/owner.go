package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// ManagedBy describes who manages a VirtualMachine already, and how it is released
// there; "" if no manager is known. Two that manage one VM undo what the
// other does, and the one that loses it from its files deletes it.
func ManagedBy(vm manifest.Tree) string {
	for _, find := range []func(tree) string{byVmrender, byArgoCD, byMark, byOwner, byManager} {
		if who := find(vm); who != "" {
			return who
		}
	}
	return ""
}

// byVmrender finds what vmrender has rendered.
func byVmrender(vm tree) string {
	if manifest.Text(vm, "metadata", "labels", labels.ManagedBy) != labels.Manager {
		return ""
	}
	where := "its entry is in the files of another fleet"
	if app := application(vm); app != "" {
		where = fmt.Sprintf("its entry is in the files of the Application %q", app)
	}
	return "vmrender renders it already, and " + where + "; change it there, or release it with `vmrender release`"
}

// application returns the Application that tracks a VM by its annotation, or "".
func application(vm tree) string {
	return argocd.TrackedBy(manifest.Text(vm, "metadata", "annotations", argocd.TrackingAnnotation),
		"kubevirt.io", "VirtualMachine", manifest.Text(vm, "metadata", "namespace"), manifest.Text(vm, "metadata", "name"))
}

// byArgoCD finds Applications: by the annotation, or by the label and the manager of
// fields (argo-cd v3.2.11, common/common.go, ArgoCDSSAManager, and for client-side apply
// the name of the program).
func byArgoCD(vm tree) string {
	app := application(vm)
	if app == "" && applies(vm, "argocd-") {
		app = manifest.Text(vm, "metadata", "labels", argocd.InstanceLabel)
	}
	if app == "" {
		return ""
	}
	return fmt.Sprintf("the Argo CD Application %q manages it; release it there: give it the annotation "+
		"%s: Prune=false, remove it from the Application's files, and then remove its annotation %s and its label %s",
		app, argocd.SyncOptionsAnnotation, argocd.TrackingAnnotation, argocd.InstanceLabel)
}

// ownerMark is a label or annotation by which others recognize their objects.
type ownerMark struct {
	key   string
	value string // with which it begins, ignoring case; "" for any
	who   string // in words; %s is the value
	first string // how the VM is released there
}

// What releases a VM from a tool.
const (
	keepInHelm = "set helm.sh/resource-policy: keep on the VirtualMachine in its chart, upgrade the release, " +
		"remove the VM from the chart, and then remove its labels and annotations of Helm"
	byController = "and recreates it if it is deleted; leave it there"
	ofState      = "remove it from the state (terraform state rm), and then remove its label"
	clearManager = "remove it from its state without deleting it (terraform state rm, pulumi state delete), " +
		`and then clear the managers of its fields: kubectl patch virtualmachine NAME --type json ` +
		`--patch '[{"op": "replace", "path": "/metadata/managedFields", "value": [{}]}]'`
)

// ownerMarks are read from the top: a tool that uses another one comes before it.
var ownerMarks = []ownerMark{
	// cozystack/cozystack, whose applications are HelmReleases of Flux.
	{"apps.cozystack.io/application.name", "", "Cozystack's application %q", byController},
	// kubernetes-sigs/cluster-api-provider-kubevirt, api/v1alpha1.
	{"capk.cluster.x-k8s.io/kubevirt-machine-name", "", "the Cluster API's KubevirtMachine %q", byController},
	// harvester/docker-machine-driver-harvester, for nodes of clusters.
	{"harvesterhci.io/creator", "docker-machine-driver", "a cluster of Rancher (%s)", byController},
	// harvester/terraform-provider-harvester, internal/provider/virtualmachine (vmCreator).
	{"harvesterhci.io/creator", "terraform-provider", "Terraform (%s)", ofState},
	// fluxcd/helm-controller labels what its releases have.
	{"helm.toolkit.fluxcd.io/name", "", "Flux's HelmRelease %q", keepInHelm},
	// fluxcd/kustomize-controller, docs/spec/v1/kustomizations.md ("Garbage collection").
	{
		"kustomize.toolkit.fluxcd.io/name", "", "Flux's Kustomization %q",
		"set kustomize.toolkit.fluxcd.io/prune: disabled on it in its files, reconcile, remove it from the files, " +
			"and then remove its labels of Flux",
	},
	// rancher/fleet issue 2156; fleet deploys bundles as releases of Helm.
	{"objectset.rio.cattle.io/id", "", "Rancher's Fleet (bundle %q)", keepInHelm},
	{"fleet.cattle.io/managed", "", "Rancher's Fleet (%s)", keepInHelm},
	// helm/helm v3.22.0, pkg/action/validate.go and pkg/kube/resource_policy.go.
	{"meta.helm.sh/release-name", "", "the Helm release %q", keepInHelm},
	{labels.ManagedBy, "Helm", "%s", keepInHelm},
	// crossplane/crossplane labels what a composite resource has.
	{
		"crossplane.io/composite", "", "Crossplane (composite resource %q)",
		"remove Delete from the managementPolicies of its resource there, and delete that resource",
	},
	// operator-framework/operator-lifecycle-manager, pkg/lib/ownerutil.
	{"olm.owner", "", "the Operator Lifecycle Manager (%s)", byController},
	// GoogleContainerTools/kpt-config-sync, and sigs.k8s.io/cli-utils, pkg/common
	// (LifecycleDeleteAnnotation).
	{
		"configmanagement.gke.io/managed", "enabled", "Config Sync",
		"set client.lifecycle.config.k8s.io/deletion: detach on it in its files, sync, and remove it from the files",
	},
	// carvel-dev/kapp, pkg/kapp/clusterapply (deleteStrategyAnnKey).
	{
		"kapp.k14s.io/app", "", "kapp (app %q)",
		"set kapp.k14s.io/delete-strategy: orphan on it in its files, deploy, remove it from the files and deploy again",
	},
	// Red Hat Advanced Cluster Management, "Applications" in its documentation.
	{
		"apps.open-cluster-management.io/hosting-subscription", "", "the subscription %q of Open Cluster Management",
		"set apps.open-cluster-management.io/do-not-delete: 'true' on it, and remove it from the subscription's files",
	},
	{labels.ManagedBy, "", "%q (its label " + labels.ManagedBy + ")", "release it there, and remove its label"},
}

// byMark finds the tools that mark what they manage.
func byMark(vm tree) string {
	for _, m := range ownerMarks {
		for _, of := range []string{"labels", "annotations"} {
			value := manifest.Text(vm, "metadata", of, m.key)
			if value == "" || !strings.HasPrefix(strings.ToLower(value), strings.ToLower(m.value)) {
				continue
			}
			who := m.who
			if strings.Contains(who, "%") {
				who = fmt.Sprintf(who, value)
			}
			return who + " manages it" + m.release()
		}
	}
	return ""
}

func (m *ownerMark) release() string {
	if m.first == byController {
		return ", " + m.first
	}
	return "; release it there: " + m.first
}

// byOwner finds the object that controls a VM, such as a VirtualMachinePool or the
// object of an operator: with it, Kubernetes deletes the VM.
func byOwner(vm tree) string {
	owners := manifest.List(vm, "metadata", "ownerReferences")
	i := slices.IndexFunc(owners, func(o any) bool { return manifest.At(o, "controller") == true })
	if i < 0 && len(owners) > 0 {
		i = 0
	}
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("the %s %q owns it: Kubernetes deletes the VM with that object; "+
		"leave it there, or remove it from that object, and remove its ownerReferences",
		manifest.Text(owners[i], "kind"), manifest.Text(owners[i], "name"))
}

// managers are the names under which tools without a mark write specs (metav1.ManagedFieldsEntry):
// the name that they choose, or the beginning of their User-Agent.
var managers = []struct{ prefix, who string }{
	{"Terraform", "Terraform"},          // hashicorp/terraform-provider-kubernetes, field_manager of kubernetes_manifest
	{"HashiCorp", "Terraform"},          // there, its User-Agent
	{"terraform-provider", "Terraform"}, // kubevirt/terraform-provider-kubevirt and others
	{"pulumi", "Pulumi"},                // pulumi/pulumi-kubernetes pull request 2271
}

// byManager finds the tools that can only be known by what they wrote.
func byManager(vm tree) string {
	for _, m := range managers {
		if applies(vm, m.prefix) {
			return fmt.Sprintf("%s manages it; release it there: %s", m.who, clearManager)
		}
	}
	return ""
}

// applies reports whether a client whose name begins with a prefix wrote fields of the spec.
func applies(vm tree, prefix string) bool {
	return slices.ContainsFunc(manifest.List(vm, "metadata", "managedFields"), func(m any) bool {
		return strings.HasPrefix(manifest.Text(m, "manager"), prefix) && manifest.At(m, "fieldsV1", "f:spec") != nil
	})
}

// WithoutHelm returns objects without Helm's labels and annotations of a release: what a
// chart renders, for files that take the place of the chart.
func WithoutHelm(objects []manifest.Object) ([]manifest.Object, error) {
	out := make([]manifest.Object, len(objects))
	for i, o := range objects {
		t := o.Tree()
		if marks := manifest.Map(t, "metadata", "labels"); marks[labels.ManagedBy] == "Helm" {
			delete(marks, labels.ManagedBy)
		}
		delete(manifest.Map(t, "metadata", "labels"), "helm.sh/chart")
		made, err := manifest.New(t)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", o.ID, err)
		}
		out[i] = made
	}
	return out, nil
}
