package forklift

import (
	"encoding/base64"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vmrender/vmrender/pkg/lifecycle"
	"github.com/vmrender/vmrender/pkg/machine"
)

// hookSteps are the keys of hooks with the steps at which forklift runs them (kubev2v/forklift v2.12.5,
// pkg/apis/forklift/v1beta1/doc.go, PhasePreHook and PhasePostHook).
var hookSteps = [...]struct{ key, step string }{{"pre", "PreHook"}, {"post", "PostHook"}}

// hookName returns the name of the Plan's Hook at a step. It does not depend on the content:
// forklift continues with the names that the hooks of a VM had in its first run.
func (k *Key) hookName(step string) string { return k.Name + "-" + step }

// hookRefs returns the references of a VM to its Hooks.
func (k *Key) hookRefs(vm *movingVM) []HookRef {
	var out []HookRef
	for _, step := range hookSteps {
		if vm.hook(step.key) != nil {
			hook := corev1.ObjectReference{Namespace: k.Namespace, Name: k.hookName(step.key)}
			out = append(out, HookRef{step.step, hook})
		}
	}
	return out
}

// hooks returns a Hook for each step at which a VM of the Plan has one. All VMs that have one agree on it.
func (k *Key) hooks(of *plan, part lifecycle.Part) []runtime.Object {
	var out []runtime.Object
	for _, step := range hookSteps {
		if h := of.hook(step.key); h != nil {
			out = append(out, &Hook{
				TypeMeta:   typeMeta("Hook"),
				ObjectMeta: k.meta(k.hookName(h.Step), part, of.target),
				Spec: HookSpec{
					Image: h.Image, Playbook: base64.StdEncoding.EncodeToString([]byte(h.Playbook)),
					ServiceAccount: h.ServiceAccount, Deadline: h.Deadline,
				},
			})
		}
	}
	return out
}

// hook returns the hook of the first VM that has one at a step, or nil if none has.
func (p *plan) hook(step string) *machine.MigrationHook {
	for i := range p.vms {
		if h := p.vms[i].hook(step); h != nil {
			return h
		}
	}
	return nil
}

// hook returns the VM's hook at a step, or nil if it has none.
func (vm *movingVM) hook(step string) *machine.MigrationHook {
	for i := range vm.Hooks {
		if vm.Hooks[i].Step == step {
			return &vm.Hooks[i]
		}
	}
	return nil
}
