package rollout

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmrender/vmrender/pkg/labels"
)

var nodes = corev1.SchemeGroupVersion.WithResource("nodes")

// Pool is what a pool of nodes sets on nodes that exist.
type Pool struct {
	Labels map[string]string `json:"labels,omitempty"`
	Taints []corev1.Taint    `json:"taints,omitempty"`
	Nodes  []string          `json:"nodes,omitempty"` // their names
}

// Pools are pools of nodes by name.
type Pools map[string]Pool

// ReadPools reads pools from JSON. A node in two of them is an error, and a taint that evicts what runs.
func ReadPools(text []byte) (Pools, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var p Pools
	if err := d.Decode(&p); err != nil {
		return nil, fmt.Errorf("expected pools by name, as JSON: %w", err)
	}
	return p, p.check()
}

func (p Pools) check() error {
	in := map[string]string{}
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(p)) {
		for _, node := range p[name].Nodes {
			if other, ok := in[node]; ok {
				problems = append(problems, fmt.Errorf("node %q is in the pools %q and %q; expected one", node, other, name))
			}
			in[node] = name
		}
		for _, t := range p[name].Taints {
			if t.Effect != corev1.TaintEffectNoSchedule && t.Effect != corev1.TaintEffectPreferNoSchedule {
				problems = append(problems, fmt.Errorf("pool %q: taint %q has the effect %q; "+
					"expected NoSchedule or PreferNoSchedule, which evict nothing", name, t.Key, t.Effect))
			}
		}
	}
	return errors.Join(problems...)
}

// of returns the pool of a node, or an empty one. A node has one pool.
func (p Pools) of(node string) Pool {
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if slices.Contains(p[name].Nodes, node) {
			return p[name]
		}
	}
	return Pool{}
}

// ApplyPools sets the labels and taints of pools on their nodes, and removes those that it has set before and no pool
// has now. It creates no nodes: it waits for those that do not exist yet. A label that a node with VMs has stays until
// they have left: virt-handler runs where the node selector of HyperConverged matches, and without it a VM runs on, but
// nothing can stop, migrate or restart it (kubernetes v1.36, pkg/controller/daemon, NodeShouldRunDaemonPod: a pod whose
// node selector no longer matches is deleted).
func (c *Cluster) ApplyPools(ctx context.Context, p Pools, o Options) error {
	c = c.patient(&o)
	deadline, said := o.Now().Add(o.Timeout), ""
	for {
		left, err := c.applyPools(ctx, p, &o)
		waiting := "waiting: " + strings.Join(left, "; ")
		switch {
		case ctx.Err() != nil:
			return ErrInterrupted
		case isTrouble(err):
			waiting = err.Error() + "; trying again"
		case err != nil || len(left) == 0:
			return err
		}
		if waiting != said {
			o.logf("%s", waiting)
			said = waiting
		}
		if o.Now().After(deadline) && err == nil {
			return fmt.Errorf("after %s: %s", o.Timeout, strings.Join(left, "; "))
		}
		if !o.pause(ctx) {
			return ErrInterrupted
		}
	}
}

// applyPools does for each node what can be done now, and returns what cannot.
func (c *Cluster) applyPools(ctx context.Context, p Pools, o *Options) (left []string, err error) {
	all, err := list[corev1.Node](ctx, c, nodes, "", "")
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for i := range all {
		known[all[i].Name] = true
		reason, err := c.applyPool(ctx, &all[i], p.of(all[i].Name), o)
		if err != nil {
			return nil, err
		}
		if reason != "" {
			left = append(left, reason)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p)) {
		for _, node := range p[name].Nodes {
			if !known[node] {
				left = append(left, fmt.Sprintf("pool %q: there is no node %q", name, node))
			}
		}
	}
	return left, nil
}

// applyPool changes one node, and returns why something is left to do.
func (c *Cluster) applyPool(ctx context.Context, node *corev1.Node, p Pool, o *Options) (left string, err error) {
	edit, err := editOf(node, p)
	if err != nil {
		return "", err
	}
	if taken := edit.taken(node); taken != nil {
		busy, err := c.hasVMs(ctx, node.Name)
		if err != nil {
			return "", err
		}
		if busy {
			edit.keep(taken)
			left = fmt.Sprintf("node %q runs VMs, so its label %s stays; drain it", node.Name, quotedList(taken))
		}
	}
	if edit.isEmpty(node) {
		return left, nil
	}
	err = c.patchNode(ctx, node, edit)
	switch {
	case apierrors.IsConflict(err):
		return fmt.Sprintf("node %q has changed; trying again", node.Name), nil
	case err == nil:
		o.logf("%s: %s", node.Name, edit)
	}
	return left, err
}

// hasVMs reports whether VMs run on a node. A cluster without KubeVirt has none.
func (c *Cluster) hasVMs(ctx context.Context, node string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	found, err := c.objects.Resource(instances).List(ctx, metav1.ListOptions{
		LabelSelector: "kubevirt.io/nodeName=" + node, Limit: 1,
	})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err := c.answered(err, "list", instances, ""); err != nil {
		return false, err
	}
	return len(found.Items) > 0, nil
}

