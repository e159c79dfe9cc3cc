package plan_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/status"
)

// healthState is an entry of a states.yaml in plugin/customizations: an object, and what its state means to Argo CD and
// to a status.
type healthState struct {
	State, Health, Status string
	// Reason is a text of the object that both repeat, and Reasons are other reasons of its conditions with which the
	// state is the same.
	Reason  string
	Reasons map[string][]string
	// Unlike is why only one of the two reports a failure.
	Unlike string
	Object object
}

// variants returns the object, and the same with each of the other reasons.
func (s *healthState) variants(t *testing.T) []object {
	t.Helper()
	text, err := json.Marshal(s.Object)
	require.NoError(t, err)
	out := []object{s.Object}
	for from, reasons := range s.Reasons {
		for _, to := range reasons {
			var o object
			other := strings.ReplaceAll(string(text), `"reason":"`+from+`"`, `"reason":"`+to+`"`)
			require.NoError(t, json.Unmarshal([]byte(other), &o))
			out = append(out, o)
		}
	}
	return out
}

// failing are the states of a VM that does not do what it should, until someone or something helps.
var failing = []status.State{status.StateFailed, status.StateDisk, status.StateDown}

// A status and the health checks of Argo CD agree on the same objects: what is Degraded in one is a failure in the
// other, for the same reason.
func TestStatusAgreesWithHealth(t *testing.T) {
	for _, check := range []string{"virtualmachine", "virtualmachinepool", "datavolume", "claim"} {
		text, err := os.ReadFile("../../plugin/customizations/" + check + "/states.yaml")
		require.NoError(t, err)
		var states []healthState
		require.NoError(t, yaml.Unmarshal(text, &states))
		require.NotEmpty(t, states)
		for i := range states {
			s := &states[i]
			t.Run(check+"/"+s.State, func(t *testing.T) {
				for _, o := range s.variants(t) {
					v := standingOf(t, o)
					require.Equal(t, s.Status, v.State.String(), "%+v", v.Facts)
					if s.Reason != "" {
						require.Contains(t, v.Facts[0].Says, s.Reason)
					}
					fails, degraded := slices.Contains(failing, v.State), s.Health == "Degraded"
					if s.Health != "Suspended" {
						require.Equal(t, s.Unlike == "", fails == degraded, "%s, but %s", s.Health, v.State)
					}
				}
			})
		}
	}
}

// standingOf returns the standing of a VM or pool in the cluster, or of a stopped VM with a DataVolume or claim. Git
// has the same objects.
func standingOf(t *testing.T, o object) status.Standing {
	t.Helper()
	state := []object{o}
	name := at(o, "metadata", "name").(string)
	volumes := map[string]object{
		"DataVolume":            {"dataVolume": object{"name": name}},
		"PersistentVolumeClaim": {"persistentVolumeClaim": object{"claimName": name}},
	}
	if volume := volumes[o["kind"].(string)]; volume != nil {
		volume["name"] = "root"
		state = append(state, object{
			"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": object{"name": "web", "namespace": "prod"},
			"spec":   object{"runStrategy": "Halted", "template": object{"spec": object{"volumes": []any{volume}}}},
			"status": object{"printableStatus": "Stopped"},
		})
	}
	var git []object
	for _, o := range state {
		o = maps.Clone(o)
		delete(o, "status")
		git = append(git, o)
	}
	s := status.New(encode(t, git), openshift, encode(t, state))
	require.Len(t, s.VMs, 1)
	return s.VMs[0]
}
