package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	v1 "kubevirt.io/api/core/v1"
	"kubevirt.io/kubevirt/pkg/virt-api/webhooks"
	"kubevirt.io/kubevirt/pkg/virt-api/webhooks/mutating-webhook/mutators"
	"kubevirt.io/kubevirt/pkg/virt-api/webhooks/validating-webhook/admitters"
	"kubevirt.io/kubevirt/pkg/virt-operator/resource/generate/components"

	"github.com/vmrender/vmrender/test/admission/object"
	"github.com/vmrender/vmrender/test/admission/schema"
	"github.com/vmrender/vmrender/test/impact/judge/kubevirt"
	"github.com/vmrender/vmrender/test/impact/judge/wiring"
)

// controller is the account with which virt-controller writes.
const controller = "system:serviceaccount:kubevirt:kubevirt-controller"

// Refusal is an error of an API server or a webhook that refuses an object.
type Refusal struct {
	By       string // "schema", "mutating webhook", "validating webhook", "status webhook", "instance webhook"
	Messages []string
}

func (r *Refusal) Error() string { return r.By + ": " + strings.Join(r.Messages, "; ") }

// admission checks writes of KubeVirt's objects.
type admission struct {
	schema    *schema.Judge
	mutate    *mutators.VMsMutator
	machine   *admitters.VMsAdmitter
	fill      *mutators.VMIsMutator
	created   *admitters.VMICreateAdmitter
	updated   *admitters.VMIUpdateAdmitter
	byGitOps  bool // whether Argo CD writes now, not virt-controller
	suspended bool // whether nothing is checked, because the tests write
}

func newAdmission(c wiring.Cluster) (*admission, error) {
	schemas, err := newSchema()
	if err != nil {
		return nil, err
	}
	a := &admission{
		schema:  schemas,
		fill:    &mutators.VMIsMutator{ClusterConfig: c.Config, VMIPresetInformer: newInformer(nil), KubeVirtServiceAccounts: c.Accounts},
		updated: admitters.NewVMIUpdateAdmitter(c.Config, c.Accounts),
	}
	a.mutate, a.machine, a.created = kubevirt.NewWebhooks(c)
	return a, nil
}

// newSchema returns the judge of the CustomResourceDefinitions of VMs and instances.
func newSchema() (*schema.Judge, error) {
	machines, err := components.NewVirtualMachineCrd()
	if err != nil {
		return nil, err
	}
	instances, err := components.NewVirtualMachineInstanceCrd()
	if err != nil {
		return nil, err
	}
	return schema.New(machines, instances)
}

// create returns the admitted object, or a *[Refusal].
func (a *admission) create(o runtime.Object) (runtime.Object, error) { return a.admit(o, nil, "") }

// update returns the admitted object that replaces old, or a *[Refusal]. The subresource is
// "status" or empty.
func (a *admission) update(o, old runtime.Object, subresource string) (runtime.Object, error) {
	return a.admit(o, old, subresource)
}

// admit refuses what makes a webhook panic, as an API server does: it gets no answer.
func (a *admission) admit(o, old runtime.Object, subresource string) (admitted runtime.Object, err error) {
	if a.suspended {
		return o, nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = &Refusal{By: "a webhook panics", Messages: []string{fmt.Sprint(p)}}
		}
	}()
	switch o := o.(type) {
	case *v1.VirtualMachine:
		if subresource == "status" {
			return a.admitStatus(o, old)
		}
		return a.admitMachine(o, old)
	case *v1.VirtualMachineInstance:
		return a.admitInstance(o, old)
	default:
		return o, nil
	}
}

func (a *admission) admitMachine(vm *v1.VirtualMachine, old runtime.Object) (runtime.Object, error) {
	vm.APIVersion, vm.Kind = v1.GroupVersion.String(), "VirtualMachine"
	request, err := a.review(webhooks.VirtualMachineGroupVersionResource, vm, old)
	if err != nil {
		return nil, err
	}
	if err := patched(request, a.mutate.Mutate(request)); err != nil {
		return nil, err
	}
	if err := refusal("validating webhook", a.machine.Admit(context.Background(), request)); err != nil {
		return nil, err
	}
	return decode(vm, request.Request.Object.Raw)
}

