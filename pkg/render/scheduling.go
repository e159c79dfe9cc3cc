package render

import (
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/keys"
	"github.com/vmrender/vmrender/pkg/source"
)

// setScheduling sets where and when the VM runs.
func (x *rendering) setScheduling(spec *kubevirtv1.VirtualMachineInstanceSpec) {
	keys.VM.Set(spec, x.Machine)
	x.decodeWritten(spec)
}

// decodeWritten decodes what the user writes in Kubernetes' own form, each key from
// its own node, so that mistakes are reported at their position.
func (x *rendering) decodeWritten(spec *kubevirtv1.VirtualMachineInstanceSpec) {
	decode := x.decode
	for i := range keys.Verbatim {
		keys.Verbatim[i].Set(spec, x.Machine, decode)
	}
}

func (x *rendering) decode(n *source.Node, into any, key string) {
	if n == nil {
		return
	}
	var found source.Diagnostics
	source.Decode(n, into, x.path(key), &found)
	x.diags.Merge(&found)
	if found.HasErrors() {
		x.misread = append(x.misread, key)
	}
}
