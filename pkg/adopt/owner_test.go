package adopt

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestManagedBy(t *testing.T) {
	tests := map[string]struct {
		metadata string
		want     string // prefix; "" for no owner
	}{
		"nobody": {
			`{labels: {app: web, app.kubernetes.io/instance: web}, annotations: {kubevirt.io/latest-observed-api-version: v1},
			  managedFields: [{manager: virt-api, fieldsV1: {"f:spec": {}}},
			    {manager: Terraform, fieldsV1: {"f:metadata": {}}}]}`, "",
		},
		"vmrender": {
			`{labels: {app.kubernetes.io/managed-by: vmrender}}`,
			"vmrender renders it already, and its entry is in the files of another fleet; change it there",
		},
		"vmrender, with its Application": {
			`{name: a, namespace: b, labels: {app.kubernetes.io/managed-by: vmrender},
			  annotations: {argocd.argoproj.io/tracking-id: "fleet:kubevirt.io/VirtualMachine:b/a"}}`,
			`vmrender renders it already, and its entry is in the files of the Application "fleet"; change it there`,
		},
		"an Application": {
			`{name: a, namespace: b,
			  annotations: {argocd.argoproj.io/tracking-id: "argocd_web:kubevirt.io/VirtualMachine:b/a"}}`,
			`the Argo CD Application "web" manages it; release it there: give it the annotation`,
		},
		"the annotation of the VM that it is a copy of": {
			`{name: c, namespace: b, annotations: {argocd.argoproj.io/tracking-id: "web:kubevirt.io/VirtualMachine:b/a"}}`, "",
		},
		"an Application by its label": {
			`{labels: {app.kubernetes.io/instance: web},
			  managedFields: [{manager: argocd-controller, fieldsV1: {"f:spec": {}}}]}`,
			`the Argo CD Application "web" manages it; release it there: `,
		},
		"Helm": {
			`{annotations: {meta.helm.sh/release-name: shop}, labels: {app.kubernetes.io/managed-by: Helm}}`,
			`the Helm release "shop" manages it; release it there: set helm.sh/resource-policy: keep on`,
		},
		"Helm's label alone": {
			`{labels: {app.kubernetes.io/managed-by: Helm}}`,
			"Helm manages it; release it there: set helm.sh/resource-policy: keep",
		},
		"Flux, with Helm": {
			`{annotations: {meta.helm.sh/release-name: shop}, labels: {helm.toolkit.fluxcd.io/name: shop}}`,
			`Flux's HelmRelease "shop" manages it; release it there: set helm.sh/resource-policy: keep on`,
		},
		"Cozystack, with Flux": {
			`{labels: {apps.cozystack.io/application.name: vm1, helm.toolkit.fluxcd.io/name: vm1}}`,
			`Cozystack's application "vm1" manages it, and recreates it if it is deleted; leave it there`,
		},
		"Flux": {
			`{labels: {kustomize.toolkit.fluxcd.io/name: vms, kustomize.toolkit.fluxcd.io/namespace: flux-system}}`,
			`Flux's Kustomization "vms" manages it; release it there: set kustomize.toolkit.fluxcd.io/prune: disabled`,
		},
		"Fleet": {
			`{annotations: {objectset.rio.cattle.io/id: default-vms, meta.helm.sh/release-name: vms}}`,
			`Rancher's Fleet (bundle "default-vms") manages it; release it there: set helm.sh`,
		},
		"a cluster of Rancher": {
			`{labels: {harvesterhci.io/creator: docker-machine-driver-harvester}}`,
			"a cluster of Rancher (docker-machine-driver-harvester) manages it, and recreates it if it is deleted; " +
				"leave it there",
		},
		"Terraform on Harvester": {
			`{labels: {harvesterhci.io/creator: terraform-provider-harvester}}`,
			`Terraform (terraform-provider-harvester) manages it; release it there: remove it from the state`,
		},
		"Harvester's own console": {`{labels: {harvesterhci.io/creator: harvester}}`, ""},
		"a label": {
			`{labels: {app.kubernetes.io/managed-by: ansible}}`,
			`"ansible" (its label app.kubernetes.io/managed-by) manages it`,
		},
		"Terraform": {
			`{managedFields: [{manager: Terraform, fieldsV1: {"f:spec": {}}}]}`,
			"Terraform manages it; release it there: remove it from its state without deleting it",
		},
		"Pulumi": {
			`{managedFields: [{manager: pulumi-kubernetes-1234, fieldsV1: {"f:spec": {}}}]}`,
			"Pulumi manages it; release it there: ",
		},
		"a pool": {
			`{ownerReferences: [{kind: Other, name: a}, {kind: VirtualMachinePool, name: web, controller: true}]}`,
			`the VirtualMachinePool "web" owns it: Kubernetes deletes the VM with that object; leave it there`,
		},
		"an owner that does not control it": {
			`{ownerReferences: [{kind: Other, name: a}]}`,
			`the Other "a" owns it: Kubernetes deletes the VM with that object`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := ManagedBy(parse(t, "metadata: "+test.metadata))
			if test.want == "" {
				require.Empty(t, got)
			}
			require.True(t, strings.HasPrefix(got, test.want), got)
		})
	}
}

// TestEveryMarkIsFound checks that no mark is hidden by one above it.
func TestEveryMarkIsFound(t *testing.T) {
	for _, m := range ownerMarks {
		value := m.value
		if value == "" {
			value = "x"
		}
		got := byMark(tree{"metadata": tree{"labels": tree{m.key: value}}})
		require.True(t, strings.HasSuffix(got, m.first), "%s: %s", m.key, got)
		require.Equal(t, got, byMark(tree{"metadata": tree{"annotations": tree{m.key: value}}}))
	}
}
