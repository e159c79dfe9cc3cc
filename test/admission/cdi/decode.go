package cdi

import (
	"fmt"

	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/json"

	"github.com/vmrender/vmrender/test/admission/object"
)

// Decode is the judge of metadata, which the schema does not check. It decodes
// a DataVolume into CDI's types and returns every field that they do not have,
// case-sensitively.
func Decode(o object.Object) []string {
	unknown, err := json.UnmarshalStrict(o.JSON, &cdiv1.DataVolume{})
	if err != nil {
		return []string{fmt.Sprintf("decoding: %v", err)}
	}
	var problems []string
	for _, e := range unknown {
		problems = append(problems, e.Error())
	}
	return problems
}
