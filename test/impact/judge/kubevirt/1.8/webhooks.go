package kubevirt

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	v1 "kubevirt.io/api/core/v1"
	instancetype "kubevirt.io/kubevirt/pkg/instancetype/webhooks/vm"
	netadmitter "kubevirt.io/kubevirt/pkg/network/admitter"
	"kubevirt.io/kubevirt/pkg/virt-api/webhooks/mutating-webhook/mutators"
	"kubevirt.io/kubevirt/pkg/virt-api/webhooks/validating-webhook/admitters"
	virtconfig "kubevirt.io/kubevirt/pkg/virt-config"

	"github.com/vmrender/vmrender/test/impact/judge/wiring"
)

// Key is the type of the keys in the controllers' queues.
type Key = string

// Gates are the feature gates without which the version has no live updates.
var Gates []string

// NewWebhooks returns the webhooks for VMs, and the one that admits new instances.
func NewWebhooks(c wiring.Cluster) (*mutators.VMsMutator, *admitters.VMsAdmitter, *admitters.VMICreateAdmitter) {
	return mutators.NewVMsMutator(c.Config, c.Client),
		&admitters.VMsAdmitter{
			VirtClient: c.Client, InstancetypeAdmitter: instancetype.NewAdmitter(c.Client), ClusterConfig: c.Config,
			KubeVirtServiceAccounts: c.Accounts,
		},
		&admitters.VMICreateAdmitter{
			ClusterConfig: c.Config, KubeVirtServiceAccounts: c.Accounts,
			SpecValidators: []admitters.SpecValidator{validate},
		}
}

func validate(path *field.Path, spec *v1.VirtualMachineInstanceSpec, config *virtconfig.ClusterConfig) []metav1.StatusCause {
	return netadmitter.Validate(path, spec, config)
}

func validateNew(path *field.Path, spec *v1.VirtualMachineInstanceSpec, config *virtconfig.ClusterConfig) []metav1.StatusCause {
	return netadmitter.ValidateCreation(path, spec, config)
}
