package openshift

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// This file follows openshift/machine-config-operator (2026-08). The render controller
// waits some seconds for more MachineConfigs before it gives a pool a new configuration
// (pkg/controller/render/render_controller.go, renderDelay). The node controller applies
// it to the nodes of a pool one after the other, with a drain and a reboot
// (pkg/controller/node/node_controller.go and status.go).

var (
	poolKind          = kind("machineconfiguration.openshift.io", "v1", "MachineConfigPool")
	machineConfigKind = kind("machineconfiguration.openshift.io", "v1", "MachineConfig")
	kubeletConfigKind = kind("machineconfiguration.openshift.io", "v1", "KubeletConfig")
)

const (
	workers     = "worker"
	renderDelay = 5 // steps without a sync: on a busy machine, a sync takes longer than MachineConfigs wait
	updateTime  = 4 // steps that a node takes
)

// pools is the machine config operator's state of the workers.
type pools struct {
	lock    sync.Mutex
	reboots map[string]int    // by node
	configs map[string]string // the configuration of each node

	psi      map[string]bool // configurations with PSI
	waited   int             // steps since the first change that is not rendered
	updating string          // node that is being updated
	target   string          // its configuration
	left     int             // steps until it is done
}

func newPools() *pools {
	return &pools{reboots: map[string]int{}, configs: map[string]string{}, psi: map[string]bool{}}
}

// Reboots returns how often each worker has been rebooted.
func (o *OpenShift) Reboots() map[string]int {
	o.pools.lock.Lock()
	defer o.pools.lock.Unlock()
	return maps.Clone(o.pools.reboots)
}

// measuresPressure reports whether a worker has been booted with PSI.
func (o *OpenShift) measuresPressure(node string) bool {
	o.pools.lock.Lock()
	defer o.pools.lock.Unlock()
	return o.pools.psi[o.pools.configs[node]]
}

// kubeletConfigs renders KubeletConfigs into a MachineConfig of the pool
// (pkg/controller/kubelet-config).
func (o *OpenShift) kubeletConfigs(ctx context.Context) error {
	return o.each(ctx, kubeletConfigKind, func(config *unstructured.Unstructured) error {
		const generated = "99-worker-generated-kubelet"
		found, err := o.find(ctx, machineConfigKind, "", generated)
		if err != nil {
			return err
		}
		if found == nil {
			return o.make(ctx, machineConfigKind, "", generated, map[string]any{
				"metadata": map[string]any{"labels": map[string]any{"machineconfiguration.openshift.io/role": workers}},
				"spec":     map[string]any{"kernelArguments": []any{}},
			})
		}
		return o.setStatus(ctx, config, map[string]any{
			"observedGeneration": config.GetGeneration(),
			"conditions":         []any{condition("Success", true, "", "Success")},
		})
	})
}

// machineConfigs renders the configuration of the workers, and rolls it out.
func (o *OpenShift) machineConfigs(ctx context.Context) error {
	pool, err := o.find(ctx, poolKind, "", workers)
	if err != nil || pool == nil {
		return err
	}
	configuration, err := o.render(ctx)
	if err != nil {
		return err
	}
	if get[string](pool, "spec", "configuration", "name") != configuration["name"] {
		syncing, err := o.Syncing(ctx)
		if err != nil {
			return err
		}
		if !syncing {
			o.pools.waited++
		}
		if o.pools.waited >= renderDelay || get[string](pool, "spec", "configuration", "name") == "" {
			o.pools.waited = 0
			return o.Update(ctx, poolKind, "", workers, func(pool *unstructured.Unstructured) {
				pool.Object["spec"].(map[string]any)["configuration"] = configuration //nolint:forcetypeassert // it has a spec
			})
		}
	}
	nodes, err := o.nodesOf(ctx, pool)
	if err != nil {
		return err
	}
	o.pools.rollOut(nodes, get[string](pool, "spec", "configuration", "name"))
	return o.setStatus(ctx, pool, o.pools.status(nodes, pool))
}

// render returns the configuration that results from the MachineConfigs of the workers.
func (o *OpenShift) render(ctx context.Context) (map[string]any, error) {
	configs, err := o.all(ctx, machineConfigKind)
	if err != nil {
		return nil, err
	}
	sum := fnv.New32a()
	var sources []any
	var psi bool
	for _, c := range configs {
		if c.GetLabels()["machineconfiguration.openshift.io/role"] != workers {
			continue
		}
		content := fmt.Sprint(c.Object["spec"])
		fmt.Fprintln(sum, c.GetName(), content)
		psi = psi || strings.Contains(content, "psi=1")
		sources = append(sources, map[string]any{
			"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfig", "name": c.GetName(),
		})
	}
	name := fmt.Sprintf("rendered-worker-%08x", sum.Sum32())
	o.pools.lock.Lock()
	o.pools.psi[name] = psi
	o.pools.lock.Unlock()
	return map[string]any{"name": name, "source": sources}, nil
}

func (o *OpenShift) nodesOf(ctx context.Context, pool *unstructured.Unstructured) ([]string, error) {
	wanted := get[map[string]any](pool, "spec", "nodeSelector", "matchLabels")
	var names []string
	err := o.each(ctx, kind("", "v1", "Node"), func(node *unstructured.Unstructured) error {
		if matches(node, wanted) {
			names = append(names, node.GetName())
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

// matches reports whether an object has the labels.
func matches(object *unstructured.Unstructured, wanted map[string]any) bool {
	for key, value := range wanted {
		if have, ok := object.GetLabels()[key]; !ok || have != value {
			return false
		}
	}
	return true
}

// rollOut takes one step of the update of one node. A node ends with the configuration
// that the pool wanted when it began, even if the pool wants another one in the
// meantime.
func (p *pools) rollOut(nodes []string, wanted string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.updating != "" {
		if p.left--; p.left <= 0 {
			p.configs[p.updating] = p.target
			p.reboots[p.updating]++
			p.updating = ""
		}
		return
	}
	for _, node := range nodes {
		switch p.configs[node] {
		case "": // installed with it
			p.configs[node] = wanted
		case wanted:
		default:
			p.updating, p.target, p.left = node, wanted, updateTime
			return
		}
	}
}

// status returns the status of the pool (pkg/controller/node/status.go,
// calculateStatus).
func (p *pools) status(nodes []string, pool *unstructured.Unstructured) map[string]any {
	p.lock.Lock()
	defer p.lock.Unlock()
	var updated int64
	for _, node := range nodes {
		if p.configs[node] == get[string](pool, "spec", "configuration", "name") && p.updating != node {
			updated++
		}
	}
	all := int64(len(nodes))
	return map[string]any{
		"observedGeneration": pool.GetGeneration(), "configuration": get[map[string]any](pool, "spec", "configuration"),
		"machineCount": all, "updatedMachineCount": updated, "readyMachineCount": updated,
		"unavailableMachineCount": all - updated, "degradedMachineCount": int64(0),
		"conditions": []any{
			condition("Updated", updated == all, "", ""), condition("Updating", updated != all, "", ""),
			condition("Degraded", false, "", ""), condition("NodeDegraded", false, "", ""), condition("RenderDegraded", false, "", ""),
		},
	}
}
