// Package openshift plays an OpenShift cluster on a control plane. It plays the
// Operator Lifecycle Manager (OLM) with a catalog, the operators that it installs, and
// the machine config operator with three nodes. Definitions appear and conditions
// become true in the same order as on a real cluster. Therefore, layers that wait for
// each other in the wrong order wait here, too.
//
// Each file names the source that it follows.
package openshift

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrender/vmrender/test/e2e/cluster"
)

// Surroundings connects the cluster to the rest of a test.
type Surroundings struct {
	// Virtualize is called when HyperConverged deploys KubeVirt and CDI.
	Virtualize func(context.Context) error
	// Syncing reports whether something is being applied to the cluster.
	Syncing func(context.Context) (bool, error)
	// Complain receives the errors of the played parts.
	Complain func(error)
}

// OpenShift is OpenShift on a cluster.
type OpenShift struct {
	*cluster.Cluster
	Surroundings
	release     Release
	definitions map[string]*unstructured.Unstructured // by name
	ended       chan struct{}
	pools       *pools
	nics        *nics
	deployed    int                                                      // completed steps of HyperConverged
	handlers    int                                                      // steps since the NMState was created
	storage     int                                                      // steps since ODF was installed
	ceph        int                                                      // steps since the StorageCluster was created
	read        map[schema.GroupVersionKind][]*unstructured.Unstructured // objects read in this step
	served      map[string]*unstructured.Unstructured                    // definitions by name

	lock       sync.Mutex
	failing    map[string]string  // reasons by package, or policy
	configured map[string][]int64 // generations by policy of node networks
}

// step is the time between two steps of all played parts.
const step = 300 * time.Millisecond

// Start installs what a release of OpenShift has without any operator from a catalog,
// and plays the rest until the context is done. The parameter definitions contains the
// definitions of all kinds.
func Start(
	ctx context.Context, c *cluster.Cluster, release Release, definitions []*unstructured.Unstructured, around Surroundings,
) (*OpenShift, error) {
	o := &OpenShift{
		Cluster: c, Surroundings: around, release: release, definitions: map[string]*unstructured.Unstructured{},
		read: map[schema.GroupVersionKind][]*unstructured.Unstructured{}, served: map[string]*unstructured.Unstructured{},
		ended: make(chan struct{}), pools: newPools(), nics: newNICs(), failing: map[string]string{}, configured: map[string][]int64{},
	}
	for _, d := range definitions {
		o.definitions[d.GetName()] = release.definition(d)
	}
	if err := o.install(ctx, nil, native()...); err != nil {
		return nil, err
	}
	objects, err := cluster.Objects(nativeYAML)
	if err != nil {
		return nil, err
	}
	if err := c.Install(ctx, objects); err != nil {
		return nil, err
	}
	go o.play(ctx)
	return o, nil
}

// Wait waits, after the end of the context, until no part is played any longer.
func (o *OpenShift) Wait() { <-o.ended }

// Fail makes the operator of a package, or a policy for the networks of nodes, fail for
// a reason. With an empty reason, it succeeds.
func (o *OpenShift) Fail(name, reason string) {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.failing[name] = reason
}

func (o *OpenShift) failure(name string) string {
	o.lock.Lock()
	defer o.lock.Unlock()
	return o.failing[name]
}

// install installs definitions by their names, with labels.
func (o *OpenShift) install(ctx context.Context, labels map[string]string, names ...string) error {
	var found []*unstructured.Unstructured
	for _, name := range names {
		d, ok := o.definitions[name]
		if !ok {
			return fmt.Errorf("no definition %s", name)
		}
		d = d.DeepCopy()
		d.SetLabels(labels)
		found = append(found, d)
	}
	return o.Install(ctx, found)
}

// play takes a step of every played part, again and again.
func (o *OpenShift) play(ctx context.Context) {
	defer close(o.ended)
	actors := []func(context.Context) error{
		o.subscriptions, o.installPlans, o.versions, o.adopt, o.operators,
		o.nmstate, o.nodeNetworks, o.hyperConverged, o.descheduler, o.others, o.imports,
		o.storageClusters, o.protection, o.velero, o.sriov,
		o.kubeletConfigs, o.machineConfigs,
	}
	for ctx.Err() == nil {
		clear(o.read)
		for _, act := range actors {
			if err := act(ctx); err != nil && !raced(err) && ctx.Err() == nil {
				o.Complain(fmt.Errorf("openshift: %w", err))
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(step):
		}
	}
}

// raced reports whether another client was faster, in which case the next step tries
// again.
func raced(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err)
}
