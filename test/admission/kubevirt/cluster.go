package kubevirt

import (
	"fmt"
	"io"

	"go.uber.org/mock/gomock"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	k8sfake "k8s.io/client-go/kubernetes/fake"
	v1 "kubevirt.io/api/core/v1"
	instancetypev1 "kubevirt.io/api/instancetype/v1beta1"
	"kubevirt.io/client-go/kubecli"
	kubevirtfake "kubevirt.io/client-go/kubevirt/fake"
	"kubevirt.io/client-go/log"
	"kubevirt.io/kubevirt/pkg/testutils"
	virtconfig "kubevirt.io/kubevirt/pkg/virt-config"
	"kubevirt.io/kubevirt/pkg/virt-config/featuregate"
	"kubevirt.io/kubevirt/pkg/virt-operator/resource/generate/components"
)

// cluster is the part of a cluster that the webhooks query: its KubeVirt
// configuration, and a client that knows the objects around the VMs and the
// instance types and preferences that virt-operator installs. It has nothing
// else.
type cluster struct {
	config *virtconfig.ClusterConfig
	client kubecli.KubevirtClient
}

func newCluster(s Surroundings) (*cluster, error) {
	log.Log.SetIOWriter(io.Discard)
	client, err := newClient(s)
	if err != nil {
		return nil, err
	}
	config, _, _ := testutils.NewFakeClusterConfigUsingKVConfig(s.extend(configuration()))
	return &cluster{config: config, client: client}, nil
}

// configuration returns the configuration of a cluster as OpenShift
// Virtualization sets it up, with the feature gates of every field that a fleet
// can use. GPU, NUMA, persistent firmware, and TPM state no longer need a gate
// (KubeVirt v1.8.4, pkg/virt-config/featuregate/inactive.go).
func configuration() *v1.KubeVirtConfiguration {
	rollout := v1.VMRolloutStrategyLiveUpdate
	return &v1.KubeVirtConfiguration{
		VMRolloutStrategy: &rollout,
		ArchitectureConfiguration: &v1.ArchConfiguration{
			Amd64: &v1.ArchSpecificConfiguration{EmulatedMachines: []string{"q35*", "pc-q35*"}},
		},
		DeveloperConfiguration: &v1.DeveloperConfiguration{FeatureGates: []string{
			featuregate.CPUManager,
			featuregate.DecentralizedLiveMigration,    // the run strategy WaitAsReceiver
			featuregate.DeclarativeHotplugVolumesGate, // a CD-ROM drive without a disc
			featuregate.DownwardMetricsFeatureGate,
			featuregate.HostDevicesGate,
			featuregate.PasstBinding,
			featuregate.PersistentReservation,
			featuregate.SidecarGate,
			featuregate.VirtIOFSStorageVolumeGate, // claims as file systems
		}},
	}
}

func newClient(s Surroundings) (kubecli.KubevirtClient, error) {
	revisions, err := s.revisions()
	if err != nil {
		return nil, err
	}
	sizes, err := instancetypes()
	if err != nil {
		return nil, err
	}
	kubevirt := kubevirtfake.NewSimpleClientset(sizes...)
	instancetype, snapshot := kubevirt.InstancetypeV1beta1(), kubevirt.SnapshotV1beta1()
	client := kubecli.NewMockKubevirtClient(gomock.NewController(unexpected{}))
	calls := client.EXPECT()
	calls.VirtualMachineClusterInstancetype().Return(instancetype.VirtualMachineClusterInstancetypes()).AnyTimes()
	calls.VirtualMachineClusterPreference().Return(instancetype.VirtualMachineClusterPreferences()).AnyTimes()
	calls.VirtualMachineInstancetype(gomock.Any()).Return(instancetype.VirtualMachineInstancetypes("")).AnyTimes()
	calls.VirtualMachinePreference(gomock.Any()).Return(instancetype.VirtualMachinePreferences("")).AnyTimes()
	calls.VirtualMachineRestore(gomock.Any()).Return(snapshot.VirtualMachineRestores("")).AnyTimes()
	calls.CdiClient().Return(newCDIClient()).AnyTimes()
	calls.AppsV1().Return(k8sfake.NewSimpleClientset(revisions...).AppsV1()).AnyTimes()
	calls.CoreV1().Return(newCoreClient().CoreV1()).AnyTimes()
	return client, nil
}

// instancetypes returns the cluster-wide instance types and preferences that
// are embedded in virt-operator.
func instancetypes() ([]runtime.Object, error) {
	sizes, err := components.NewClusterInstancetypes()
	if err != nil {
		return nil, fmt.Errorf("reading instance types: %w", err)
	}
	preferences, err := components.NewClusterPreferences()
	if err != nil {
		return nil, fmt.Errorf("reading preferences: %w", err)
	}
	var all []runtime.Object
	for _, o := range sizes {
		all = append(all, o)
		if name := namespaced[o.Name]; name != "" {
			all = append(all, &instancetypev1.VirtualMachineInstancetype{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: o.Spec})
		}
	}
	for _, o := range preferences {
		all = append(all, o)
		if name := namespaced[o.Name]; name != "" {
			all = append(all, &instancetypev1.VirtualMachinePreference{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: o.Spec})
		}
	}
	return all, nil
}

// namespaced maps cluster-wide instance types and preferences to the names of their copies
// in every namespace.
var namespaced = map[string]string{"u1.small": "csmall", "u1.large": "clarge", "linux": "virtio", "windows.2k22": "windows"}

// unexpected receives client calls that the webhooks are not known to make. It
// stops the test, because a nil client would give wrong results.
type unexpected struct{}

func (unexpected) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (unexpected) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
