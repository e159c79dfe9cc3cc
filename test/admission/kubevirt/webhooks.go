package kubevirt

import (
	"context"
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	v1 "kubevirt.io/api/core/v1"
	"kubevirt.io/client-go/kubecli"
	instancetype "kubevirt.io/kubevirt/pkg/instancetype/webhooks/vm"
	netadmitter "kubevirt.io/kubevirt/pkg/network/admitter"
	"kubevirt.io/kubevirt/pkg/virt-api/webhooks"
	"kubevirt.io/kubevirt/pkg/virt-api/webhooks/mutating-webhook/mutators"
	"kubevirt.io/kubevirt/pkg/virt-api/webhooks/validating-webhook/admitters"
	virtconfig "kubevirt.io/kubevirt/pkg/virt-config"

	"github.com/vmrender/vmrender/test/admission/object"
)

// controller is the account with which virt-controller creates instances.
const controller = "system:serviceaccount:kubevirt:kubevirt-controller"

// Webhooks judges the creation and start of VirtualMachines as virt-api and
// virt-controller do. It is safe for concurrent use.
type Webhooks struct {
	config   *virtconfig.ClusterConfig
	client   kubecli.KubevirtClient
	mutate   *mutators.VMsMutator
	machine  *admitters.VMsAdmitter
	instance *admitters.VMICreateAdmitter
}

// NewWebhooks wires the webhooks as virt-api does (KubeVirt v1.8.4,
// pkg/virt-api/api.go), on a cluster that has only KubeVirt's own instance
// types and preferences.
func NewWebhooks() (*Webhooks, error) { return NewWebhooksOn(Surroundings{}) }

// NewWebhooksOn wires the webhooks as [NewWebhooks] does, on a cluster with these surroundings.
func NewWebhooksOn(s Surroundings) (*Webhooks, error) {
	c, err := newCluster(s)
	if err != nil {
		return nil, err
	}
	accounts := map[string]struct{}{controller: {}}
	return &Webhooks{
		config: c.config,
		client: c.client,
		mutate: mutators.NewVMsMutator(c.config, c.client),
		machine: &admitters.VMsAdmitter{
			VirtClient:              c.client,
			InstancetypeAdmitter:    instancetype.NewAdmitter(c.client),
			ClusterConfig:           c.config,
			KubeVirtServiceAccounts: accounts,
		},
		instance: &admitters.VMICreateAdmitter{
			ClusterConfig:           c.config,
			SpecValidators:          []admitters.SpecValidator{validateNetwork},
			KubeVirtServiceAccounts: accounts,
		},
	}, nil
}

func validateNetwork(path *field.Path, spec *v1.VirtualMachineInstanceSpec, config *virtconfig.ClusterConfig) []metav1.StatusCause {
	return netadmitter.Validate(path, spec, config)
}

// Problems creates the VirtualMachine, then the VirtualMachineInstance of its
// first start, and returns the refusals. Each begins with the step that refused
// it: mutate, validate, resolve, or start. A warning is a problem, too.
func (w *Webhooks) Problems(o object.Object) []string {
	mutated, problems := w.mutated(o)
	if len(problems) > 0 {
		return problems
	}
	request := review(o, webhooks.VirtualMachineGroupVersionResource, mutated)
	if problems := refusals("validate", w.machine.Admit(context.Background(), request)); len(problems) > 0 {
		return problems
	}
	var vm v1.VirtualMachine
	if err := json.Unmarshal(mutated, &vm); err != nil {
		return []string{fmt.Sprintf("validate: decoding: %v", err)}
	}
	return w.start(o, &vm)
}

// Stored returns a VirtualMachine as the API server stores it: with the settings of the
// mutating webhook, and as KubeVirt's types write it.
func (w *Webhooks) Stored(o object.Object) (object.Object, []string) {
	mutated, problems := w.mutated(o)
	if len(problems) > 0 {
		return object.Object{}, problems
	}
	stored, err := object.New(mutated)
	if err != nil {
		return object.Object{}, []string{err.Error()}
	}
	return stored, nil
}

