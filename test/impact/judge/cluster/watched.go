package cluster

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/testing"
	v1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)

// kind is a kind of objects that an informer watches.
type kind struct {
	*informer

	tracker  testing.ObjectTracker
	resource schema.GroupVersionResource
	kind     schema.GroupVersionKind
}

// watched returns the kinds that are written.
func (c *Cluster) watched() []kind {
	kubevirt, kubernetes, cdi := c.clients.kubevirt.Tracker(), c.kubernetes.Tracker(), c.cdi.Tracker()
	of := func(i *informer, tracker testing.ObjectTracker, version schema.GroupVersion, resource, name string) kind {
		return kind{i, tracker, version.WithResource(resource), version.WithKind(name)}
	}
	return []kind{
		of(c.informers.machines, kubevirt, v1.GroupVersion, "virtualmachines", "VirtualMachine"),
		of(c.informers.instances, kubevirt, v1.GroupVersion, "virtualmachineinstances", "VirtualMachineInstance"),
		of(c.migrations, kubevirt, v1.GroupVersion, "virtualmachineinstancemigrations", "VirtualMachineInstanceMigration"),
		of(c.dataVolumes, cdi, cdiv1.SchemeGroupVersion, "datavolumes", "DataVolume"),
		of(c.pods, kubernetes, corev1.SchemeGroupVersion, "pods", "Pod"),
		of(c.claims, kubernetes, corev1.SchemeGroupVersion, "persistentvolumeclaims", "PersistentVolumeClaim"),
		of(c.revisions, kubernetes, appsv1.SchemeGroupVersion, "controllerrevisions", "ControllerRevision"),
	}
}

// list returns all objects of the kind.
func (k *kind) list() ([]runtime.Object, error) {
	found, err := k.tracker.List(k.resource, k.kind, Namespace)
	if err != nil {
		return nil, err
	}
	return meta.ExtractList(found)
}

// deliver informs the informers of all writes.
func (c *Cluster) deliver() error {
	c.told = c.server.writes
	for i := range c.kinds {
		found, err := c.kinds[i].list()
		if err != nil {
			return err
		}
		objects := make([]any, 0, len(found))
		for _, o := range found {
			objects = append(objects, o)
		}
		if err := c.kinds[i].set(objects); err != nil {
			return err
		}
	}
	return nil
}

// State is the content of a cluster at one time, by kind.
type State [][]runtime.Object

// Save returns the content of the cluster.
func (c *Cluster) Save() (State, error) {
	state := make(State, 0, len(c.kinds))
	for i := range c.kinds {
		found, err := c.kinds[i].list()
		if err != nil {
			return nil, err
		}
		for _, o := range found {
			o.GetObjectKind().SetGroupVersionKind(c.kinds[i].kind)
		}
		state = append(state, found)
	}
	return state, nil
}

// Restore restores the content of the cluster without admission.
func (c *Cluster) Restore(state State) error {
	for i := range c.kinds {
		if err := c.kinds[i].replace(nil); err != nil {
			return err
		}
	}
	// Controllers forget their expectations about a deleted VM.
	if err := c.deliver(); err != nil {
		return err
	}
	if err := c.forget(); err != nil {
		return err
	}
	for i := range state {
		if err := c.kinds[i].replace(state[i]); err != nil {
			return err
		}
	}
	c.Evictions, c.Evacuations = 0, 0
	c.clients.kubevirt.ClearActions()
	c.kubernetes.ClearActions()
	c.cdi.ClearActions()
	return c.deliver()
}

// replace makes the tracker keep exactly these objects.
func (k *kind) replace(objects []runtime.Object) error {
	found, err := k.list()
	if err != nil {
		return err
	}
	for _, o := range found {
		m, err := meta.Accessor(o)
		if err != nil {
			return err
		}
		if err := k.tracker.Delete(k.resource, Namespace, m.GetName()); err != nil {
			return err
		}
	}
	for _, o := range objects {
		if err := k.tracker.Create(k.resource, o.DeepCopyObject(), Namespace); err != nil {
			return err
		}
	}
	return nil
}
