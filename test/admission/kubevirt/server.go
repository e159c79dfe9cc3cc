package kubevirt

import (
	"net/http"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	webhooks "kubevirt.io/kubevirt/pkg/util/webhooks/validating-webhooks"
	mutating "kubevirt.io/kubevirt/pkg/virt-api/webhooks/mutating-webhook"
	"kubevirt.io/kubevirt/pkg/virt-operator/resource/generate/components"
)

// Handlers returns the webhooks for VirtualMachines, by the path under which
// virt-api serves them.
func (w *Webhooks) Handlers() map[string]http.Handler {
	return map[string]http.Handler{
		components.VMMutatePath: http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
			mutating.ServeVMs(response, request, w.config, w.client)
		}),
		components.VMValidatePath: http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
			webhooks.Serve(response, request, w.machine)
		}),
	}
}

// Configurations returns the configurations that virt-operator installs for virt-api.
func Configurations() []any {
	return []any{
		components.NewVirtAPIMutatingWebhookConfiguration("kubevirt"),
		components.NewVirtAPIValidatingWebhookConfiguration("kubevirt"),
	}
}

// Definitions returns the CustomResourceDefinitions that virt-operator
// installs, for the kinds that a fleet consists of and the kinds that act on
// its VirtualMachines.
func Definitions() ([]any, error) {
	var definitions []any
	for _, definition := range []func() (*apiextensionsv1.CustomResourceDefinition, error){
		components.NewVirtualMachineCrd,
		components.NewVirtualMachineInstanceCrd,
		components.NewReplicaSetCrd,
		components.NewVirtualMachineInstanceMigrationCrd,
		components.NewVirtualMachinePoolCrd,
		components.NewVirtualMachineSnapshotCrd,
		components.NewVirtualMachineSnapshotContentCrd,
		components.NewVirtualMachineRestoreCrd,
		components.NewVirtualMachineCloneCrd,
		components.NewVirtualMachineInstancetypeCrd,
		components.NewVirtualMachineClusterInstancetypeCrd,
		components.NewVirtualMachinePreferenceCrd,
		components.NewVirtualMachineClusterPreferenceCrd,
		components.NewKubeVirtCrd,
	} {
		d, err := definition()
		if err != nil {
			return nil, err
		}
		definitions = append(definitions, d)
	}
	return definitions, nil
}
