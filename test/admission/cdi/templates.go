package cdi

import (
	"encoding/json"
	"fmt"

	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/test/admission/object"
)

// DataVolumes returns the DataVolumes among the objects, in order, and those
// that virt-controller creates from the data volume templates of
// VirtualMachines and VirtualMachinePools.
func DataVolumes(objects []object.Object) ([]object.Object, error) {
	var volumes []object.Object
	for _, o := range objects {
		switch o.Kind {
		case "DataVolume":
			volumes = append(volumes, o)
		case "VirtualMachine", "VirtualMachinePool":
			templates, err := templates(o)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", o, err)
			}
			volumes = append(volumes, templates...)
		}
	}
	return volumes, nil
}

// machine is the part of a VirtualMachine that contains data volume templates.
type machine struct {
	Spec struct {
		Templates []map[string]any `json:"dataVolumeTemplates"`
		Machine   *machine         `json:"virtualMachineTemplate"` // of a pool
	} `json:"spec"`
}

func templates(o object.Object) ([]object.Object, error) {
	var m machine
	if err := json.Unmarshal(o.JSON, &m); err != nil {
		return nil, err
	}
	if m.Spec.Machine != nil {
		m = *m.Spec.Machine
	}
	var volumes []object.Object
	for _, template := range m.Spec.Templates {
		volume, err := dataVolume(template, o.Namespace)
		if err != nil {
			return nil, err
		}
		volumes = append(volumes, volume)
	}
	return volumes, nil
}

// dataVolume completes a template with what virt-controller adds: its kind and
// the VM's namespace.
func dataVolume(template map[string]any, namespace string) (object.Object, error) {
	metadata, ok := template["metadata"].(map[string]any)
	if !ok {
		return object.Object{}, fmt.Errorf("data volume template without metadata")
	}
	metadata["namespace"] = namespace
	template["apiVersion"], template["kind"] = cdiv1.SchemeGroupVersion.String(), "DataVolume"
	raw, err := json.Marshal(template)
	if err != nil {
		return object.Object{}, err
	}
	return object.New(raw)
}