func (c *Cluster) patchNode(ctx context.Context, node *corev1.Node, e *nodeEdit) error {
	patch, err := e.patch(node)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	_, err = c.objects.Resource(nodes).Patch(ctx, node.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if apierrors.IsConflict(err) {
		return err
	}
	return c.answered(err, "patch", nodes, "")
}

// nodeRecord is the content of the annotation [labels.NodePool].
type nodeRecord struct {
	Labels []string `json:"labels,omitempty"` // keys, sorted
	Taints []string `json:"taints,omitempty"` // KEY:EFFECT, sorted
}

// nodeEdit is a change of a node.
type nodeEdit struct {
	had    nodeRecord         // before
	labels map[string]*string // nil for one that goes
	taints []corev1.Taint     // all of the node
	record nodeRecord
}

// taintID identifies a taint, of which a node has one per key and effect.
func taintID(t *corev1.Taint) string { return t.Key + ":" + string(t.Effect) }

// editOf returns the change that gives a node what its pool has, and takes what an earlier pool has given.
func editOf(node *corev1.Node, p Pool) (*nodeEdit, error) {
	var had nodeRecord
	if text := node.Annotations[labels.NodePool]; text != "" {
		if err := json.Unmarshal([]byte(text), &had); err != nil {
			return nil, fmt.Errorf("node %q: its annotation %s: %w", node.Name, labels.NodePool, err)
		}
	}
	e := &nodeEdit{had: had, labels: map[string]*string{}, record: nodeRecord{Labels: slices.Sorted(maps.Keys(p.Labels))}}
	for _, key := range had.Labels {
		if _, ok := node.Labels[key]; ok {
			e.labels[key] = nil
		}
	}
	for key, value := range p.Labels {
		e.labels[key] = &value
		if is, ok := node.Labels[key]; ok && is == value {
			delete(e.labels, key)
		}
	}
	ours := map[string]bool{}
	for i := range p.Taints {
		ours[taintID(&p.Taints[i])] = true
	}
	e.record.Taints = slices.Sorted(maps.Keys(ours))
	for i := range node.Spec.Taints {
		t := &node.Spec.Taints[i]
		if !ours[taintID(t)] && !slices.Contains(had.Taints, taintID(t)) {
			e.taints = append(e.taints, *t)
		}
	}
	e.taints = append(e.taints, p.Taints...)
	return e, nil
}

// taken returns the keys of labels that the node has, and that change or go, sorted.
func (e *nodeEdit) taken(node *corev1.Node) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(e.labels)) {
		if _, ok := node.Labels[key]; ok {
			out = append(out, key)
		}
	}
	return out
}

// keep takes labels out of the change. In the record are those that an earlier run has set, so that a later one changes
// or removes them; the value of others is not of a pool.
func (e *nodeEdit) keep(keys []string) {
	other := func(key string) bool { return slices.Contains(keys, key) && !slices.Contains(e.had.Labels, key) }
	for _, key := range keys {
		e.record.Labels = append(e.record.Labels, key)
		delete(e.labels, key)
	}
	slices.Sort(e.record.Labels)
	e.record.Labels = slices.DeleteFunc(slices.Compact(e.record.Labels), other)
}

// annotation returns the record as text, or nil if it has nothing.
func (e *nodeEdit) annotation() *string {
	if len(e.record.Labels) == 0 && len(e.record.Taints) == 0 {
		return nil
	}
	text, err := json.Marshal(e.record)
	if err != nil { // strings only
		panic(err)
	}
	return new(string(text))
}

// isEmpty reports whether the node is as the change would make it.
func (e *nodeEdit) isEmpty(node *corev1.Node) bool {
	annotation := ""
	if text := e.annotation(); text != nil {
		annotation = *text
	}
	return len(e.labels) == 0 && node.Annotations[labels.NodePool] == annotation && sameTaints(node.Spec.Taints, e.taints)
}

// sameTaints reports whether two lists have the same taints, in whatever order.
func sameTaints(a, b []corev1.Taint) bool {
	text := func(list []corev1.Taint) []string {
		out := make([]string, len(list))
		for i := range list {
			out[i] = taintID(&list[i]) + "=" + list[i].Value
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(text(a), text(b))
}

// patch returns the change as a merge patch of the node as it was read.
func (e *nodeEdit) patch(node *corev1.Node) ([]byte, error) {
	metadata := map[string]any{
		"resourceVersion": node.ResourceVersion, "annotations": map[string]any{labels.NodePool: e.annotation()},
	}
	if len(e.labels) > 0 {
		metadata["labels"] = e.labels
	}
	body := map[string]any{"metadata": metadata}
	if !sameTaints(node.Spec.Taints, e.taints) {
		body["spec"] = map[string]any{"taints": e.taints}
	}
	return json.Marshal(body)
}

// String describes what the node has after the change, such as "labels a, b; taints c:NoSchedule".
func (e *nodeEdit) String() string {
	if e.annotation() == nil {
		return "nothing of a pool"
	}
	return fmt.Sprintf("labels %s; taints %s", listed(e.record.Labels), listed(e.record.Taints))
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func quotedList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, ", ")
}
