package flux

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// judged are the kinds with expressions, and where the states of their health checks for Argo CD are.
var judged = map[string]string{
	"VirtualMachine": "virtualmachine", "VirtualMachinePool": "virtualmachinepool",
	"DataVolume": "datavolume", "PersistentVolumeClaim": "claim",
}

// verdicts are what Flux reports for the health that Argo CD reports. Neither continues with an object that is
// suspended.
var verdicts = map[string]status.Status{
	"Healthy": status.CurrentStatus, "Degraded": status.FailedStatus,
	"Progressing": status.InProgressStatus, "Suspended": status.InProgressStatus,
}

// Every state of the health checks for Argo CD has the same verdict by the expressions for Flux. An expression that
// cannot be evaluated, for an object without a status, is one that Flux waits for.
func TestHealth(t *testing.T) {
	var checks []kustomize.CustomHealthCheck
	readYAML(t, filepath.Join(root, "pkg/flux/health.yaml"), &checks)
	require.Len(t, checks, len(judged))
	for _, check := range checks {
		evaluator, err := cel.NewStatusEvaluator(&check.HealthCheckExpressions)
		require.NoError(t, err)
		seen := map[status.Status]bool{}
		for _, s := range states(t, judged[check.Kind], check.Kind) {
			t.Run(check.Kind+"/"+s.State, func(t *testing.T) {
				got := status.InProgressStatus
				if result, err := evaluator.Evaluate(t.Context(), s.object); err == nil {
					got = result.Status
				} else {
					require.NotContains(t, s.object.Object, "status", "%s", err)
				}
				require.Equal(t, verdicts[s.Health], got)
				seen[got] = true
			})
		}
		require.True(t, seen[status.CurrentStatus] && seen[status.FailedStatus], check.Kind)
	}
}

type state struct {
	State   string              `json:"state"`
	Health  string              `json:"health"`
	Object  map[string]any      `json:"object"`
	Reasons map[string][]string `json:"reasons"`

	object *unstructured.Unstructured
}

// states returns the states of a kind, with each of their other reasons, as vmrender renders the objects for Flux.
func states(t *testing.T, check, kind string) []state {
	t.Helper()
	var all, out []state
	readYAML(t, filepath.Join(root, "plugin/customizations", check, "states.yaml"), &all)
	for _, s := range all {
		if s.Object["kind"] != kind {
			continue
		}
		text, err := yaml.Marshal(s.Object)
		require.NoError(t, err)
		texts := []string{strings.ReplaceAll(string(text),
			"argocd.argoproj.io/sync-options: Prune=false,Delete=false", "kustomize.toolkit.fluxcd.io/prune: disabled")}
		for from, others := range s.Reasons {
			for _, to := range others {
				texts = append(texts, strings.ReplaceAll(texts[0], "reason: "+from+"\n", "reason: "+to+"\n"))
			}
		}
		for _, text := range texts {
			s.object = new(unstructured.Unstructured)
			json, err := yaml.YAMLToJSON([]byte(text))
			require.NoError(t, err)
			require.NoError(t, s.object.UnmarshalJSON(json))
			out = append(out, s)
		}
	}
	require.NotEmpty(t, out, check)
	return out
}
