package admission_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/admission"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/versions"
)

// clusterOf returns a cluster of a version with the default gates.
func clusterOf(version string, stage bool) *admission.Cluster {
	return &admission.Cluster{KubeVirt: version, Stage: stage, Gate: func(name string) (on, known bool) {
		return versions.GateOn(name, version), true
	}}
}

// changed returns the VM of testdata with the changes of a line of broken.txt.
func changed(t testing.TB, text string) *kubevirtv1.VirtualMachine {
	t.Helper()
	base, err := os.ReadFile("testdata/vm.yaml")
	require.NoError(t, err)
	var object map[string]any
	require.NoError(t, yaml.Unmarshal(base, &object))
	for change := range strings.SplitSeq(text, " ; ") {
		path, value, isSet := strings.Cut(change, " = ")
		if !isSet {
			path = strings.TrimSuffix(path, " -")
		}
		path = strings.Replace(strings.Replace(path, "~~", "~.domain", 1), "~", "spec.template.spec", 1)
		keys := strings.Split(path, ".")
		parent := object
		for _, key := range keys[:len(keys)-1] {
			if _, ok := parent[key].(map[string]any); !ok {
				parent[key] = map[string]any{}
			}
			parent = parent[key].(map[string]any)
		}
		delete(parent, keys[len(keys)-1])
		if isSet {
			var v any
			require.NoError(t, yaml.Unmarshal([]byte(value), &v), change)
			parent[keys[len(keys)-1]] = v
		}
	}
	text2, err := json.Marshal(object)
	require.NoError(t, err)
	vm := &kubevirtv1.VirtualMachine{}
	require.NoError(t, json.Unmarshal(text2, vm), text)
	return vm
}

// lines returns the rules of broken.txt with their changes.
func lines(t testing.TB) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/broken.txt")
	require.NoError(t, err)
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, change, ok := strings.Cut(strings.TrimSpace(line), " | "); ok {
			require.NotContains(t, out, name, "twice")
			out[name] = change
		}
	}
	return out
}

// Every rule has a VM that breaks it, in the versions that have the rule, and no rule is broken otherwise. The tests in
// test/impact let KubeVirt judge the same VMs.
func TestRules(t *testing.T) {
	for _, version := range []string{"1.4", "1.6", "1.8", "1.9", ""} {
		require.Empty(t, admission.Check(changed(t, "metadata.name = web01"), clusterOf(version, false)))
	}
	cases := lines(t)
	for _, r := range admission.Rules() {
		t.Run(r.ID, func(t *testing.T) {
			require.Contains(t, cases, r.ID)
			version := "1.8"
			if r.From != "" && versions.Before(version, r.From) {
				version = r.From
			}
			vm := changed(t, cases[r.ID])
			before := vm.DeepCopy()
			found := admission.Check(vm, clusterOf(version, r.ID == "guest-above-limit"))
			require.Equal(t, before, vm, "the VM has changed")
			require.Contains(t, ids(found), r.ID)
			for _, f := range found {
				require.NotEmpty(t, f.Text, f.ID)
				require.NotContains(t, f.Text, "%q", f.ID)
				isField := strings.HasPrefix(f.Path, "spec.") || strings.HasPrefix(f.Path, "metadata.")
				require.True(t, f.ID == "template" || isField, f.Path)
				require.NotEmpty(t, rule.Meaning(f.Kind), f.ID)
			}
			if r.Before != "" {
				require.NotContains(t, ids(admission.Check(vm, clusterOf(r.Before, false))), r.ID)
			}
		})
		delete(cases, r.ID)
	}
	require.Empty(t, cases, "cases of rules that do not exist")
}

func ids(found []admission.Finding) []string {
	out := make([]string, len(found))
	for i := range found {
		out[i] = found[i].ID
	}
	return out
}

// A rule with a feature gate holds only if the gate is off, and is in doubt if nothing is known about the cluster's.
func TestGates(t *testing.T) {
	vm := changed(t, lines(t)["gate-VSOCK"])
	for name, test := range map[string]struct {
		on, known bool
		want      string
	}{
		"on":      {true, true, ""},
		"assumed": {true, false, ""},
		"off":     {false, true, "VSOCK device: needs the feature gate VSOCK, which is off; "},
		"default": {false, false, "VSOCK device: needs the feature gate VSOCK, which is off; feature gate VSOCK"},
	} {
		var got strings.Builder
		gate := func(string) (bool, bool) { return test.on, test.known }
		for _, f := range admission.Check(vm, &admission.Cluster{KubeVirt: "1.8", Gate: gate}) {
			got.WriteString(f.Problem() + "; " + f.Doubt)
		}
		require.Equal(t, test.want, got.String(), name)
	}
	require.True(t, admission.HasGate("VSOCK"))
	require.False(t, admission.HasGate(""))
}

// The names of rules are unique, and each has its source.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range admission.Rules() {
		require.False(t, seen[r.ID], "%s is there twice", r.ID)
		seen[r.ID] = true
		require.NotEmpty(t, r.Field, r.ID)
		require.NotEmpty(t, r.Problem, r.ID)
		require.Regexp(t, `^(KubeVirt|Kubernetes) v[0-9]`, r.Source, r.ID)
	}
}

// Labels have the same problems as in Kubernetes' own validation.
func FuzzLabels(f *testing.F) {
	for _, text := range []string{
		"app", "a.b/c", "A.b/c", "a..b/c", "a-.b/c", "a_b/c", "/a", "a/", "a/b/c", "-a", "a b", "é", "",
	} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, key, value string) {
		vm := changed(t, "metadata.name = web01")
		vm.Labels = map[string]string{key: value}
		want := len(metav1validation.ValidateLabels(vm.Labels, nil)) > 0
		require.Equal(t, want, slices.Contains(ids(admission.Check(vm, clusterOf("1.8", false))), "labels"))
	})
}
