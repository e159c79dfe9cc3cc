// Package cluster is a cluster in memory with KubeVirt's own admission and
// controllers, built as a library. Nothing runs in the background: the caller
// writes objects and lets the controllers act until nothing changes.
//
// Nodes and storage are simulated. Instances run as soon as they are created, and
// disks are filled immediately.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/testing"
	"k8s.io/client-go/util/workqueue"
	v1 "kubevirt.io/api/core/v1"
	"kubevirt.io/client-go/log"
	"kubevirt.io/kubevirt/pkg/testutils"
	virtconfig "kubevirt.io/kubevirt/pkg/virt-config"

	"github.com/vmrender/vmrender/test/impact/judge/kubevirt"
)

// Namespace is the namespace of all VMs.
const Namespace = "lab"

// rounds is the number of rounds in which the controllers must come to rest.
const rounds = 12

// Cluster has one VirtualMachine at a time. It is not safe for concurrent use.
type Cluster struct {
	Config Config

	*clients
	*informers
	*controllers
	server   *server
	kinds    []kind
	kubevirt *v1.KubeVirt
	config   *virtconfig.ClusterConfig
	told     int // the writes that the informers know about

	// Evictions is the number of Pod evictions that the workload updater has requested
	// and that were admitted. Evacuations is the number of evictions that a migration
	// replaced.
	Evictions, Evacuations int
}

// quiet discards KubeVirt's log, once: it sets flags, which must not happen in two clusters at the same time.
var quiet = sync.OnceFunc(func() { log.Log.SetIOWriter(io.Discard) })

// New returns a cluster without VMs.
func New(config Config) (*Cluster, error) {
	quiet()
	c := &Cluster{Config: config, informers: newInformers(), kubevirt: config.kubevirt()}
	clusterConfig, _, _ := testutils.NewFakeClusterConfigUsingKVWithCPUArch(c.kubevirt, "amd64")
	var err error
	if c.clients, err = newClients(); err != nil {
		return nil, err
	}
	wires := c.informers.wire(c.clients, clusterConfig)
	if c.controllers, err = newControllers(wires); err != nil {
		return nil, err
	}
	admission, err := newAdmission(wires)
	if err != nil {
		return nil, err
	}
	c.kinds = c.watched()
	c.server = &server{admission: admission}
	for _, fake := range []struct {
		*testing.Fake
		tracker testing.ObjectTracker
	}{{&c.clients.kubevirt.Fake, c.clients.kubevirt.Tracker()}, {&c.kubernetes.Fake, c.kubernetes.Tracker()}, {&c.cdi.Fake, c.cdi.Tracker()}} {
		c.server.serve(fake.Fake, fake.tracker)
	}
	c.config = clusterConfig
	c.kubernetes.PrependReactor("create", "pods", c.evict)
	return c, c.furnish()
}

// furnish adds the objects that every cluster has to the informers.
func (c *Cluster) furnish() error {
	for _, add := range []struct {
		*informer
		object any
	}{
		{c.kubevirts, c.kubevirt},
		{c.namespaces, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}}},
		{c.classes, &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{
			Name: "shared", Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"},
		}}},
	} {
		if err := add.indexer.Add(add.object); err != nil {
			return err
		}
	}
	return c.clients.kubevirt.Tracker().Add(c.kubevirt)
}

// Machine returns the VM, which must exist.
func (c *Cluster) Machine() (*v1.VirtualMachine, error) {
	all, err := c.VirtualMachine(Namespace).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	if len(all.Items) != 1 {
		return nil, fmt.Errorf("%d VMs", len(all.Items))
	}
	return &all.Items[0], nil
}

// Instance returns the instance of the VM, or nil if there is none.
func (c *Cluster) Instance() (*v1.VirtualMachineInstance, error) {
	all, err := c.VirtualMachineInstance(Namespace).List(context.Background(), metav1.ListOptions{})
	if err != nil || len(all.Items) == 0 {
		return nil, err
	}
	return &all.Items[0], nil
}

// Migrations returns the number of migrations.
func (c *Cluster) Migrations() (int, error) {
	all, err := c.VirtualMachineInstanceMigration(Namespace).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	return len(all.Items), nil
}

// DataVolumes returns the names of the DataVolumes.
func (c *Cluster) DataVolumes() ([]string, error) {
	all, err := c.cdi.CdiV1beta1().DataVolumes(Namespace).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(all.Items))
	for i := range all.Items {
		names = append(names, all.Items[i].Name)
	}
	return names, nil
}

// States returns the number of claims in which KubeVirt keeps the state of a TPM or of firmware.
func (c *Cluster) States() (int, error) {
	all, err := c.kubernetes.CoreV1().PersistentVolumeClaims(Namespace).List(
		context.Background(), metav1.ListOptions{LabelSelector: "persistent-state-for"})
	if err != nil {
		return 0, err
	}
	return len(all.Items), nil
}

// ErrRestless is returned if the controllers change something again and again.
var ErrRestless = errors.New("the controllers do not come to rest")

// Settle lets controllers, nodes, and storage act until nothing changes.
func (c *Cluster) Settle() error {
	for range rounds {
		before := c.server.writes
		if err := c.act(); err != nil {
			return err
		}
		if c.server.writes == before {
			return nil
		}
	}
	return ErrRestless
}

func (c *Cluster) act() error {
	for _, step := range []func() error{
		c.playStorage, c.playNodes,
		func() error {
			return work(c.informers.machines, c.controllers.machines.Queue, c.controllers.machines.Execute)
		},
		func() error {
			return work(c.informers.instances, c.controllers.instances.Queue, c.controllers.instances.Execute)
		},
		c.updateWorkloads,
	} {
		if err := c.tell(); err != nil {
			return err
		}
		if err := step(); err != nil {
			return err
		}
	}
	return c.tell()
}

// tell delivers if anything was written since the last time.
func (c *Cluster) tell() error {
	if c.told == c.server.writes {
		return nil
	}
	return c.deliver()
}

// work lets a controller process each object of its informer once.
func work(known *informer, queue workqueue.TypedRateLimitingInterface[kubevirt.Key], execute func() bool) error {
	for _, key := range known.indexer.ListKeys() {
		queue.Add(key)
	}
	return drain(queue, execute)
}

// updateWorkloads runs the controller once. It retries a refused eviction later.
func (c *Cluster) updateWorkloads() error {
	err := updateWorkloads(c.workloads, "kubevirt/kubevirt")
	if apierrors.IsTooManyRequests(err) {
		return nil
	}
	return err
}

// Panic is the panic of a controller, which stops virt-controller.
type Panic struct{ Value any }

func (p *Panic) Error() string { return fmt.Sprintf("virt-controller panics: %v", p.Value) }

// drain processes all keys of a queue, or returns a *[Panic].
func drain(queue workqueue.TypedRateLimitingInterface[kubevirt.Key], execute func() bool) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Panic{p}
		}
	}()
	for queue.Len() > 0 {
		execute()
	}
	return nil
}

// forget lets the controllers drop their expectations about deleted objects.
func (c *Cluster) forget() error {
	if err := drain(c.controllers.machines.Queue, c.controllers.machines.Execute); err != nil {
		return err
	}
	if err := drain(c.controllers.instances.Queue, c.controllers.instances.Execute); err != nil {
		return err
	}
	if err := c.kubevirts.indexer.Delete(c.kubevirt); err != nil {
		return err
	}
	if err := c.updateWorkloads(); err != nil {
		return err
	}
	return c.kubevirts.indexer.Add(c.kubevirt)
}
