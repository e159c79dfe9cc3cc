package openshift

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// This file follows openshift/sriov-network-operator, release-4.20. Without its
// SriovOperatorConfig, the operator does nothing. It merges policies into a state for each
// worker (controllers/sriovnetworknodepolicy_controller.go), by which the daemons divide
// NICs. One node after the other is drained (controllers/drain_controller_helper.go). For
// each network, it creates a NetworkAttachmentDefinition (controllers/generic_network_controller.go).

const sriovPackage = "sriov-network-operator"

var (
	sriovConfigKind  = kind("sriovnetwork.openshift.io", "v1", "SriovOperatorConfig")
	sriovPolicyKind  = kind("sriovnetwork.openshift.io", "v1", "SriovNetworkNodePolicy")
	sriovStateKind   = kind("sriovnetwork.openshift.io", "v1", "SriovNetworkNodeState")
	sriovNetworkKind = kind("sriovnetwork.openshift.io", "v1", "SriovNetwork")
)

// nics is the state of the nodes' NICs.
type nics struct {
	lock    sync.Mutex
	divided map[string]any // interfaces by node, as in the spec of its state
	drains  map[string]int // by node
	node    string         // that is drained
	left    int            // steps until it is done
}

func newNICs() *nics { return &nics{divided: map[string]any{}, drains: map[string]int{}} }

// Drains returns how often each node has been drained to divide its NICs.
func (o *OpenShift) Drains() map[string]int {
	o.nics.lock.Lock()
	defer o.nics.lock.Unlock()
	return maps.Clone(o.nics.drains)
}

// sriov takes a step of the operator and its daemons.
func (o *OpenShift) sriov(ctx context.Context) error {
	if runs, err := o.runs(ctx, sriovPackage); err != nil || !runs {
		return err
	}
	return o.each(ctx, sriovConfigKind, func(config *unstructured.Unstructured) error {
		if config.GetName() != "default" {
			return nil
		}
		if err := o.sriovStates(ctx, config.GetNamespace()); err != nil {
			return err
		}
		return o.each(ctx, sriovNetworkKind, func(network *unstructured.Unstructured) error { return o.sriovNetwork(ctx, network) })
	})
}

// sriovStates writes the state of each worker, and its progress.
func (o *OpenShift) sriovStates(ctx context.Context, namespace string) error {
	return o.each(ctx, kind("", "v1", "Node"), func(node *unstructured.Unstructured) error {
		if !matches(node, map[string]any{"node-role.kubernetes.io/worker": ""}) {
			return nil
		}
		interfaces, err := o.sriovInterfaces(ctx, node)
		if err != nil {
			return err
		}
		spec := map[string]any{"interfaces": interfaces}
		state, err := o.find(ctx, sriovStateKind, namespace, node.GetName())
		switch {
		case err != nil:
			return err
		case state == nil:
			return o.make(ctx, sriovStateKind, namespace, node.GetName(), map[string]any{"spec": spec})
		case !apiequality.Semantic.DeepEqual(state.Object["spec"], spec):
			state.Object["spec"] = spec
			delete(o.read, sriovStateKind)
			_, err := o.of(sriovStateKind, namespace).Update(ctx, state, metav1.UpdateOptions{})
			return err
		}
		return o.setStatus(ctx, state, map[string]any{"syncStatus": o.nics.divide(node.GetName(), interfaces)})
	})
}

// sriovInterfaces returns the interfaces of a node that policies divide.
func (o *OpenShift) sriovInterfaces(ctx context.Context, node *unstructured.Unstructured) ([]any, error) {
	interfaces := []any{}
	err := o.each(ctx, sriovPolicyKind, func(policy *unstructured.Unstructured) error {
		if !matches(node, get[map[string]any](policy, "spec", "nodeSelector")) {
			return nil
		}
		for _, name := range get[[]any](policy, "spec", "nicSelector", "pfNames") {
			interfaces = append(interfaces, map[string]any{
				"name": name, "pciAddress": "0000:86:00.0", "numVfs": get[int64](policy, "spec", "numVfs"),
				"vfGroups": []any{map[string]any{
					"resourceName": get[string](policy, "spec", "resourceName"),
					"deviceType":   get[string](policy, "spec", "deviceType"), "policyName": policy.GetName(),
				}},
			})
		}
		return nil
	})
	return interfaces, err
}

// divide takes a step of a node, and returns its status (pkg/consts/constants.go). A node
// without any change is not drained.
func (n *nics) divide(node string, interfaces []any) string {
	n.lock.Lock()
	defer n.lock.Unlock()
	done, ok := n.divided[node]
	switch {
	case ok && apiequality.Semantic.DeepEqual(done, interfaces), !ok && len(interfaces) == 0:
		return "Succeeded"
	case n.node == "":
		n.node, n.left = node, updateTime
	case n.node == node:
		if n.left--; n.left <= 0 {
			n.node, n.divided[node] = "", interfaces
			n.drains[node]++
		}
	}
	return "InProgress"
}

// sriovNetwork creates the NetworkAttachmentDefinition of a network
// (bindata/manifests/cni-config/sriov/sriov-cni-config.yaml).
func (o *OpenShift) sriovNetwork(ctx context.Context, network *unstructured.Unstructured) error {
	namespace := cmp.Or(get[string](network, "spec", "networkNamespace"), network.GetNamespace())
	found, err := o.find(ctx, networkKind, namespace, network.GetName())
	if err != nil || found != nil {
		return err
	}
	spaces, err := o.all(ctx, kind("", "v1", "Namespace"))
	exists := slices.ContainsFunc(spaces, func(n *unstructured.Unstructured) bool { return n.GetName() == namespace })
	if err != nil || !exists {
		return err
	}
	config, err := json.Marshal(map[string]any{
		"cniVersion": "1.0.0", "name": network.GetName(), "type": "sriov", "vlan": get[int64](network, "spec", "vlan"),
		"ipam": map[string]any{},
	})
	if err != nil {
		return err
	}
	return o.make(ctx, networkKind, namespace, network.GetName(), map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{
			"k8s.v1.cni.cncf.io/resourceName": "openshift.io/" + get[string](network, "spec", "resourceName"),
		}},
		"spec": map[string]any{"config": string(config)},
	})
}
