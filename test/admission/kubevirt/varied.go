package kubevirt

import (
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	v1 "kubevirt.io/api/core/v1"
	"kubevirt.io/kubevirt/pkg/virt-config/featuregate"

	"github.com/vmrender/vmrender/test/admission/object"
)

// Surroundings are the settings and objects in which clusters differ.
type Surroundings struct {
	Gates    []string // of features that are off by default
	Machines []string // patterns of machine types on amd64
	Objects  []object.Object
}

// Varied returns a cluster with some objects and permissive settings, as real clusters have
// them: old machine types, and disks on nodes.
func Varied(objects []object.Object) Surroundings {
	return Surroundings{
		Gates: []string{
			featuregate.HostDiskGate,
			featuregate.PanicDevicesGate,
			featuregate.RebootPolicy,
			featuregate.VSOCKGate,
			featuregate.VideoConfig,
			featuregate.WorkloadEncryptionSEV,
		},
		Machines: []string{"pc", "pc-i440fx*"},
		Objects:  objects,
	}
}

// extend adds the settings to a configuration.
func (s Surroundings) extend(c *v1.KubeVirtConfiguration) *v1.KubeVirtConfiguration {
	developer, amd64 := c.DeveloperConfiguration, c.ArchitectureConfiguration.Amd64
	developer.FeatureGates = append(developer.FeatureGates, s.Gates...)
	amd64.EmulatedMachines = append(amd64.EmulatedMachines, s.Machines...)
	return c
}

// revisions returns the ControllerRevisions, in which KubeVirt keeps the instance types and
// preferences that VMs were started with.
func (s Surroundings) revisions() ([]runtime.Object, error) {
	var all []runtime.Object
	for _, o := range object.OfKind(s.Objects, "ControllerRevision") {
		var revision appsv1.ControllerRevision
		if err := json.Unmarshal(o.JSON, &revision); err != nil {
			return nil, err
		}
		all = append(all, &revision)
	}
	return all, nil
}
