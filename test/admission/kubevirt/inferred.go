package kubevirt

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	k8sfake "k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
	instancetype "kubevirt.io/api/instancetype"
	cdifake "kubevirt.io/client-go/containerizeddataimporter/fake"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)

// labelled returns the metadata of every disk of the cluster, with labels from which KubeVirt
// infers the instance type and preference.
func labelled(action k8stesting.Action) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: action.(k8stesting.GetAction).GetName(), Namespace: action.GetNamespace(),
		Labels: map[string]string{
			instancetype.DefaultInstancetypeLabel: "u1.medium",
			instancetype.DefaultPreferenceLabel:   "rhel.9",
		},
	}
}

// newCDIClient returns a client that finds a labeled DataSource and DataVolume under every name.
func newCDIClient() *cdifake.Clientset {
	client := cdifake.NewSimpleClientset()
	client.PrependReactor("get", "datasources", func(action k8stesting.Action) (bool, runtime.Object, error) {
		return true, &cdiv1.DataSource{ObjectMeta: labelled(action)}, nil
	})
	client.PrependReactor("get", "datavolumes", func(action k8stesting.Action) (bool, runtime.Object, error) {
		return true, &cdiv1.DataVolume{ObjectMeta: labelled(action)}, nil
	})
	return client
}

// newCoreClient returns a client that finds a labeled claim under every name.
func newCoreClient() *k8sfake.Clientset {
	client := k8sfake.NewSimpleClientset()
	client.PrependReactor("get", "persistentvolumeclaims", func(action k8stesting.Action) (bool, runtime.Object, error) {
		return true, &corev1.PersistentVolumeClaim{ObjectMeta: labelled(action)}, nil
	})
	return client
}
