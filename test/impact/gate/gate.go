// Package gate evaluates the gate's admission policy, as the governance chart renders it,
// for changes of VMs. It uses the API server's own code without an API server.
package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	apiservercel "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"
)

// rendered is the output of the chart for one of its scenarios.
const rendered = "../../../charts/governance/testdata/gate.golden.yaml"

// oldest is the oldest version of Kubernetes that the chart supports.
var oldest = version.MajorMinor(1, 30)

// Gate is the policy for VMs.
type Gate struct{ evaluator cel.ConditionEvaluator }

// Params are the policy's parameters, as in the chart's values.
type Params struct {
	Approve   []string `json:"approve"`
	MaxImpact []string `json:"maxImpact"`
	KubeVirt  []string `json:"kubevirt"`
}

// New compiles the policy with these parameters instead of those of the scenario.
func New(params Params) (*Gate, error) {
	policy, err := read()
	if err != nil {
		return nil, err
	}
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(oldest, true))
	if err != nil {
		return nil, err
	}
	own, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	options := cel.OptionalVariableDeclarations{HasAuthorizer: true, StrictCost: true}
	for _, v := range policy.Spec.Variables {
		if v.Name == "params" {
			v.Expression = string(own)
		}
		variable := &validating.Variable{Name: v.Name, Expression: v.Expression}
		if result := compiler.CompileAndStoreVariable(variable, options, environment.NewExpressions); result.Error != nil {
			return nil, fmt.Errorf("variable %s: %w", v.Name, result.Error)
		}
	}
	rule := policy.Spec.Validations[0]
	return &Gate{compiler.CompileCondition([]cel.ExpressionAccessor{
		&validating.ValidationCondition{Expression: rule.Expression},
		&validating.MessageExpressionCondition{MessageExpression: rule.MessageExpression},
		&validating.MessageExpressionCondition{MessageExpression: "variables.changes.join('\\n')"},
	}, options, environment.NewExpressions)}, nil
}

// read returns the policy that the chart renders.
func read() (*admissionregistration.ValidatingAdmissionPolicy, error) {
	text, err := os.ReadFile(rendered)
	if err != nil {
		return nil, err
	}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		var policy admissionregistration.ValidatingAdmissionPolicy
		if err := yaml.Unmarshal([]byte(document), &policy); err == nil && policy.Kind == "ValidatingAdmissionPolicy" && policy.Name == "virtualization-gate" {
			return &policy, nil
		}
	}
	return nil, errors.New(rendered + " has no policy of the gate")
}

// Verdict is the policy's decision about a request.
type Verdict struct {
	// Refused is the reason, or empty if the request passes.
	Refused string
	// Changes are the changes in the request: each has a level in two digits, a blank, and
	// the path of the field.
	Changes []string
	// Cost is the cost of the evaluation, in the API server's units.
	Cost int64
}

// Ask returns the policy's verdict on an update, or on a deletion if there is no new object.
func (g *Gate) Ask(was, now map[string]any) (Verdict, error) {
	old := &unstructured.Unstructured{Object: was}
	attributes := &admission.VersionedAttributes{VersionedOldObject: old, VersionedKind: old.GroupVersionKind()}
	operation, object := admission.Delete, runtime.Object(nil)
	if now != nil {
		operation, object = admission.Update, &unstructured.Unstructured{Object: now}
		attributes.VersionedObject = object
	}
	kind := old.GroupVersionKind()
	resource := kind.GroupVersion().WithResource(strings.ToLower(kind.Kind) + "s")
	attributes.Attributes = admission.NewAttributesRecord(object, old, kind, old.GetNamespace(), old.GetName(), resource,
		"", operation, nil, false, &user.DefaultInfo{Name: "argocd"})
	request := cel.CreateAdmissionRequest(attributes, metav1.GroupVersionResource(resource), metav1.GroupVersionKind(kind))
	const budget = apiservercel.RuntimeCELCostBudget
	results, left, err := g.evaluator.ForInput(context.Background(), attributes, request, cel.OptionalVariableBindings{}, nil, budget)
	if err != nil {
		return Verdict{}, err
	}
	return verdict(results, budget-left)
}

// verdict interprets the results of the expressions.
func verdict(results []cel.EvaluationResult, cost int64) (Verdict, error) {
	v := Verdict{Cost: cost}
	passes, _ := results[0].EvalResult.Value().(bool)
	for i, r := range results {
		if r.Error != nil && !(passes && i == 1) { // only a refusal has a message
			return v, fmt.Errorf("%s: %w", r.ExpressionAccessor.GetExpression(), r.Error)
		}
	}
	if !passes {
		v.Refused, _ = results[1].EvalResult.Value().(string)
	}
	if changes, _ := results[2].EvalResult.Value().(string); changes != "" {
		v.Changes = strings.Split(changes, "\n")
	}
	return v, nil
}
