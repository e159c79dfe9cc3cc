package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
)

// Only some fields have quantities. For a label 1.10 is another version than 1.1, although they are the same quantity.
func TestTextsAreNoQuantities(t *testing.T) {
	for path, level := range map[string]impact.Level{
		"metadata.labels.version":                    impact.Metadata,
		"metadata.annotations.version":               impact.Metadata,
		"spec.template.metadata.labels.version":      impact.Staged,
		"spec.template.spec.nodeSelector.generation": impact.Live,
		"spec.template.spec.domain.firmware.serial":  impact.Restart,
		"spec.template.spec.hostname":                impact.Restart,
	} {
		old, edited := load(t, "pet"), load(t, "pet")
		set("1.1", path)(old)
		set("1.10", path)(edited)
		got := plan.New(encode(t, old), encode(t, edited), plan.Options{Cluster: openshift}).VMs[0].Level
		require.Equal(t, level, got, path)
	}
}

// Another spelling of a quantity or of a number is no change.
func TestQuantitiesAreCompared(t *testing.T) {
	for kind, texts := range map[string][]string{
		"kubevirt.io/v1 VirtualMachine": {
			`{"spec":{"template":{"spec":{"domain":{"memory":{"guest":"%s"}}}}}}`,
			`{"spec":{"template":{"spec":{"domain":{"memory":{"maxGuest":"%s"}}}}}}`,
			`{"spec":{"template":{"spec":{"domain":{"resources":{"requests":{"memory":"%s"}}}}}}}`,
			`{"spec":{"template":{"spec":{"domain":{"resources":{"limits":{"memory":"%s"}}}}}}}`,
			`{"spec":{"template":{"spec":{"volumes":[{"name":"a","emptyDisk":{"capacity":"%s"}}]}}}}`,
		},
		"cdi.kubevirt.io/v1beta1 DataVolume": {`{"spec":{"storage":{"resources":{"requests":{"storage":"%s"}}}}}`},
		"v1 PersistentVolume":                {`{"spec":{"capacity":{"storage":"%s"}}}`},
		"v1 ResourceQuota":                   {`{"spec":{"hard":{"requests.memory":"%s"}}}`},
		"v1 Pod": {
			`{"spec":{"volumes":[{"name":"a","emptyDir":{"sizeLimit":"%s"}}]}}`,
			`{"spec":{"containers":[{"name":"a","env":[{"name":"M","valueFrom":{"resourceFieldRef":{"divisor":"%s"}}}]}]}}`,
		},
	} {
		for _, text := range texts {
			require.Equal(t, impact.None, planOf(kind, text, "4Gi", "4096Mi"), text)
			require.Greater(t, planOf(kind, text, "4Gi", "4097Mi"), impact.None, text)
		}
	}
	weight := `{"spec":{"weight":%s}}`
	require.Equal(t, impact.None, planOf("v1 Node", weight, "1", "1.0"))
	require.Greater(t, planOf("v1 Node", weight, "1", "1.1"), impact.None)
}

// planOf returns the level of a change from one value to another of an object's field.
func planOf(kind, text, was, now string) impact.Level {
	version, kind, _ := strings.Cut(kind, " ")
	object := func(value string) []manifest.Object {
		id := manifest.ID{APIVersion: version, Kind: kind, Namespace: "ns", Name: "it"}
		return []manifest.Object{{ID: id, JSON: fmt.Appendf(nil, text, value)}}
	}
	return plan.New(object(was), object(now), plan.Options{Cluster: openshift}).Worst()
}
