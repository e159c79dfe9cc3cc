// Package openshift plays an OpenShift cluster on a control plane: the Operator
// Lifecycle Manager (OLM) with a catalog, the operators that it installs, and the
// machine config operator with three nodes. Definitions appear when on a cluster they
// would, and conditions become true in the order in which they would, so that layers
// that wait for each other in the wrong order wait here, too.
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

	"github.com/vmrender/vmrender/test/e2e/cluster"
)

// OpenShift is what runs on a cluster.
type OpenShift struct {
	*cluster.Cluster
	release     Release
	definitions map[string]*unstructured.Unstructured // by name
	virtualize  func(context.Context) error
	complain    func(error)
	pools       *pools
	deployed    int // steps of HyperConverged that are done
	handlers    int // steps that NMState has been there

	lock    sync.Mutex
	failing map[string]string // reasons by package
}

// step is the time between two steps of everything that is played.
const step = 300 * time.Millisecond

// Start brings what a release of OpenShift has without any operator from a catalog, and
// plays the rest until the context is done. definitions are those of all kinds;
// virtualize is called when HyperConverged deploys KubeVirt and CDI. It hands out the
// errors of its own.
func Start(
	ctx context.Context, c *cluster.Cluster, release Release, definitions []*unstructured.Unstructured,
	virtualize func(context.Context) error, complain func(error),
) (*OpenShift, error) {
	o := &OpenShift{
		Cluster: c, release: release, definitions: map[string]*unstructured.Unstructured{},
		virtualize: virtualize, complain: complain, pools: newPools(), failing: map[string]string{},
	}
	for _, d := range definitions {
		o.definitions[d.GetName()] = release.definition(d)
	}
	if err := o.install(ctx, native()...); err != nil {
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

// Fail has the operator of a package fail for a reason, or, with an empty one, run.
func (o *OpenShift) Fail(pkg, reason string) {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.failing[pkg] = reason
}

func (o *OpenShift) failure(pkg string) string {
	o.lock.Lock()
	defer o.lock.Unlock()
	return o.failing[pkg]
}

// install installs definitions by their names.
func (o *OpenShift) install(ctx context.Context, names ...string) error {
	var found []*unstructured.Unstructured
	for _, name := range names {
		d, ok := o.definitions[name]
		if !ok {
			return fmt.Errorf("no definition %s", name)
		}
		found = append(found, d.DeepCopy())
	}
	return o.Install(ctx, found)
}

// play lets everything take a step, over and over.
func (o *OpenShift) play(ctx context.Context) {
	actors := []func(context.Context) error{
		o.subscriptions, o.installPlans, o.versions, o.adopt, o.operators,
		o.nmstate, o.nodeNetworks, o.hyperConverged, o.descheduler, o.others, o.imports,
		o.kubeletConfigs, o.machineConfigs,
	}
	for ctx.Err() == nil {
		for _, act := range actors {
			err := act(ctx)
			if err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) && ctx.Err() == nil {
				o.complain(fmt.Errorf("openshift: %w", err))
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(step):
		}
	}
}
