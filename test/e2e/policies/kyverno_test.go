package policies_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/e2e/cluster"
)

// This is the module with Kyverno's definitions. It is only read, so no go.mod needs it;
// the sum comes from go.sum.
const (
	kyverno    = "github.com/kyverno/kyverno@v1.15.2"
	kyvernoSum = "h1:1eDivq33TEgHwZkPl/4Id+9p+x6/3ieg1WzBGjmHWk0="
)

const policyKind = "ValidatingAdmissionPolicy"

// kyvernoDefinition returns the path of ClusterPolicy's definition.
func kyvernoDefinition(dir string) (string, error) {
	command := exec.Command("go", "mod", "download", "-json", kyverno)
	command.Dir = dir // outside of all modules
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("downloading %s: %w\n%s", kyverno, err, output)
	}
	var module struct{ Dir, Sum string }
	if err := json.Unmarshal(output, &module); err != nil {
		return "", err
	}
	if module.Sum != kyvernoSum {
		return "", fmt.Errorf("%s has the sum %s; expected %s", kyverno, module.Sum, kyvernoSum)
	}
	return filepath.Join(module.Dir, "config", "crds", "kyverno", "kyverno.io_clusterpolicies.yaml"), nil
}

// Kyverno's policies have no unknown field, and the same expressions as the API
// server's, which the other tests exercise. Kyverno evaluates a rule's CEL with the API
// server's own code (pkg/engine/handlers/validation/validate_cel.go).
func TestKyverno(t *testing.T) {
	definition, err := cluster.ReadObjects(lab.Kyverno)
	require.NoError(t, err)
	require.NoError(t, lab.Install(t.Context(), definition))
	rendering, err := rendered(t.Context(), "kyverno", "Deny")
	require.NoError(t, err)
	native, err := rendered(t.Context(), "validatingAdmissionPolicy", "Deny")
	require.NoError(t, err)

	policies := 0
	for _, o := range rendering {
		require.NotContains(t, []string{policyKind, policyKind + "Binding"}, o.GetKind())
		if o.GetKind() != "ClusterPolicy" {
			require.True(t, slices.ContainsFunc(native, func(n *unstructured.Unstructured) bool {
				return n.GetKind() == o.GetKind() && n.GetName() == o.GetName()
			}), "%s %s", o.GetKind(), o.GetName())
			continue
		}
		policies++
		resource, err := lab.Of(o.GroupVersionKind(), "")
		require.NoError(t, err)
		_, err = resource.Create(t.Context(), o, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
		require.NoError(t, err, o.GetName())
		sameExpressions(t, o, find(t, native, policyKind, o.GetName()), find(t, native, policyKind+"Binding", o.GetName()))
	}
	require.Equal(t, 21, policies, "all except petState")
}

func find(t *testing.T, objects []*unstructured.Unstructured, kind, name string) *unstructured.Unstructured {
	t.Helper()
	for _, o := range objects {
		if o.GetKind() == kind && o.GetName() == name {
			return o
		}
	}
	require.NoError(t, errors.New("there is no "+kind+" "+name))
	return nil
}

// sameExpressions compares a ClusterPolicy with the API server's policy and its binding.
func sameExpressions(t *testing.T, kyverno, policy, binding *unstructured.Unstructured) {
	t.Helper()
	rules := field[[]any](t, kyverno.Object, "spec", "rules")
	require.Len(t, rules, 1)
	rule := rules[0].(object)
	validate := field[object](t, rule, "validate", "cel")
	spec := field[object](t, policy.Object, "spec")
	require.Equal(t, spec["variables"], validate["variables"])
	require.Equal(t, spec["validations"], validate["expressions"])
	require.Equal(t, spec["matchConditions"], rule["celPreconditions"])

	denies := slices.Contains(field[[]any](t, binding.Object, "spec", "validationActions"), any("Deny"))
	require.Equal(t, map[bool]string{true: "Enforce", false: "Audit"}[denies], field[string](t, rule, "validate", "failureAction"))

	matches := field[[]any](t, rule, "match", "any")
	resources := field[object](t, matches[0].(object), "resources")
	constraints := field[[]any](t, spec, "matchConstraints", "resourceRules")
	require.Len(t, resources["kinds"], len(constraints))
	for _, c := range constraints {
		require.Equal(t, c.(object)["operations"], resources["operations"])
	}
	selected, _, err := unstructured.NestedMap(binding.Object, "spec", "matchResources")
	require.NoError(t, err)
	require.Equal(t, selected["namespaceSelector"], resources["namespaceSelector"])
	require.Equal(t, selected["objectSelector"], resources["selector"])
}

// field returns a field of an object, which must exist.
func field[T any](t *testing.T, o object, path ...string) T {
	t.Helper()
	value, found, err := unstructured.NestedFieldNoCopy(o, path...)
	require.NoError(t, err)
	require.True(t, found, path)
	typed, ok := value.(T)
	require.True(t, ok, "%q is %T", path, value)
	return typed
}
