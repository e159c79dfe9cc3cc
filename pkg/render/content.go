package render

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rule"
)

// content returns a hash of the JSON of objects.
func (x *rendering) content(objects ...any) string {
	parts := make([]string, 0, len(objects))
	for _, o := range objects {
		parts = append(parts, string(x.encoded(o)))
	}
	return machine.Hash(parts...)
}

// encoded returns the JSON of a value.
func (x *rendering) encoded(v any) []byte {
	text, err := manifest.Encode(nil, v)
	if err != nil {
		x.diags.Errorf(x.Pos, rule.Encode, x.Path, "the objects cannot be written: %s", err)
	}
	return text
}

// contentOf returns the hash of all objects rendered for the VM.
func (x *rendering) contentOf(objects []runtime.Object) string {
	all := make([]any, len(objects))
	for i, o := range objects {
		all[i] = o
	}
	return x.content(all...)
}

// revision returns the VM with a hash of its content added to its name and
// the names of its disks and Secret. The hash covers what the VM runs, not when
// Argo CD applies it. The labels do not change, so Services select both the old
// and the new VM.
func (x *rendering) revision(vm *kubevirtv1.VirtualMachine) *machine.Machine {
	m := *x.Machine
	m.Name += "-" + x.content(&vm.Spec)
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
