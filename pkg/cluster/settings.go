package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/versions"
)

// Settings is what is known about the cluster and its settings. The zero value is the
// newest KubeVirt with its own defaults.
type Settings struct {
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

// Stages reports whether changes wait for a restart that could go live otherwise
// (KubeVirt v1.8.4, pkg/virt-config/virt-config.go, IsVMRolloutStrategyLiveUpdate;
// LiveUpdate is the default in v1.6 and later, and HyperConverged sets it).
func (c Settings) Stages() bool {
	if c.VMRolloutStrategy != "" {
		return c.VMRolloutStrategy == "Stage"
	}
	return !c.OpenShift && defaultRollout(c.KubeVirt) == "Stage"
}

// needsGate reports whether a version makes live changes only with feature gate VMLiveUpdateFeatures, whatever its
// vmRolloutStrategy (KubeVirt v1.4.1, pkg/virt-config/virt-config.go, IsVMRolloutStrategyLiveUpdate; GA in v1.5.0).
func needsGate(version string) bool { return versions.Before(version, "1.5") }

// defaultRollout returns the vmRolloutStrategy of a KubeVirt object that has none.
func defaultRollout(version string) string {
	if versions.Before(version, "1.6") {
		return "Stage"
	}
	return "LiveUpdate"
}

// UpdatesBy reports whether the cluster updates VMs by a method. Without a list,
// KubeVirt has none, and HyperConverged has LiveMigrate.
func (c Settings) UpdatesBy(method string) bool {
	if c.WorkloadUpdateMethods == nil {
		return c.OpenShift && method == "LiveMigrate"
	}
	return slices.Contains(c.WorkloadUpdateMethods, method)
}

// DefaultEvictionStrategy returns that of VMs without one of their own. HyperConverged's
// default is that of a cluster with several nodes (HCO v1.18,
// controllers/handlers/kubevirt.go, getKVConfig).
func (c Settings) DefaultEvictionStrategy() string {
	if c.EvictionStrategy == "" && c.OpenShift {
		return "LiveMigrate"
	}
	return c.EvictionStrategy
}

// Gate reports whether a feature gate is on. KubeVirt ignores gates that it does not have.
func (c Settings) Gate(name string) bool {
	if on, ok := c.FeatureGates[name]; ok {
		return on && versions.HasGate(name, c.KubeVirt)
	}
	return versions.GateOn(name, c.KubeVirt)
}

// Clears describes what takes a VM's need of a restart away (KubeVirt v1.8.0,
// pkg/virt-controller/watch/vm/vm.go, syncRestartRequired; also in v1.6.4 and v1.7.1).
func (c Settings) Clears() string {
	if c.KeepsRestart() {
		return "restart the VM: on this KubeVirt, nothing else removes the requirement, not even a revert"
	}
	return "restart the VM, or revert the change that requires it"
}

// KeepsRestart reports whether a KubeVirt keeps a VM's need of a restart after a revert
// (before v1.6.4, and v1.7.0, pkg/virt-controller/watch/vm/vm.go, addRestartRequiredIfNeeded).
func (c Settings) KeepsRestart() bool {
	v := versions.Parse(c.KubeVirt)
	return v.Before(versions.Version{1, 6, 4}) || !v.Before(versions.Version{1, 7}) && v.Before(versions.Version{1, 7, 1})
}

// KeepsAbsent reports whether a stopped VM keeps a NIC with `state: absent` that is added to it: before v1.6, KubeVirt
// removes it with the instance's (v1.5.2, pkg/network/controllers/vm.go, Sync).
func (c Settings) KeepsAbsent() bool { return versions.Before(c.KubeVirt, "1.6") }

// KnownGate returns whether a feature gate is on, and whether the cluster is known to have it so. One that nothing is
// known about counts as on: HyperConverged, which configures KubeVirt on OpenShift, sets gates of its own.
func (c Settings) KnownGate(name string) (on, known bool) {
	_, known = c.FeatureGates[name]
	return c.Gate(name) || c.OpenShift && !known, known
}

// HasOldTopology reports whether KubeVirt 1.6.0 and later mark no VMs.
func (c Settings) HasOldTopology() bool {
	v := versions.Parse(c.KubeVirt)
	return v.Before(versions.Version{1, 6, 4}) || !v.Before(versions.Version{1, 7}) && v.Before(versions.Version{1, 7, 2})
}

// ForGate returns what an admission policy needs from the cluster, as in
// gate.kubevirt of the governance chart: "Stage" if changes wait for a restart, the
// workload update methods, and the feature gates that are on. They are sorted.
func (c Settings) ForGate() []string {
	var out []string
	if c.Stages() {
		out = append(out, "Stage")
	}
	for _, method := range []string{"LiveMigrate", "Evict"} {
		if c.UpdatesBy(method) {
			out = append(out, method)
		}
	}
	for _, gate := range []string{"DeclarativeHotplugVolumes", "HotplugVolumes", "LiveUpdateNADRef"} {
		if c.Gate(gate) {
			out = append(out, gate)
		}
	}
	slices.Sort(out)
	return out
}

// Targets returns the versions that the settings name, in the words of the header of a fleet.
func (c *Settings) Targets() []string {
	var out []string
	for _, v := range []struct{ name, version string }{{"kubevirt", c.KubeVirt}, {"argocd", c.ArgoCD}} {
		if v.version != "" {
			out = append(out, v.name+" "+v.version)
		}
	}
	return out
}

// Words returns the other settings, in the words of the header of a fleet.
func (c *Settings) Words() []string {
	var out []string
	if c.VMRolloutStrategy != "" {
		out = append(out, "vmRolloutStrategy "+c.VMRolloutStrategy)
	}
	if c.WorkloadUpdateMethods != nil {
		out = append(out, "workloadUpdateMethods ["+strings.Join(c.WorkloadUpdateMethods, ", ")+"]")
	}
	if c.LiveMigratable != nil {
		out = append(out, fmt.Sprintf("liveMigratable %t", *c.LiveMigratable))
	}
	for _, name := range slices.Sorted(maps.Keys(c.FeatureGates)) {
		out = append(out, fmt.Sprintf("featureGates.%s %t", name, c.FeatureGates[name]))
	}
	return out
}
