package e2e_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// When an Application with pets is deleted with all its objects, everything stays until a
// user confirms. Then its VMs are deleted, with the disks of cattle; the disks of pets
// stay.
func TestDeletedApplication(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "deleted", "vms:\n  db: {disks: {data: {size: 10Gi, expandTo: 20Gi}}}\n  web: {lifecycle: cattle}\n")
	machines, disks := s.machines(), s.disks()
	require.Len(t, disks, 3)

	s.deleteApplication()
	var asked []func() bool
	for _, server := range lab.argo.Servers() {
		asked = append(asked, server.Logs("{kubevirt.io VirtualMachine deleted db} requires manual confirmation to delete"))
	}
	s.eventually("the question", func() bool {
		return slices.ContainsFunc(asked, func(asks func() bool) bool { return asks() })
	})
	require.Equal(t, machines, s.machines())
	require.Equal(t, disks, s.disks())

	require.NoError(t, s.app.Approve(t.Context()))
	s.eventually("the end of the Application", func() bool { return !s.applicationExists() })
	require.Empty(t, s.machines())
	s.eventually("the end of the disks of cattle", func() bool { return len(s.disks()) <= 2 && len(s.names(kubevirt.Claims)) <= 2 })
	require.Equal(t, map[string]types.UID{"db": disks["db"], "db-data": disks["db-data"]}, s.disks())
	for _, kind := range []schema.GroupVersionResource{kubevirt.DataVolumes, kubevirt.Claims} {
		for _, name := range []string{"db", "db-data"} {
			require.Nil(t, s.object(kind, name).GetDeletionTimestamp(), name)
		}
	}
	s.stands(map[string]string{"db": "not-synced", "web": "not-synced"})
}

// applicationKind is the kind of Argo CD's Applications.
var applicationKind = schema.GroupVersionKind{Group: "argoproj.io", Version: "v1alpha1", Kind: "Application"}

func (s *scenario) applicationExists() bool {
	s.Helper()
	app, err := lab.cluster.Get(s.Context(), applicationKind, argo.Namespace, s.name)
	require.NoError(s, err)
	return app != nil
}

// changeApplication changes the Application.
func (s *scenario) changeApplication(change func(*unstructured.Unstructured)) {
	s.Helper()
	require.NoError(s, lab.cluster.Update(s.Context(), applicationKind, argo.Namespace, s.name, change))
}

// deleteApplication deletes the Application as `argocd app delete --cascade` does.
func (s *scenario) deleteApplication() {
	s.Helper()
	s.changeApplication(func(app *unstructured.Unstructured) {
		app.SetFinalizers([]string{"resources-finalizer.argocd.argoproj.io"})
	})
	apps, err := lab.cluster.Of(applicationKind, argo.Namespace)
	require.NoError(s, err)
	require.NoError(s, apps.Delete(s.Context(), s.name, metav1.DeleteOptions{}))
}

// A protected pet is not deleted as long as it has OpenShift's label, even if a commit
// approves its removal.
func TestProtected(t *testing.T) {
	t.Parallel()
	policy, err := cluster.Objects([]byte(deletionPolicy))
	require.NoError(t, err)
	require.NoError(t, lab.cluster.Install(t.Context(), policy))
	s := newLifecycle(t, "protected", "vms:\n  db: {lifecycle: {protect: true, removal: approved}}\n  other: {}\n")
	vms := lab.cluster.Resource(kubevirt.VirtualMachines).Namespace(s.name)
	s.eventually("a refusal", func() bool {
		err := vms.Delete(t.Context(), "db", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil
	})

	s.write("vms.yaml", "vms: {other: {}}\n")
	s.push("No database")
	s.wait(syncFailed)
	require.NotEmpty(t, s.machines()["db"])
	s.stands(map[string]string{"db": "left-over"})
}

// deletionPolicy is the policy of OpenShift Virtualization (kubevirt/ssp-operator,
// internal/operands/vm-delete-protection).
const deletionPolicy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: kubevirt-vm-deletion-protection}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
      - {apiGroups: [kubevirt.io], apiVersions: ["*"], operations: [DELETE], resources: [virtualmachines]}
  variables:
    - {name: label, expression: "string('kubevirt.io/vm-delete-protection')"}
  validations:
    - expression: >-
        !has(oldObject.metadata.labels) || !(variables.label in oldObject.metadata.labels) ||
        !oldObject.metadata.labels[variables.label].matches('^(true|True)$')
      message: this VirtualMachine is protected from deletion
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: kubevirt-vm-deletion-protection}
spec: {policyName: kubevirt-vm-deletion-protection, validationActions: [Deny]}
`