// admitStatus admits a VM whose status changes. That has a webhook of its own, and none that
// mutates (pkg/virt-operator/resource/generate/components/webhooks.go).
func (a *admission) admitStatus(vm *v1.VirtualMachine, old runtime.Object) (runtime.Object, error) {
	vm.APIVersion, vm.Kind = v1.GroupVersion.String(), "VirtualMachine"
	request, err := a.review(webhooks.VirtualMachineGroupVersionResource, vm, old)
	if err != nil {
		return nil, err
	}
	webhook := admitters.StatusAdmitter{VmsAdmitter: a.machine}
	if err := refusal("status webhook", webhook.Admit(context.Background(), request)); err != nil {
		return nil, err
	}
	return decode(vm, request.Request.Object.Raw)
}

// validate checks the schema. It drops unknown fields, as an API server does.
func (a *admission) validate(raw []byte) error {
	o, err := object.New(raw)
	if err != nil {
		return err
	}
	var problems []string
	for _, problem := range a.schema.Problems(o) {
		if !strings.HasPrefix(problem, "unknown field") {
			problems = append(problems, problem)
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return &Refusal{By: "schema", Messages: problems}
}

func (a *admission) admitInstance(vmi *v1.VirtualMachineInstance, old runtime.Object) (runtime.Object, error) {
	vmi.APIVersion, vmi.Kind = v1.GroupVersion.String(), "VirtualMachineInstance"
	request, err := a.review(webhooks.VirtualMachineInstanceGroupVersionResource, vmi, old)
	if err != nil {
		return nil, err
	}
	if err := patched(request, a.fill.Mutate(request)); err != nil {
		return nil, err
	}
	admit := a.created.Admit
	if old != nil {
		admit = a.updated.Admit
	}
	if err := refusal("instance webhook", admit(context.Background(), request)); err != nil {
		return nil, err
	}
	return decode(vmi, request.Request.Object.Raw)
}

// review requests a write. It is a dry run, so that the webhooks count no metrics.
func (a *admission) review(resource metav1.GroupVersionResource, o, old runtime.Object) (*admissionv1.AdmissionReview, error) {
	dryRun := true
	request := &admissionv1.AdmissionRequest{
		Resource: resource, Operation: admissionv1.Create, Namespace: Namespace, DryRun: &dryRun,
	}
	request.UserInfo.Username = controller
	if a.byGitOps {
		request.UserInfo.Username = "gitops"
	}
	var err error
	if request.Object.Raw, err = json.Marshal(o); err != nil {
		return nil, err
	}
	if old != nil {
		request.Operation = admissionv1.Update
		if request.OldObject.Raw, err = json.Marshal(old); err != nil {
			return nil, err
		}
	}
	return &admissionv1.AdmissionReview{Request: request}, nil
}

// patched applies the answer of a mutating webhook to the object of the request.
func patched(request *admissionv1.AdmissionReview, response *admissionv1.AdmissionResponse) error {
	if err := refusal("mutating webhook", response); err != nil {
		return err
	}
	if len(response.Patch) == 0 {
		return nil
	}
	patch, err := jsonpatch.DecodePatch(response.Patch)
	if err != nil {
		return fmt.Errorf("mutating webhook: %w", err)
	}
	request.Request.Object.Raw, err = patch.Apply(request.Request.Object.Raw)
	return err
}

func refusal(by string, response *admissionv1.AdmissionResponse) error {
	if response.Allowed {
		return nil
	}
	if response.Result == nil {
		return &Refusal{By: by, Messages: []string{"without a reason"}}
	}
	details := response.Result.Details
	if details == nil || len(details.Causes) == 0 {
		return &Refusal{By: by, Messages: []string{response.Result.Message}}
	}
	r := &Refusal{By: by}
	for _, cause := range details.Causes {
		r.Messages = append(r.Messages, strings.TrimPrefix(cause.Field+": "+cause.Message, ": "))
	}
	return r
}
