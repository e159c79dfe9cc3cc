package rollout

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/vmrender/vmrender/pkg/labels"
)

// nodeOf returns a Node from JSON of its labels, taints and record.
func nodeOf(t *testing.T, name, labelsJSON, taintsJSON, record string) *unstructured.Unstructured {
	t.Helper()
	metadata := map[string]any{"name": name, "resourceVersion": "3"}
	spec := map[string]any{}
	for key, text := range map[string]string{"labels": labelsJSON, "taints": taintsJSON} {
		if text == "" {
			continue
		}
		var value any
		require.NoError(t, json.Unmarshal([]byte(text), &value))
		if key == "taints" {
			spec[key] = value
		} else {
			metadata[key] = value
		}
	}
	if record != "" {
		metadata["annotations"] = map[string]any{labels.NodePool: record}
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec,
	}}
}

func instanceOn(node string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance",
		"metadata": map[string]any{"name": "db", "namespace": "a", "labels": map[string]any{"kubevirt.io/nodeName": node}},
	}}
}

func playNodes(objects ...runtime.Object) *fake.FakeDynamicClient {
	return fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		nodes: "NodeList", instances: "VirtualMachineInstanceList",
	}, objects...)
}

// state returns the labels, taints and record of a node, as JSON.
func state(t *testing.T, client *fake.FakeDynamicClient, name string) string {
	t.Helper()
	o, err := client.Resource(nodes).Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	taints, _, _ := unstructured.NestedSlice(o.Object, "spec", "taints")
	text, err := json.Marshal([]any{o.GetLabels(), taints, o.GetAnnotations()[labels.NodePool]})
	require.NoError(t, err)
	return string(text)
}

// A pool changes what it has on its nodes, and nothing else; it never takes a label from under VMs.
func TestApplyPools(t *testing.T) {
	const (
		virt = `{"virt": {"labels": {"virt": ""}, "nodes": ["a"],
			"taints": [{"key": "vms", "value": "true", "effect": "NoSchedule"}]}}`
		gone    = `{"virt": {"labels": {"virt": ""}}}`
		other   = `{"other": "1", "virt": ""}`
		lost    = `{"effect":"NoExecute","key":"node.kubernetes.io/unreachable"}`
		vms     = `{"effect":"NoSchedule","key":"vms","value":"true"}`
		record  = `{"labels":["virt"],"taints":["vms:NoSchedule"]}`
		noted   = `"{\"labels\":[\"virt\"],\"taints\":[\"vms:NoSchedule\"]}"`
		problem = `after 1m0s: node "a" runs VMs, so its label "virt" stays; drain it`
	)
	for name, c := range map[string]struct {
		pools, labels, taints, record string
		vms                           bool
		want, problem                 string
	}{
		"new": {
			pools: virt, labels: `{"other": "1"}`, taints: "[" + lost + "]",
			want: `[` + other + `,[` + lost + "," + vms + "]," + noted + "]",
		},
		"as it is, with VMs": {
			pools: virt, labels: other, record: record, vms: true, taints: "[" + lost + "," + vms + "]",
			want: `[` + other + `,[` + lost + "," + vms + "]," + noted + "]",
		},
		"a label that is not there yet, with VMs": {
			pools: virt, vms: true, want: `[{"virt":""},[` + vms + `],` + noted + `]`,
		},
		"another value of a taint": {
			pools: virt, labels: `{"virt": ""}`, record: record,
			taints: `[{"key": "vms", "value": "x", "effect": "NoSchedule"}]`,
			want:   `[{"virt":""},[` + vms + `],` + noted + `]`,
		},
		"out of the pool": {
			pools: gone, labels: other, record: record, taints: `[{"key": "mine", "effect": "NoSchedule"},` + vms + "]",
			want: `[{"other":"1"},[{"effect":"NoSchedule","key":"mine"}],""]`,
		},
		"out of the pool, with VMs": {
			pools: gone, labels: `{"virt": ""}`, record: record, vms: true, taints: "[" + vms + "]",
			want: `[{"virt":""},null,"{\"labels\":[\"virt\"]}"]`, problem: problem,
		},
		"another value, with VMs": {
			pools: virt, labels: `{"virt": "old"}`, vms: true,
			want: `[{"virt":"old"},[` + vms + `],"{\"taints\":[\"vms:NoSchedule\"]}"]`, problem: problem,
		},
		"another value than a pool has set, with VMs": {
			pools: virt, labels: `{"virt": "old"}`, record: `{"labels":["virt"]}`, vms: true,
			want: `[{"virt":"old"},[` + vms + `],` + noted + `]`, problem: problem,
		},
		"a label of others": {pools: gone, labels: `{"virt": ""}`, vms: true, want: `[{"virt":""},null,""]`},
		"an unknown node": {
			pools: `{"virt": {"labels": {"virt": ""}, "nodes": ["b"]}}`, want: `[null,null,""]`,
			problem: `after 1m0s: pool "virt": there is no node "b"`,
		},
		"a broken record": {
			pools: gone, record: "x", want: `[null,null,"x"]`,
			problem: `node "a": its annotation vmrender.io/node-pool: `,
		},
	} {
		t.Run(name, func(t *testing.T) {
			pools, err := ReadPools([]byte(c.pools))
			require.NoError(t, err)
			objects := []runtime.Object{nodeOf(t, "a", c.labels, c.taints, c.record)}
			if c.vms {
				objects = append(objects, instanceOn("a"))
			}
			client := playNodes(objects...)
			now := time.Unix(0, 0)
			err = (&Cluster{objects: client}).ApplyPools(t.Context(), pools, Options{
				Timeout: time.Minute, Log: new(bytes.Buffer), Tick: time.Nanosecond,
				Now: func() time.Time { now = now.Add(20 * time.Second); return now },
			})
			if c.problem == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.problem)
			}
			require.JSONEq(t, c.want, state(t, client, "a"))
		})
	}
}

