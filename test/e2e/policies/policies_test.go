package policies_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/vmrender/vmrender/test/e2e/process"
)

// patience is how long the API server may take to act on a changed policy.
const patience = 2 * time.Minute

// begin creates the object if it must exist before the policies.
func (a attempt) begin(ctx context.Context) error {
	if a.change == nil && !a.remove {
		return nil
	}
	if err := lab.Apply(ctx, a.object.DeepCopy()); err != nil {
		return fmt.Errorf("%s: %w", a.name, err)
	}
	return nil
}

// make makes the request as a dry run, and returns the warnings.
func (a attempt) make(ctx context.Context) ([]string, error) {
	warnings := &recorder{}
	resource, err := a.resource(warnings)
	if err != nil {
		return nil, err
	}
	dryRun := []string{metav1.DryRunAll}
	switch {
	case a.remove:
		err = resource.Delete(ctx, a.object.GetName(), metav1.DeleteOptions{DryRun: dryRun, PropagationPolicy: a.propagation})
	case a.change != nil:
		var live *unstructured.Unstructured
		of := slices.DeleteFunc([]string{a.subresource}, func(s string) bool { return s == "" })
		if live, err = resource.Get(ctx, a.object.GetName(), metav1.GetOptions{}, of...); err != nil {
			return nil, err
		}
		a.change(live)
		_, err = resource.Update(ctx, live, metav1.UpdateOptions{DryRun: dryRun}, of...)
	default:
		_, err = resource.Create(ctx, a.object.DeepCopy(), metav1.CreateOptions{DryRun: dryRun, FieldValidation: metav1.FieldValidationStrict})
	}
	return *warnings, err
}

// resource returns access to objects of the attempt's kind as its user.
func (a attempt) resource(warnings *recorder) (dynamic.ResourceInterface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", lab.Kubeconfig)
	if err != nil {
		return nil, err
	}
	config.Impersonate = a.as
	config.WarningHandler = warnings
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	kind := a.object.GroupVersionKind()
	resource := client.Resource(kind.GroupVersion().WithResource(strings.ToLower(kind.Kind) + "s"))
	if a.object.GetNamespace() == "" {
		return resource, nil
	}
	return resource.Namespace(a.object.GetNamespace()), nil
}

// recorder keeps the warnings that come with a response.
type recorder []string

func (r *recorder) HandleWarningHeader(_ int, _, text string) { *r = append(*r, text) }

// check compares the outcome of the request with the expected one.
func (a attempt) check(ctx context.Context) error {
	warnings, err := a.make(ctx)
	switch {
	case a.refused == "" && err != nil:
		return fmt.Errorf("%s: want admission, got: %w", a.name, err)
	case a.refused != "" && err == nil:
		return fmt.Errorf("%s: want %q, but it is admitted", a.name, a.refused)
	case a.refused != "" && !strings.Contains(err.Error(), a.refused):
		return fmt.Errorf("%s: want %q, got: %w", a.name, a.refused, err)
	case a.warning != "" && !slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, a.warning) }):
		return fmt.Errorf("%s: want the warning %q, got %q", a.name, a.warning, warnings)
	case a.warning == "" && len(warnings) > 0:
		return fmt.Errorf("%s: want no warning, got %q", a.name, warnings)
	}
	return nil
}

// allEffective waits until every expected refusal and warning occurs, because policies take
// effect with a delay.
func allEffective(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, a := range slices.Concat(attempts(), keepingAttempts(), gateSigns()) {
		if a.refused == "" && a.warning == "" {
			continue
		}
		if err := process.Poll(ctx, a.check); err != nil {
			return err
		}
	}
	return nil
}

func TestAttempts(t *testing.T) {
	for _, a := range slices.Concat(attempts(), keepingAttempts()) {
		t.Run(a.name, func(t *testing.T) { require.NoError(t, a.check(t.Context())) })
	}
}

// A developer's VM gets its address from KubeMacPool, and can be changed and deleted, without
// dry runs.
func TestLifeOfAMachine(t *testing.T) {
	a := attempt{as: developer, object: machine("team", nothing)}
	a.object.SetName("life")
	resource, err := a.resource(&recorder{})
	require.NoError(t, err)
	created, err := resource.Create(t.Context(), a.object, metav1.CreateOptions{})
	require.NoError(t, err)
	nics, _, err := unstructured.NestedSlice(created.Object, "spec", "template", "spec", "domain", "devices", "interfaces")
	require.NoError(t, err)
	require.Regexp(t, "^02:00:00:", nics[0].(object)["macAddress"])

	_, err = resource.Apply(t.Context(), "life", a.object, metav1.ApplyOptions{FieldManager: "developer", Force: true})
	require.NoError(t, err)
	require.NoError(t, resource.Delete(t.Context(), "life", metav1.DeleteOptions{}))
}

// A deleted VM loses its finalizers, whatever its contents.
func TestFinalizersCanBeRemoved(t *testing.T) {
	vm := labelled(machine("team", foreign), map[string]string{"example.com/critical": "true"})
	vm.SetName("finalized")
	vm.SetFinalizers([]string{"example.com/hold"})
	require.NoError(t, lab.Apply(t.Context(), vm))
	resource, err := attempt{as: developer, object: vm}.resource(&recorder{})
	require.NoError(t, err)
	require.NoError(t, resource.Delete(t.Context(), "finalized", metav1.DeleteOptions{}))
	live, err := resource.Get(t.Context(), "finalized", metav1.GetOptions{})
	require.NoError(t, err)
	live.SetFinalizers(nil)
	halt(live)
	address("de:ad:be:ef:00:03")(live)
	_, err = resource.Update(t.Context(), live, metav1.UpdateOptions{})
	require.NoError(t, err)
}

// Policies that are deleted and installed again have the same effect. They would not if they
// read their values from a ConfigMap, which the API server watches only until its last reader is
// gone.
func TestPoliciesComeBack(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	objects, err := rendered(ctx, "validatingAdmissionPolicy", "Deny")
	require.NoError(t, err)
	objects = slices.DeleteFunc(objects, func(o *unstructured.Unstructured) bool { return !strings.HasPrefix(o.GetKind(), policyKind) })
	require.NotEmpty(t, objects)
	for _, o := range objects {
		resource, err := lab.Of(o.GroupVersionKind(), "")
		require.NoError(t, err)
		require.NoError(t, resource.Delete(ctx, o.GetName(), metav1.DeleteOptions{}))
	}
	denied := attempt{name: "machine in a denied namespace", as: developer, object: machine("default")}
	denied.object.SetName("comes-back")
	require.NoError(t, process.Poll(ctx, denied.check))

	for _, o := range objects {
		require.NoError(t, lab.Apply(ctx, o))
	}
	require.NoError(t, allEffective(ctx))
	harmless := attempt{name: "harmless VM", as: developer, object: machine("team")}
	harmless.object.SetName("harmless")
	require.NoError(t, harmless.check(ctx))
}