// mutated returns the VirtualMachine with the settings of the mutating webhook.
func (w *Webhooks) mutated(o object.Object) ([]byte, []string) {
	response := w.mutate.Mutate(review(o, webhooks.VirtualMachineGroupVersionResource, o.JSON))
	if problems := refusals("mutate", response); len(problems) > 0 {
		return nil, problems
	}
	if len(response.Patch) == 0 { // a VM that is being deleted is not changed
		return o.JSON, nil
	}
	patch, err := jsonpatch.DecodePatch(response.Patch)
	if err != nil {
		return nil, []string{fmt.Sprintf("mutate: reading patch: %v", err)}
	}
	raw, err := patch.Apply(o.JSON)
	if err != nil {
		return nil, []string{fmt.Sprintf("mutate: %v", err)}
	}
	return raw, nil
}

// start judges the instance that virt-controller would create for the VM.
func (w *Webhooks) start(o object.Object, vm *v1.VirtualMachine) []string {
	if problems := w.resolve(vm); len(problems) > 0 {
		return problems
	}
	instance := &v1.VirtualMachineInstance{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1.GroupVersion.String(), Kind: "VirtualMachineInstance"},
		ObjectMeta: *vm.Spec.Template.ObjectMeta.DeepCopy(),
		Spec:       vm.Spec.Template.Spec,
	}
	instance.Name, instance.Namespace = vm.Name, vm.Namespace
	if err := mutators.ApplyNewVMIMutations(instance, w.config); err != nil {
		return []string{fmt.Sprintf("start: %v", err)}
	}
	raw, err := json.Marshal(instance)
	if err != nil {
		return []string{fmt.Sprintf("start: %v", err)}
	}
	request := review(o, webhooks.VirtualMachineInstanceGroupVersionResource, raw)
	return refusals("start", w.instance.Admit(context.Background(), request))
}

// resolve applies instance type and preference. The webhook only logs a name
// that does not exist, but virt-controller would never start such a VM.
func (w *Webhooks) resolve(vm *v1.VirtualMachine) []string {
	size, preference, causes := w.machine.InstancetypeAdmitter.ApplyToVM(vm)
	problems := lines("resolve", causes)
	if vm.Spec.Instancetype != nil && size == nil && causes == nil {
		problems = append(problems, fmt.Sprintf("resolve: instance type %q not found", vm.Spec.Instancetype.Name))
	}
	if vm.Spec.Preference != nil && preference == nil && causes == nil {
		problems = append(problems, fmt.Sprintf("resolve: preference %q not found", vm.Spec.Preference.Name))
	}
	return problems
}

// review requests the creation of an object. It is a dry run, so that the
// webhooks count no metrics.
func review(o object.Object, resource metav1.GroupVersionResource, raw []byte) *admissionv1.AdmissionReview {
	dryRun := true
	request := &admissionv1.AdmissionRequest{
		Resource: resource, Operation: admissionv1.Create,
		Namespace: o.Namespace, Name: o.Name,
		Object: runtime.RawExtension{Raw: raw}, DryRun: &dryRun,
	}
	request.UserInfo.Username = controller
	if resource == webhooks.VirtualMachineGroupVersionResource {
		request.UserInfo.Username = "gitops"
	}
	return &admissionv1.AdmissionReview{Request: request}
}

func refusals(step string, response *admissionv1.AdmissionResponse) []string {
	if response.Allowed {
		return warnings(step, response.Warnings)
	}
	if response.Result == nil {
		return []string{step + ": refused without a reason"}
	}
	if details := response.Result.Details; details != nil && len(details.Causes) > 0 {
		return lines(step, details.Causes)
	}
	return []string{step + ": " + response.Result.Message}
}

func warnings(step string, texts []string) []string {
	problems := make([]string, 0, len(texts))
	for _, text := range texts {
		problems = append(problems, step+": warning: "+text)
	}
	return problems
}

func lines(step string, causes []metav1.StatusCause) []string {
	problems := make([]string, 0, len(causes))
	for _, c := range causes {
		place := step
		if c.Field != "" {
			place += ": " + c.Field
		}
		problems = append(problems, place+": "+c.Message)
	}
	return problems
}
