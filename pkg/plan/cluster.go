package plan

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/versions"
)

// Cluster is what is known about the cluster and its settings. The zero value is the
// newest KubeVirt with its own defaults.
type Cluster struct {
	// KubeVirt is the version, such as "1.6" or "1.6.5"; empty for the newest.
	KubeVirt string
	// ArgoCD is the version, such as "3.2"; empty for the newest.
	ArgoCD string
	// OpenShift is true if HyperConverged configures KubeVirt: it defaults to live
	// migration for changes (HCO v1.12 and later, api/v1beta1).
	OpenShift bool
	// VMRolloutStrategy is "LiveUpdate" or "Stage" of the KubeVirt object; empty for
	// the version's default.
	VMRolloutStrategy string
	// WorkloadUpdateMethods are those of the KubeVirt object: "LiveMigrate", "Evict".
	// Nil for the default, an empty list for none.
	WorkloadUpdateMethods []string
	// EvictionStrategy is that of VMs without one of their own; empty for the
	// default.
	EvictionStrategy string
	// FeatureGates are the gates that differ from the version's default.
	FeatureGates map[string]bool
	// Whether VMs can live-migrate; nil if unknown.
	LiveMigratable *bool
	// ApplyOutOfSyncOnly is true if the Applications have the sync option of that name.
	ApplyOutOfSyncOnly bool
}

// stages reports whether changes wait for a restart that could go live otherwise
// (KubeVirt v1.8.4, pkg/virt-config/virt-config.go, IsVMRolloutStrategyLiveUpdate;
// LiveUpdate is the default in v1.6 and later, and HyperConverged sets it).
func (c Cluster) stages() bool {
	if c.VMRolloutStrategy != "" {
		return c.VMRolloutStrategy == "Stage"
	}
	return !c.OpenShift && defaultRollout(c.KubeVirt) == "Stage"
}

// defaultRollout returns the vmRolloutStrategy of a KubeVirt object that has none.
func defaultRollout(version string) string {
	if versions.Before(version, "1.6") {
		return "Stage"
	}
	return "LiveUpdate"
}

// updatesBy reports whether the cluster updates VMs by a method. Without a list,
// KubeVirt has none, and HyperConverged has LiveMigrate.
func (c Cluster) updatesBy(method string) bool {
	if c.WorkloadUpdateMethods == nil {
		return c.OpenShift && method == "LiveMigrate"
	}
	return slices.Contains(c.WorkloadUpdateMethods, method)
}

// evictionStrategy returns that of VMs without one of their own. HyperConverged's
// default is that of a cluster with several nodes (HCO v1.18,
// controllers/handlers/kubevirt.go, getKVConfig).
func (c Cluster) evictionStrategy() string {
	if c.EvictionStrategy == "" && c.OpenShift {
		return "LiveMigrate"
	}
	return c.EvictionStrategy
}

// gate reports whether a feature gate is on.
func (c Cluster) gate(name string) bool {
	if on, ok := c.FeatureGates[name]; ok {
		return on
	}
	return versions.GateOn(name, c.KubeVirt)
}
