package render

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rule"
)

// content is a hash of objects, the same for the same text.
func (x *rendering) content(objects ...any) string {
	parts := make([]string, 0, len(objects))
	for _, o := range objects {
		text, err := manifest.Encode(nil, o)
		if err != nil {
			x.diags.Errorf(x.Pos, rule.Encode, x.Path, "the objects cannot be written: %s", err)
		}
		parts = append(parts, string(text))
	}
	return machine.Hash(parts...)
}

// contentOf is the hash of all that is rendered for the machine.
func (x *rendering) contentOf(objects []runtime.Object) string {
	all := make([]any, len(objects))
	for i, o := range objects {
		all[i] = o
	}
	return x.content(all...)
}

// revision is the machine under the name of its content: what runs inside it,
// and not when Argo CD applies it. Its labels stay those of the VM, so that
// Services lead to the old machine and to the new one.
func (x *rendering) revision(vm *kubevirtv1.VirtualMachine, secret *corev1.Secret) *machine.Machine {
	hash := x.content(&vm.Spec)
	if secret != nil {
		hash = x.content(&vm.Spec, secret.StringData)
	}
	m := *x.Machine
	m.Name += "-" + hash
	m.Disks = append([]machine.Disk(nil), m.Disks...)
	for i := range m.Disks {
		if d := &m.Disks[i]; d.Kind == machine.DiskDataVolume {
			d.Claim = m.Name + strings.TrimPrefix(d.Claim, x.Name)
		}
	}
	if m.CloudInit != nil {
		c := *m.CloudInit
		c.SecretName = m.Name + strings.TrimPrefix(c.SecretName, x.Name)
		m.CloudInit = &c
	}
	return &m
}
