package kubevirt

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	v1 "kubevirt.io/api/core/v1"
	"kubevirt.io/kubevirt/pkg/virt-operator/resource/generate/components"
	"sigs.k8s.io/json"

	"github.com/vmrender/vmrender/test/admission/object"
	"github.com/vmrender/vmrender/test/admission/schema"
)

// NewSchema returns the judge of the CustomResourceDefinitions that virt-operator installs
// for VirtualMachine, VirtualMachineInstance, and VirtualMachinePool.
func NewSchema() (*schema.Judge, error) {
	var definitions []*apiextensionsv1.CustomResourceDefinition
	for _, definition := range []func() (*apiextensionsv1.CustomResourceDefinition, error){
		components.NewVirtualMachineCrd,
		components.NewVirtualMachineInstanceCrd,
		components.NewVirtualMachinePoolCrd,
	} {
		d, err := definition()
		if err != nil {
			return nil, err
		}
		definitions = append(definitions, d)
	}
	return schema.New(definitions...)
}

// Decode is the judge of the metadata of templates, where the schemas accept and keep any
// field. It decodes a VirtualMachine into KubeVirt's types and returns every field that
// they do not have, case-sensitively. It does not see fields under spec.template.spec,
// whose type decodes itself leniently (kubevirt.io/api v1.8.4, core/v1/types.go). The
// schema checks those.
func Decode(o object.Object) []string {
	unknown, err := json.UnmarshalStrict(o.JSON, &v1.VirtualMachine{})
	if err != nil {
		return []string{fmt.Sprintf("decoding: %v", err)}
	}
	var problems []string
	for _, e := range unknown {
		problems = append(problems, e.Error())
	}
	return problems
}
