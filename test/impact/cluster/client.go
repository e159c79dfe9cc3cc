package cluster

import (
	"fmt"

	"go.uber.org/mock/gomock"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubernetesfake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/testing"
	cdifake "kubevirt.io/client-go/containerizeddataimporter/fake"
	"kubevirt.io/client-go/kubecli"
	kubevirtfake "kubevirt.io/client-go/kubevirt/fake"
	"kubevirt.io/kubevirt/pkg/virt-operator/resource/generate/components"
)

// clients are the clients of a cluster without a server: trackers keep the
// objects that they write. Instance types and preferences have their own
// client, which the webhooks can use while the other one waits for them.
type clients struct {
	kubecli.KubevirtClient

	kubevirt   *kubevirtfake.Clientset
	kubernetes *kubernetesfake.Clientset
	cdi        *cdifake.Clientset
}

func newClients() (*clients, error) {
	known, err := instancetypes()
	if err != nil {
		return nil, err
	}
	catalog := kubevirtfake.NewSimpleClientset(known...)
	c := &clients{
		kubevirt:   kubevirtfake.NewSimpleClientset(),
		kubernetes: kubernetesfake.NewSimpleClientset(),
		cdi:        cdifake.NewSimpleClientset(),
	}
	c.kubernetes.PrependReactor("create", "subjectaccessreviews", permit)
	mock := kubecli.NewMockKubevirtClient(gomock.NewController(unexpected{}))
	core, instancetype := c.kubevirt.KubevirtV1(), catalog.InstancetypeV1beta1()
	calls := mock.EXPECT()
	calls.VirtualMachine(Namespace).Return(core.VirtualMachines(Namespace)).AnyTimes()
	calls.VirtualMachineInstance(Namespace).Return(core.VirtualMachineInstances(Namespace)).AnyTimes()
	calls.VirtualMachineInstanceMigration(Namespace).Return(core.VirtualMachineInstanceMigrations(Namespace)).AnyTimes()
	calls.KubeVirt(gomock.Any()).Return(core.KubeVirts("kubevirt")).AnyTimes()
	calls.VirtualMachineRestore(Namespace).Return(catalog.SnapshotV1beta1().VirtualMachineRestores(Namespace)).AnyTimes()
	calls.VirtualMachineClusterInstancetype().Return(instancetype.VirtualMachineClusterInstancetypes()).AnyTimes()
	calls.VirtualMachineClusterPreference().Return(instancetype.VirtualMachineClusterPreferences()).AnyTimes()
	calls.VirtualMachineInstancetype(Namespace).Return(instancetype.VirtualMachineInstancetypes(Namespace)).AnyTimes()
	calls.VirtualMachinePreference(Namespace).Return(instancetype.VirtualMachinePreferences(Namespace)).AnyTimes()
	calls.GeneratedKubeVirtClient().Return(c.kubevirt).AnyTimes()
	calls.CdiClient().Return(c.cdi).AnyTimes()
	calls.CoreV1().Return(c.kubernetes.CoreV1()).AnyTimes()
	calls.AppsV1().Return(c.kubernetes.AppsV1()).AnyTimes()
	calls.AuthorizationV1().Return(c.kubernetes.AuthorizationV1()).AnyTimes()
	c.KubevirtClient = mock
	return c, nil
}

// permit allows every action to every user.
func permit(testing.Action) (bool, runtime.Object, error) {
	return true, &authorizationv1.SubjectAccessReview{Status: authorizationv1.SubjectAccessReviewStatus{Allowed: true}}, nil
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
	}
	for _, o := range preferences {
		all = append(all, o)
	}
	return all, nil
}

// unexpected receives client calls that the controllers are not known to make.
type unexpected struct{}

func (unexpected) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (unexpected) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
