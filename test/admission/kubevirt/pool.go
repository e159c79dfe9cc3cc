package kubevirt

import (
	"encoding/json"
	"fmt"

	v1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/test/admission/object"
)

// PoolMachine returns the first VirtualMachine that virt-controller would
// create for a VirtualMachinePool: its template, with the pool's name and `-0`.
func PoolMachine(pool object.Object) (object.Object, error) {
	var p struct {
		Spec struct {
			Template map[string]any `json:"virtualMachineTemplate"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(pool.JSON, &p); err != nil {
		return object.Object{}, fmt.Errorf("%s: %w", pool, err)
	}
	machine := p.Spec.Template
	metadata, ok := machine["metadata"].(map[string]any)
	if !ok {
		return object.Object{}, fmt.Errorf("%s: spec.virtualMachineTemplate has no metadata", pool)
	}
	metadata["name"], metadata["namespace"] = pool.Name+"-0", pool.Namespace
	machine["apiVersion"], machine["kind"] = v1.VirtualMachineGroupVersionKind.GroupVersion().String(), v1.VirtualMachineGroupVersionKind.Kind
	raw, err := json.Marshal(machine)
	if err != nil {
		return object.Object{}, fmt.Errorf("%s: %w", pool, err)
	}
	return object.New(raw)
}