// A node that changes meanwhile is read again, a node that joins gets what its pool has, and one that is drained loses
// its label.
func TestApplyPoolsWaits(t *testing.T) {
	pools, err := ReadPools([]byte(`{"virt": {"labels": {"virt": ""}, "nodes": ["b"]}}`))
	require.NoError(t, err)
	client := playNodes(nodeOf(t, "a", `{"virt": ""}`, "", `{"labels":["virt"]}`), instanceOn("a"))
	conflicts := 0
	client.PrependReactor("patch", "nodes", func(a clienttesting.Action) (bool, runtime.Object, error) {
		patch := a.(clienttesting.PatchAction).GetPatch()
		require.Contains(t, string(patch), `"resourceVersion":"3"`)
		if conflicts++; conflicts > 1 {
			return false, nil, nil
		}
		return true, nil, apierrors.NewConflict(nodes.GroupResource(), "b", nil)
	})
	var log bytes.Buffer
	rounds := 0
	o := Options{Timeout: time.Hour, Log: &log, Tick: time.Nanosecond, Now: func() time.Time {
		switch rounds++; rounds {
		case 3:
			require.NoError(t, client.Tracker().Add(nodeOf(t, "b", "", "", "")))
		case 5:
			require.NoError(t, client.Tracker().Delete(instances, "a", "db"))
		}
		return time.Unix(0, 0)
	}}
	require.NoError(t, (&Cluster{objects: client}).ApplyPools(t.Context(), pools, o))
	require.JSONEq(t, `[{},null,""]`, state(t, client, "a"))
	require.JSONEq(t, `[{"virt":""},null,"{\"labels\":[\"virt\"]}"]`, state(t, client, "b"))
	require.Contains(t, log.String(), `waiting: node "a" runs VMs, so its label "virt" stays; drain it; `+
		`pool "virt": there is no node "b"`)
	require.Contains(t, log.String(), "b: labels virt; taints none\n")
	require.Contains(t, log.String(), "a: nothing of a pool\n")
}

func TestReadPools(t *testing.T) {
	for text, problem := range map[string]string{
		`[]`:                   "expected pools by name, as JSON: ",
		`{"a": {"label": {}}}`: `unknown field "label"`,
		`{"a": {"nodes": ["x"]}, "b": {"nodes": ["x"]}}`: `node "x" is in the pools "a" and "b"; ` +
			`expected one`,
		`{"a": {"taints": [{"key": "k", "effect": "NoExecute"}]}}`: `pool "a": taint "k" has the effect "NoExecute"; ` +
			`expected NoSchedule`,
	} {
		_, err := ReadPools([]byte(text))
		require.ErrorContains(t, err, problem)
	}
}
