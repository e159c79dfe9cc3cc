package cluster

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/test/impact/judge/kubevirt"
)

// Config is the part of a cluster's configuration that determines the effect of an edit.
type Config struct {
	// Rollout is KubeVirt's vmRolloutStrategy.
	Rollout v1.VMRolloutStrategy
	// Methods are KubeVirt's workloadUpdateMethods.
	Methods []v1.WorkloadUpdateMethod
	// Eviction is KubeVirt's evictionStrategy.
	Eviction v1.EvictionStrategy
	// Migratable reports whether the running instances are live-migratable.
	Migratable bool
	// Gates are feature gates of KubeVirt in addition to [Always].
	Gates []string
}

// The feature gates that determine the effect of an edit (KubeVirt v1.8.4,
// pkg/virt-config/featuregate/active.go). Older versions ignore those that they do not have.
const (
	DeclarativeHotplug = "DeclarativeHotplugVolumes"
	ImperativeHotplug  = "HotplugVolumes"
	LiveNAD            = "LiveUpdateNADRef"
)

// Always are the feature gates without which edits could not be tried. They are on in every cluster.
var Always = append([]string{"CPUManager", "HostDevices", "MultiArchitecture", "PersistentReservation", "VMPersistentState"}, kubevirt.Gates...)

// String returns a name such as
// "liveupdate,livemigrate,migratable,declarative".
func (c Config) String() string {
	parts := []string{strings.ToLower(string(c.Rollout))}
	for _, method := range c.Methods {
		parts = append(parts, strings.ToLower(string(method)))
	}
	if !c.Migratable {
		parts = append(parts, "not-migratable")
	}
	for _, gate := range c.Gates {
		parts = append(parts, gate)
	}
	return strings.Join(parts, ",")
}

// kubevirt returns the resource of KubeVirt itself.
func (c Config) kubevirt() *v1.KubeVirt {
	rollout := c.Rollout
	kv := &v1.KubeVirt{
		ObjectMeta: metav1.ObjectMeta{Name: "kubevirt", Namespace: "kubevirt"},
		Spec: v1.KubeVirtSpec{
			WorkloadUpdateStrategy: v1.KubeVirtWorkloadUpdateStrategy{
				WorkloadUpdateMethods: c.Methods,
				BatchEvictionInterval: &metav1.Duration{Duration: time.Nanosecond},
			},
			Configuration: v1.KubeVirtConfiguration{
				VMRolloutStrategy: &rollout,
				ArchitectureConfiguration: &v1.ArchConfiguration{
					Amd64: &v1.ArchSpecificConfiguration{EmulatedMachines: []string{"q35*", "pc-q35*"}},
				},
				DeveloperConfiguration: &v1.DeveloperConfiguration{FeatureGates: slices.Concat(Always, c.Gates)},
			},
		},
		Status: v1.KubeVirtStatus{Phase: v1.KubeVirtPhaseDeployed, DefaultArchitecture: "amd64"},
	}
	if c.Eviction != "" {
		kv.Spec.Configuration.EvictionStrategy = &c.Eviction
	}
	return kv
}
