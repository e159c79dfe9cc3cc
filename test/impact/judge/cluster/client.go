package cluster

import (
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubernetesfake "k8s.io/client-go/kubernetes/fake"
	appsv1 "k8s.io/client-go/kubernetes/typed/apps/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/testing"
	cdi "kubevirt.io/client-go/containerizeddataimporter"
	cdifake "kubevirt.io/client-go/containerizeddataimporter/fake"
	"kubevirt.io/client-go/kubecli"
	"kubevirt.io/client-go/kubevirt"
	kubevirtfake "kubevirt.io/client-go/kubevirt/fake"
	instancetypev1 "kubevirt.io/client-go/kubevirt/typed/instancetype/v1beta1"
	snapshotv1 "kubevirt.io/client-go/kubevirt/typed/snapshot/v1beta1"
	"kubevirt.io/kubevirt/pkg/virt-operator/resource/generate/components"
)

// clients are the clients of a cluster without a server: trackers keep the
// objects that they write. Instance types and preferences have their own
// client, which the webhooks can use while the other one waits for them.
type clients struct {
	kubecli.KubevirtClient // nil, because only the methods below are called

	kubevirt, catalog *kubevirtfake.Clientset
	kubernetes        *kubernetesfake.Clientset
	cdi               *cdifake.Clientset
}

func newClients() (*clients, error) {
	known, err := Instancetypes()
	if err != nil {
		return nil, err
	}
	c := &clients{
		kubevirt: kubevirtfake.NewSimpleClientset(), catalog: kubevirtfake.NewSimpleClientset(known...),
		kubernetes: kubernetesfake.NewSimpleClientset(), cdi: cdifake.NewSimpleClientset(),
	}
	c.kubernetes.PrependReactor("create", "subjectaccessreviews", permit)
	return c, nil
}

func (c *clients) VirtualMachine(namespace string) kubecli.VirtualMachineInterface {
	return c.kubevirt.KubevirtV1().VirtualMachines(namespace)
}

func (c *clients) VirtualMachineInstance(namespace string) kubecli.VirtualMachineInstanceInterface {
	return c.kubevirt.KubevirtV1().VirtualMachineInstances(namespace)
}

func (c *clients) VirtualMachineInstanceMigration(namespace string) kubecli.VirtualMachineInstanceMigrationInterface {
	return c.kubevirt.KubevirtV1().VirtualMachineInstanceMigrations(namespace)
}

func (c *clients) KubeVirt(namespace string) kubecli.KubeVirtInterface {
	return c.kubevirt.KubevirtV1().KubeVirts(namespace)
}

func (c *clients) VirtualMachineRestore(namespace string) snapshotv1.VirtualMachineRestoreInterface {
	return c.catalog.SnapshotV1beta1().VirtualMachineRestores(namespace)
}

func (c *clients) VirtualMachineClusterInstancetype() instancetypev1.VirtualMachineClusterInstancetypeInterface {
	return c.catalog.InstancetypeV1beta1().VirtualMachineClusterInstancetypes()
}

func (c *clients) VirtualMachineClusterPreference() instancetypev1.VirtualMachineClusterPreferenceInterface {
	return c.catalog.InstancetypeV1beta1().VirtualMachineClusterPreferences()
}

func (c *clients) VirtualMachineInstancetype(namespace string) instancetypev1.VirtualMachineInstancetypeInterface {
	return c.catalog.InstancetypeV1beta1().VirtualMachineInstancetypes(namespace)
}

func (c *clients) VirtualMachinePreference(namespace string) instancetypev1.VirtualMachinePreferenceInterface {
	return c.catalog.InstancetypeV1beta1().VirtualMachinePreferences(namespace)
}

func (c *clients) GeneratedKubeVirtClient() kubevirt.Interface { return c.kubevirt }
func (c *clients) CdiClient() cdi.Interface                    { return c.cdi }
func (c *clients) CoreV1() corev1.CoreV1Interface              { return c.kubernetes.CoreV1() }
func (c *clients) AppsV1() appsv1.AppsV1Interface              { return c.kubernetes.AppsV1() }

func (c *clients) AuthorizationV1() authorizationclient.AuthorizationV1Interface {
	return c.kubernetes.AuthorizationV1()
}

// permit allows every action to every user.
func permit(testing.Action) (bool, runtime.Object, error) {
	return true, &authorizationv1.SubjectAccessReview{Status: authorizationv1.SubjectAccessReviewStatus{Allowed: true}}, nil
}

// Instancetypes returns the cluster-wide instance types and preferences that
// are embedded in virt-operator.
func Instancetypes() ([]runtime.Object, error) {
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
