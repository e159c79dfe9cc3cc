package cdi

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"kubevirt.io/containerized-data-importer/pkg/operator/resources"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/test/admission/schema"
)

// NewSchema returns the judge of the CustomResourceDefinition that
// cdi-operator installs for DataVolume.
func NewSchema() (*schema.Judge, error) {
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal([]byte(resources.CDICRDs["datavolume"]), &definition); err != nil {
		return nil, fmt.Errorf("reading the definition of DataVolume: %w", err)
	}
	return schema.New(&definition)
}
