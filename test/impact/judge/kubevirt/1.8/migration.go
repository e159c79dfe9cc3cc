package kubevirt

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "kubevirt.io/api/core/v1"
	netmigration "kubevirt.io/kubevirt/pkg/network/migration"
)

// ForMigration are the conditions of an instance that waits for a migration
// (pkg/virt-controller/watch/workload-updater).
var ForMigration = []v1.VirtualMachineInstanceConditionType{
	v1.VirtualMachineInstanceVCPUChange, v1.VirtualMachineInstanceMemoryChange,
	v1.VirtualMachineInstanceMigrationRequired, v1.VirtualMachineInstanceVolumesChange,
}

// afterGrace returns a time at which every interface has waited long enough.
// There is no dynamic networks controller to plug it into the Pod.
func afterGrace() metav1.Time {
	return metav1.NewTime(metav1.Now().Add(2 * netmigration.DynamicNetworkControllerGracePeriod))
}
