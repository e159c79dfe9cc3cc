package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/plan"
)

// Only some fields have quantities. For a label 1.10 is another version than 1.1, although they are the same quantity.
func TestTextsAreNoQuantities(t *testing.T) {
	for path, level := range map[string]plan.Level{
		"metadata.labels.version":                    plan.Metadata,
		"metadata.annotations.version":               plan.Metadata,
		"spec.template.metadata.labels.version":      plan.Staged,
		"spec.template.spec.nodeSelector.generation": plan.Live,
		"spec.template.spec.domain.firmware.serial":  plan.Restart,
		"spec.template.spec.hostname":                plan.Restart,
	} {
		old, edited := load(t, "pet"), load(t, "pet")
		set("1.1", path)(old)
		set("1.10", path)(edited)
		got := plan.New(encode(t, old), encode(t, edited), plan.Options{Cluster: openshift}).VMs[0].Level
		require.Equal(t, level, got, path)
	}
}

// Another spelling of a quantity is no change.
func TestQuantitiesAreCompared(t *testing.T) {
	for _, path := range []string{
		"spec.template.spec.domain.memory.guest",
		"spec.template.spec.domain.memory.maxGuest",
		"spec.template.spec.domain.resources.requests.memory",
		"spec.template.spec.domain.resources.limits.memory",
	} {
		old, same, edited := load(t, "pet"), load(t, "pet"), load(t, "pet")
		set("4Gi", path)(old)
		set("4096Mi", path)(same)
		set("4097Mi", path)(edited)
		unchanged := plan.New(encode(t, old), encode(t, same), plan.Options{Cluster: openshift}).VMs[0]
		require.Equal(t, plan.None, unchanged.Level, path)
		changed := plan.New(encode(t, old), encode(t, edited), plan.Options{Cluster: openshift}).VMs[0]
		require.NotEqual(t, plan.None, changed.Level, path)
	}
}
