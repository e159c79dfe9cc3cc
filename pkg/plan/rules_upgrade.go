package plan

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/versions"
	"github.com/vmrender/vmrender/pkg/world"
)

// UpgradeFacts returns what upgrades change for VMs, by product and version. Changing
// them has no effect.
func UpgradeFacts() []UpgradeFact { return slices.Clone(upgradeFacts) }

var upgradeFacts = []UpgradeFact{
	topology("1.6.4", UpgradeCondition{"PCI Express, from 1.6.0 or later, and not to 1.7 or later", func(u *upgraded) bool {
		return versions.Before(u.cluster.KubeVirt, "1.7") && u.losesTopology()
	}}),
	topology("1.7.2", UpgradeCondition{"PCI Express, from 1.6.0 to 1.6.3, or from 1.7.0 or 1.7.1", (*upgraded).losesTopology}),
	{
		Product: "kubevirt", Version: "1.6", If: UpgradeCondition{"vmRolloutStrategy is not set", func(u *upgraded) bool {
			return u.before.stages() && !u.cluster.stages()
		}},
		Level:  None,
		Reason: "by default, changes that are possible while a VM runs take effect immediately: vmRolloutStrategy is LiveUpdate instead of Stage",
		Source: "KubeVirt v1.6.0, pkg/virt-config/virt-config.go, IsVMRolloutStrategyLiveUpdate",
	},
	{
		Product: "kubevirt", Version: "1.8", If: UpgradeCondition{"before 1.6.6 or 1.7.3", func(u *upgraded) bool {
			return u.before.keepsRestart()
		}},
		Level:  None,
		Reason: "a VM whose changes are reverted no longer needs a restart, and accepts live changes again",
		Source: "KubeVirt v1.8.0, pkg/virt-controller/watch/vm/vm.go, syncRestartRequired",
	},
	{
		Product: "kubevirt", Version: "1.9", If: UpgradeCondition{"hotpluggable disks in the instance alone", func(u *upgraded) bool {
			return u.turnsDeclarative() && len(u.pluggedOnly()) > 0
		}},
		Level: Live, Warning: true, When: "when the upgraded controllers start",
		Reason: "disks that were plugged into the running instance alone (virtctl addvolume) are unplugged, " +
			"because feature gate DeclarativeHotplugVolumes is on by default",
		Advice: "put the disks into Git first, or keep feature gate HotplugVolumes", Open: gatesOfHCO,
		Source: "KubeVirt v1.9.0, pkg/storage/hotplug/hotplug.go, filterHotplugVMIVolumes",
	},
	{
		Product: "kubevirt", Version: "1.9", If: UpgradeCondition{"hotpluggable disks that are not plugged", func(u *upgraded) bool {
			return u.turnsDeclarative() && len(u.unplugged()) > 0
		}},
		Level: Live, When: "when the upgraded controllers start",
		Reason: "hotpluggable disks that Git has and the running instance has not are plugged, " +
			"because feature gate DeclarativeHotplugVolumes is on by default", Open: gatesOfHCO,
		Source: "KubeVirt v1.9.0, pkg/storage/hotplug/hotplug.go, getNewHotplugVMVolumes",
	},
	{
		Product: "kubevirt", Version: "1.9", If: UpgradeCondition{"hotpluggable disks", func(u *upgraded) bool {
			return u.turnsDeclarative() && slices.ContainsFunc(manifest.List(world.Spec(u.new), "volumes"), isHotpluggable)
		}},
		Level:  None,
		Reason: "hotpluggable disks are plugged and unplugged as Git has them, instead of at the next start",
		Source: "KubeVirt v1.9.0, pkg/virt-config/featuregate/active.go, DeclarativeHotplugVolumes",
	},
	{
		Product: "kubevirt", Version: "1.9", If: UpgradeCondition{"a container disk", func(u *upgraded) bool {
			return u.turnsOn("ImageVolume") && slices.ContainsFunc(manifest.List(world.Spec(u.new), "volumes"), func(v any) bool {
				return manifest.At(v, "containerDisk") != nil
			})
		}},
		Level: Staged, When: atNextStart,
		Reason: "container disks are image volumes of the pod, because feature gate ImageVolume is on by default; " +
			"nodes whose Kubernetes or runtime has none cannot start the VM",
		Advice: "switch ImageVolume off (disabledFeatureGates) unless the nodes have image volumes",
		Open:   func(*upgraded) string { return "whether the nodes have image volumes" },
		Source: "KubeVirt v1.9.0, pkg/virt-config/featuregate/active.go; pkg/virt-controller/services/template.go",
	},
	{
		Product: "kubevirt", Version: "1.9", If: UpgradeCondition{"a Multus network, and live migration is possible", func(u *upgraded) bool {
			return u.turnsOn("LiveUpdateNADRef") && u.hasMultus() && u.migratable() != no
		}},
		Level:  None,
		Reason: "a NIC moves to another network by a live migration, instead of needing a restart",
		Source: "KubeVirt v1.9.0, pkg/network/vmliveupdate/restart.go",
	},
	{
		Product: "kubevirt", Version: "1.9", If: UpgradeCondition{"a Multus network, and no live migration", func(u *upgraded) bool {
			return u.turnsOn("LiveUpdateNADRef") && u.hasMultus() && u.migratable() == no
		}},
		Level: None,
		Reason: "a NIC whose network changes stays where it is until a restart, and KubeVirt no longer reports it, " +
			"because the VM cannot live-migrate",
		Source: "KubeVirt v1.9.0, pkg/network/vmliveupdate/restart.go, haveNetsChangedIgnoringNADName",
	},
	{
		Product: "argocd", Version: "3.5.3", If: UpgradeCondition{"declared stopped", func(u *upgraded) bool {
			return world.RunStrategy(world.Template(u.new)) == "Halted"
		}},
		Level:  None,
		Reason: "a stopped VM is healthy, and syncs no longer wait for it, also without vmrender's health checks",
		Source: "Argo CD v3.5.3, https://github.com/argoproj/argo-cd/pull/29664",
	},
}

