package policies_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type object = map[string]any

// newObject returns an object of a kind. Its name is set by its attempt.
func newObject(apiVersion, kind, namespace string, spec object) *unstructured.Unstructured {
	metadata := object{}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	return &unstructured.Unstructured{Object: object{"apiVersion": apiVersion, "kind": kind, "metadata": metadata, "spec": spec}}
}

// instance returns the specification of a VM's instance with an interface for
// each address; "" is an interface without an address.
func instance(macs ...string) object {
	nics, networks := []any{}, []any{}
	for i, mac := range macs {
		name := fmt.Sprintf("nic%d", i)
		nic := object{"name": name, "bridge": object{}}
		if mac != "" {
			nic["macAddress"] = mac
		}
		nics = append(nics, nic)
		networks = append(networks, object{"name": name, "multus": object{"networkName": name}})
	}
	devices := object{}
	if len(macs) > 0 {
		devices["interfaces"] = nics
	}
	return object{"domain": object{"memory": object{"guest": "1Gi"}, "devices": devices}, "networks": networks}
}

func machine(namespace string, macs ...string) *unstructured.Unstructured {
	return newObject("kubevirt.io/v1", "VirtualMachine", namespace, object{
		"runStrategy": "Always", "template": object{"spec": instance(macs...)},
	})
}

func disk(namespace string) *unstructured.Unstructured {
	return newObject("cdi.kubevirt.io/v1beta1", "DataVolume", namespace, object{
		"source": object{"blank": object{}}, "storage": object{"resources": object{"requests": object{"storage": "1Gi"}}},
	})
}

func machineInstance(namespace string, macs ...string) *unstructured.Unstructured {
	return newObject("kubevirt.io/v1", "VirtualMachineInstance", namespace, instance(macs...))
}

func replicaSet(namespace string, macs ...string) *unstructured.Unstructured {
	labels := object{"app": "web"}
	return newObject("kubevirt.io/v1", "VirtualMachineInstanceReplicaSet", namespace, object{
		"selector": object{"matchLabels": labels},
		"template": object{"metadata": object{"labels": labels}, "spec": instance(macs...)},
	})
}

func nodePool(namespace string, macs ...string) *unstructured.Unstructured {
	labels := object{"app": "web"}
	return newObject("pool.kubevirt.io/v1beta1", "VirtualMachinePool", namespace, object{
		"selector": object{"matchLabels": labels},
		"virtualMachineTemplate": object{
			"metadata": object{"labels": labels},
			"spec":     object{"runStrategy": "Always", "template": object{"metadata": object{"labels": labels}, "spec": instance(macs...)}},
		},
	})
}

func clone(namespace string, macs object, patches ...any) *unstructured.Unstructured {
	return newObject("clone.kubevirt.io/v1beta1", "VirtualMachineClone", namespace, object{
		"source":          object{"apiGroup": "kubevirt.io", "kind": "VirtualMachine", "name": "db"},
		"newMacAddresses": macs, "patches": patches,
	})
}

func restore(namespace string, patches ...any) *unstructured.Unstructured {
	return newObject("snapshot.kubevirt.io/v1beta1", "VirtualMachineRestore", namespace, object{
		"target":                     object{"apiGroup": "kubevirt.io", "kind": "VirtualMachine", "name": "db"},
		"virtualMachineSnapshotName": "db-1", "patches": patches,
	})
}

func namespace() *unstructured.Unstructured { return newObject("v1", "Namespace", "", object{}) }

// with sets a field of an object, by its path.
func with(o *unstructured.Unstructured, value any, path ...string) *unstructured.Unstructured {
	if err := unstructured.SetNestedField(o.Object, value, path...); err != nil {
		panic(err) // the path is a constant of this package
	}
	return o
}

func labelled(o *unstructured.Unstructured, labels map[string]string) *unstructured.Unstructured {
	o.SetLabels(labels)
	return o
}
