package lua

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/util/lua"
	"github.com/argoproj/gitops-engine/pkg/health"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// state is an entry of a states.yaml.
type state struct {
	State   string                  `json:"state"`
	Health  health.HealthStatusCode `json:"health"`
	Message string                  `json:"message"`
	Object  map[string]any          `json:"object"`

	// Reason is a text of the object that the message repeats, and Reasons are other reasons of its
	// conditions with which the state is the same.
	Reason  string              `json:"reason"`
	Reasons map[string][]string `json:"reasons"`
}

func (s state) object() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: s.Object}
}

// readStates returns the states of every health check, by the check's name.
func readStates(t *testing.T) map[string][]state {
	t.Helper()
	all := map[string][]state{}
	for _, k := range readKinds(t) {
		if _, ok := all[k.Health]; ok {
			continue
		}
		var states []state
		readYAML(t, filepath.Join(plugin, "customizations", k.Health, "states.yaml"), &states)
		all[k.Health] = states
	}
	return all
}

// gate returns the health by which a sync decides whether a wave is done,
// fails, or waits: gitops-engine, pkg/sync/sync_context.go, Sync.
func gate(t *testing.T, obj *unstructured.Unstructured, judge health.HealthOverride) *health.HealthStatus {
	t.Helper()
	got, err := health.GetResourceHealth(obj, judge)
	require.NoError(t, err)
	return got
}

func TestStates(t *testing.T) {
	judge := lua.ResourceHealthOverrides(overrides(t))
	for check, states := range readStates(t) {
		for _, s := range states {
			t.Run(check+"/"+s.State, func(t *testing.T) {
				require.Contains(t, s.Message, s.Reason)
				for _, object := range append(s.variants(t), s.object()) {
					got := gate(t, object, judge)
					require.Equal(t, &health.HealthStatus{Status: s.Health, Message: s.Message}, got, "%v", object)
				}
			})
		}
	}
}

// variants returns the object with each of the other reasons.
func (s state) variants(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	text, err := s.object().MarshalJSON()
	require.NoError(t, err)
	var out []*unstructured.Unstructured
	for from, reasons := range s.Reasons {
		for _, to := range reasons {
			object := &unstructured.Unstructured{}
			other := strings.ReplaceAll(string(text), `"reason":"`+from+`"`, `"reason":"`+to+`"`)
			require.NotEqual(t, string(text), other)
			require.NoError(t, object.UnmarshalJSON([]byte(other)))
			out = append(out, object)
		}
	}
	return out
}

// The test fails if a script is no better than Argo CD's own.
func TestArgoCDAloneJudgesOtherwise(t *testing.T) {
	alone := lua.ResourceHealthOverrides{}
	states := readStates(t)
	for _, k := range readKinds(t) {
		differs := false
		for _, s := range states[k.Health] {
			if gvk := s.object().GroupVersionKind(); gvk.Group == k.Group && gvk.Kind == k.Kind {
				got := gate(t, s.object(), alone)
				differs = differs || got == nil || got.Status != s.Health
			}
		}
		require.True(t, differs, "%s needs no script, or has no state that shows why", k.key())
	}
}

// A VM in an earlier wave must not stop the sync of later waves, but a VM that
// cannot run must.
func TestWavesOfVMs(t *testing.T) {
	judge := lua.ResourceHealthOverrides(overrides(t))
	for _, tt := range []struct {
		runStrategy, printableStatus string
		want                         health.HealthStatusCode
	}{
		{"Halted", "Stopped", health.HealthStatusHealthy},
		{"Manual", "Stopped", health.HealthStatusHealthy},
		{"Always", "Stopped", health.HealthStatusProgressing},
		{"Always", "Provisioning", health.HealthStatusProgressing},
		{"Always", "WaitingForVolumeBinding", health.HealthStatusProgressing},
		{"Always", "WaitingForReceiver", health.HealthStatusProgressing},
		{"Always", "Starting", health.HealthStatusProgressing},
		{"Halted", "Stopping", health.HealthStatusProgressing},
		{"Always", "Terminating", health.HealthStatusProgressing},
		{"Always", "SomethingNew", health.HealthStatusProgressing},
		{"Always", "CrashLoopBackOff", health.HealthStatusDegraded},
		{"Always", "ErrorUnschedulable", health.HealthStatusDegraded},
		{"Halted", "DataVolumeError", health.HealthStatusDegraded},
	} {
		vm := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "kubevirt.io/v1",
			"kind":       "VirtualMachine",
			"spec":       map[string]any{"runStrategy": tt.runStrategy},
			"status":     map[string]any{"printableStatus": tt.printableStatus},
		}}
		require.Equal(t, tt.want, gate(t, vm, judge).Status, "%s, %s", tt.runStrategy, tt.printableStatus)
	}
}

// Truncated objects and objects of later API versions must not break a script.
// A script's error means health Unknown, the worst.
func TestScriptsBearAnything(t *testing.T) {
	judge := lua.ResourceHealthOverrides(overrides(t))
	for check, states := range readStates(t) {
		for _, s := range states {
			for _, status := range []any{
				nil,
				map[string]any{},
				map[string]any{"phase": "", "state": "", "conditions": []any{}},
				map[string]any{"phase": "New", "state": "New", "conditions": []any{map[string]any{"type": "New", "status": "True"}}},
			} {
				obj := s.object().DeepCopy()
				obj.Object["status"] = status
				got, err := health.GetResourceHealth(obj, judge)
				require.NoError(t, err, "%s/%s with status %v", check, s.State, status)
				require.NotContains(t, []health.HealthStatusCode{"", health.HealthStatusUnknown}, got.Status)
			}
		}
	}
}

func TestDeletedIsProgressing(t *testing.T) {
	judge := lua.ResourceHealthOverrides(overrides(t))
	for _, states := range readStates(t) {
		obj := states[0].object()
		require.NoError(t, unstructured.SetNestedField(obj.Object, "2026-11-21T10:00:00Z", "metadata", "deletionTimestamp"))
		require.Equal(t, health.HealthStatusProgressing, gate(t, obj, judge).Status)
	}
}