// topologyAnnotation marks the layout of a VM's PCI slots, on its template (KubeVirt
// v1.8.0 and later, v1.7.2, v1.6.4, api/core/v1/types.go, PciTopologyVersionAnnotation).
const topologyAnnotation = "kubevirt.io/pci-topology-version"

// topology returns the fact that the PCI addresses of VMs move that KubeVirt has not marked:
// 1.6.0 to 1.6.3, 1.7.0 and 1.7.1 lay slots out by a scheme of their own, which the versions after
// them keep for the VMs that they have marked. Those mark what runs, and 1.9 marks no more.
func topology(version string, condition UpgradeCondition) UpgradeFact {
	return UpgradeFact{
		Product: "kubevirt", Version: version, If: condition, Level: Staged, When: atNextStart,
		Reason: "a VM that this KubeVirt has started, and that the next has not marked, gets other PCI addresses, once: " +
			"Windows takes its data disks offline, and names of NICs can change",
		Advice: "upgrade to 1.6.4, 1.7.2 or 1.8 first, while the VM runs, so that KubeVirt marks it (" + topologyAnnotation + ")",
		Open:   topologyOpen,
		Source: "KubeVirt v1.9.0, docs/pci-topology.md; v1.8.0, pkg/virt-handler/pci_topology.go, detectPCITopologyAndAnnotate",
	}
}

// losesTopology reports whether an upgrade may move the PCI addresses of a VM.
func (u *upgraded) losesTopology() bool {
	from, to := versions.Parse(u.before.KubeVirt), versions.Parse(u.cluster.KubeVirt)
	unmarked := !from.Before(versions.Version{1, 6}) && u.before.hasOldTopology() && !u.cluster.hasOldTopology()
	isMarkedOnTheWay := to.Before(versions.Version{1, 9}) && u.runs() == yes && u.live != nil
	return unmarked && !isMarkedOnTheWay && !u.isNew() && u.hasPCIExpress() &&
		manifest.Text(u.inCluster, "spec", "template", "metadata", "annotations", topologyAnnotation) == ""
}

// hasOldTopology reports whether KubeVirt 1.6.0 and later mark no VMs.
func (c Cluster) hasOldTopology() bool {
	v := versions.Parse(c.KubeVirt)
	return v.Before(versions.Version{1, 6, 4}) || !v.Before(versions.Version{1, 7}) && v.Before(versions.Version{1, 7, 2})
}

// isNew reports whether the VM is not in the cluster yet, as far as that is known.
func (u *upgraded) isNew() bool { return u.state != nil && u.live == nil }

// hasPCIExpress reports whether a VM has the slots in question: not on s390x, and not of
// the machine type i440fx.
func (u *upgraded) hasPCIExpress() bool {
	machine := manifest.Text(world.Spec(u.new), "domain", "machine", "type")
	return slices.Contains([]string{"", "amd64", "arm64"}, manifest.Text(world.Spec(u.new), "architecture")) &&
		machine != "pc" && !strings.Contains(machine, "i440fx") && !u.isPool()
}

// topologyOpen returns what is not known of a VM's PCI topology.
func topologyOpen(u *upgraded) string {
	open := "whether the VM was started on this KubeVirt"
	if u.live == nil && !u.cluster.hasOldTopology() && versions.Before(u.cluster.KubeVirt, "1.9") {
		open += ", and runs during the upgrade"
	}
	return open
}

// turnsDeclarative reports whether the upgrade makes KubeVirt plug disks as VMs have them.
func (u *upgraded) turnsDeclarative() bool {
	return u.turnsOn("DeclarativeHotplugVolumes") && !u.cluster.gate("HotplugVolumes")
}

// gatesOfHCO returns what is not known of feature gates if HyperConverged sets them: up to
// v1.18.0, it keeps HotplugVolumes by default.
func gatesOfHCO(u *upgraded) string {
	if _, known := u.cluster.FeatureGates["HotplugVolumes"]; u.cluster.OpenShift && !known {
		return "whether HyperConverged keeps feature gate HotplugVolumes"
	}
	return ""
}

// pluggedOnly returns the hotpluggable volumes that only the running instance has.
func (u *upgraded) pluggedOnly() []any {
	if u.live == nil {
		return nil
	}
	return hotplugsWithout(manifest.List(u.live.instance, "spec", "volumes"), u.live.object)
}

// unplugged returns the hotpluggable volumes that the running instance lacks.
func (u *upgraded) unplugged() []any {
	if u.live == nil || u.live.instance == nil {
		return nil
	}
	return hotplugsWithout(manifest.List(world.Spec(u.new), "volumes"), tree{"spec": tree{"template": u.live.instance}})
}

// hotplugsWithout returns the hotpluggable volumes of a list that a VM does not have.
func hotplugsWithout(volumes []any, vm tree) []any {
	return slices.DeleteFunc(slices.Clone(volumes), func(v any) bool {
		return !isHotpluggable(v) || world.Volume(vm, "["+manifest.EntryName(v)+"]") != nil
	})
}

// hasMultus reports whether a VM has a NIC on a network of Multus.
func (u *upgraded) hasMultus() bool {
	return slices.ContainsFunc(manifest.List(world.Spec(u.new), "networks"), func(n any) bool { return manifest.At(n, "multus") != nil })
}
