package gate

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	admissionregistration "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	apiservercel "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"
)

// governance is what the governance chart renders.
const governance = "../../../charts/governance/testdata/"

// A policy refuses an object for each of the fields of KubeVirt's and CDI's types that it is
// said to judge, if the field has a value that is not allowed, and admits it without a value.
func TestPoliciesJudgeEveryField(t *testing.T) {
	policies := policiesOf(t, governance+"strict.golden.yaml")
	list, err := os.ReadFile(governance + "fields.golden.txt")
	require.NoError(t, err)
	judged := 0
	for line := range strings.Lines(string(list)) {
		path, by, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if strings.HasPrefix(by, "-") {
			continue
		}
		judged++
		policy := policies["virtualization-"+map[string]string{"images": "images", "serviceAccounts": "service-accounts", "cloneSources": "clone-sources"}[by]]
		require.NotNil(t, policy, line)
		require.NoError(t, policy.admits(withField(path, "")), path)
		require.ErrorContains(t, policy.admits(withField(path, forbiddenValue(path))), "evil", path)
	}
	require.Greater(t, judged, 100)
}

// forbiddenValue returns a value that no policy allows, in the form of the field.
func forbiddenValue(path string) any {
	switch {
	case strings.HasSuffix(path, "volumeRestoreOverrides[].annotations"), strings.Contains(path, "dataVolumeTemplates[].metadata"), strings.HasPrefix(path, "DataImportCron"):
		if strings.HasSuffix(path, ".annotations") {
			return map[string]any{"cdi.kubevirt.io/storage.import.endpoint": "docker://evil"}
		}
	case strings.HasSuffix(path, ".annotations"):
		return map[string]any{"hooks.kubevirt.io/hookSidecars": `[{"image": "evil"}]`}
	case strings.HasSuffix(path, ".patches"):
		return []any{`{"op": "add", "path": "/spec/template/spec/volumes/0/containerDisk/image", "value": "evil"}`}
	}
	return "evil"
}

// withField returns an object with a field, by its kind and path, or without a value for the field.
func withField(path string, value any) *unstructured.Unstructured {
	keys := strings.Split(path, ".")
	object := map[string]any{"apiVersion": "v1", "kind": keys[0], "metadata": map[string]any{"name": "x", "namespace": "team"}}
	at := object
	for _, key := range keys[1 : len(keys)-1] {
		next := map[string]any{}
		if name, isList := strings.CutSuffix(key, "[]"); isList {
			next["name"] = "x"
			if name == "dataVolumeTemplates" {
				next["spec"] = map[string]any{}
			}
			at[name] = []any{next}
		} else if existing, found := at[key].(map[string]any); found {
			next = existing
		} else {
			at[key] = next
		}
		at = next
	}
	if value != "" {
		at[keys[len(keys)-1]] = value
	}
	return &unstructured.Unstructured{Object: object}
}

// compiled is a policy of the chart.
type compiled struct{ evaluator cel.ConditionEvaluator }

func policiesOf(t *testing.T, file string) map[string]*compiled {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	out := map[string]*compiled{}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		var policy admissionregistration.ValidatingAdmissionPolicy
		if err := yaml.Unmarshal([]byte(document), &policy); err == nil && policy.Kind == "ValidatingAdmissionPolicy" && policy.Spec.ParamKind == nil {
			out[policy.Name] = compilePolicy(t, &policy)
		}
	}
	return out
}

func compilePolicy(t *testing.T, policy *admissionregistration.ValidatingAdmissionPolicy) *compiled {
	t.Helper()
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(oldest, true))
	require.NoError(t, err)
	options := cel.OptionalVariableDeclarations{HasAuthorizer: true, StrictCost: true}
	for _, v := range policy.Spec.Variables {
		variable := &validating.Variable{Name: v.Name, Expression: v.Expression}
		result := compiler.CompileAndStoreVariable(variable, options, environment.NewExpressions)
		require.Nil(t, result.Error, "%s: %s", policy.Name, v.Name)
	}
	rule := policy.Spec.Validations[0]
	return &compiled{compiler.CompileCondition([]cel.ExpressionAccessor{
		&validating.ValidationCondition{Expression: rule.Expression},
		&validating.MessageExpressionCondition{MessageExpression: rule.MessageExpression},
	}, options, environment.NewExpressions)}
}

// admits returns the refusal of the creation of an object.
func (c *compiled) admits(object *unstructured.Unstructured) error {
	kind := object.GroupVersionKind()
	resource := kind.GroupVersion().WithResource(strings.ToLower(kind.Kind) + "s")
	attributes := &admission.VersionedAttributes{VersionedObject: object, VersionedKind: kind}
	attributes.Attributes = admission.NewAttributesRecord(object, nil, kind, "team", "x", resource,
		"", admission.Create, nil, false, &user.DefaultInfo{Name: "argocd"})
	request := cel.CreateAdmissionRequest(attributes, metav1.GroupVersionResource(resource), metav1.GroupVersionKind(kind))
	results, _, err := c.evaluator.ForInput(context.Background(), attributes, request, cel.OptionalVariableBindings{}, nil, apiservercel.RuntimeCELCostBudget)
	if err != nil {
		return err
	}
	if results[0].Error != nil {
		return results[0].Error
	}
	if passes, _ := results[0].EvalResult.Value().(bool); passes {
		return nil
	}
	return fmt.Errorf("refused: %v", results[1].EvalResult)
}
