package upgrade

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/versions"
	"github.com/vmrender/vmrender/pkg/world"
)

// Facts returns what upgrades change for VMs, by product and version; reports of users come last. Changing
// them has no effect.
func Facts() []Fact { return slices.Concat(facts, launcherFacts) }

var facts = []Fact{
	topology("1.6.4", Condition{"PCI Express, from 1.6.0 or later, and not to 1.7 or later", func(u *Upgraded) bool {
		return versions.Before(u.Cluster.KubeVirt, "1.7") && u.losesTopology()
	}}),
	topology("1.7.2", Condition{"PCI Express, from 1.6.0 to 1.6.3, or from 1.7.0 or 1.7.1", (*Upgraded).losesTopology}),
	{
		Product: "kubevirt", Version: "1.6", If: Condition{"vmRolloutStrategy is not set", func(u *Upgraded) bool {
			return u.Before.Stages() && !u.Cluster.Stages()
		}},
		Level:  impact.None,
		Reason: "by default, changes that are possible while a VM runs take effect immediately: vmRolloutStrategy is LiveUpdate instead of Stage",
		Source: "KubeVirt v1.6.0, pkg/virt-config/virt-config.go, IsVMRolloutStrategyLiveUpdate",
	},
	{
		Product: "kubevirt", Version: "1.8", If: Condition{"before 1.6.4, or 1.7.0", func(u *Upgraded) bool {
			return u.Before.KeepsRestart()
		}},
		Level:  impact.None,
		Reason: "a VM whose changes are reverted no longer needs a restart, and accepts live changes again",
		Source: "KubeVirt v1.8.0, pkg/virt-controller/watch/vm/vm.go, syncRestartRequired",
	},
	{
		Product: "kubevirt", Version: "1.9", If: Condition{"hotpluggable disks in the instance alone", func(u *Upgraded) bool {
			return u.turnsDeclarative() && len(u.pluggedOnly()) > 0
		}},
		Level: impact.Live, Warning: true, When: "when the upgraded controllers start",
		Reason: "disks that were plugged into the running instance alone (virtctl addvolume) are unplugged, " +
			"because feature gate DeclarativeHotplugVolumes is on by default",
		Advice: "put the disks into Git first, or keep feature gate HotplugVolumes", Open: gatesOfHCO,
		Source: "KubeVirt v1.9.0, pkg/storage/hotplug/hotplug.go, filterHotplugVMIVolumes",
	},
	{
		Product: "kubevirt", Version: "1.9", If: Condition{"hotpluggable disks that are not plugged", func(u *Upgraded) bool {
			return u.turnsDeclarative() && len(u.unplugged()) > 0
		}},
		Level: impact.Live, When: "when the upgraded controllers start",
		Reason: "hotpluggable disks that Git has and the running instance has not are plugged, " +
			"because feature gate DeclarativeHotplugVolumes is on by default", Open: gatesOfHCO,
		Source: "KubeVirt v1.9.0, pkg/storage/hotplug/hotplug.go, getNewHotplugVMVolumes",
	},
	{
		Product: "kubevirt", Version: "1.9", If: Condition{"hotpluggable disks", func(u *Upgraded) bool {
			return u.turnsDeclarative() && slices.ContainsFunc(manifest.List(world.Spec(u.New), "volumes"), cluster.IsHotpluggable)
		}},
		Level:  impact.None,
		Reason: "hotpluggable disks are plugged and unplugged as Git has them, instead of at the next start",
		Source: "KubeVirt v1.9.0, pkg/virt-config/featuregate/active.go, DeclarativeHotplugVolumes",
	},
	{
		Product: "kubevirt", Version: "1.9", If: Condition{"a container disk", func(u *Upgraded) bool {
			return u.turnsOn("ImageVolume") && slices.ContainsFunc(manifest.List(world.Spec(u.New), "volumes"), func(v any) bool {
				return manifest.At(v, "containerDisk") != nil
			})
		}},
		Level: impact.Staged, When: impact.AtNextStart,
		Reason: "container disks are image volumes of the pod, because feature gate ImageVolume is on by default; " +
			"nodes whose Kubernetes or runtime has none cannot start the VM",
		Advice: "switch ImageVolume off (disabledFeatureGates) unless the nodes have image volumes",
		Open:   func(*Upgraded) string { return "whether the nodes have image volumes" },
		Source: "KubeVirt v1.9.0, pkg/virt-config/featuregate/active.go; pkg/virt-controller/services/template.go",
	},
	{
		Product: "kubevirt", Version: "1.9", If: Condition{"a Multus network, and live migration is possible", func(u *Upgraded) bool {
			return u.turnsOn("LiveUpdateNADRef") && u.hasMultus() && u.Migratable() != cluster.No
		}},
		Level:  impact.None,
		Reason: "a NIC moves to another network by a live migration, instead of needing a restart",
		Source: "KubeVirt v1.9.0, pkg/network/vmliveupdate/restart.go",
	},
	{
		Product: "kubevirt", Version: "1.9", If: Condition{"a Multus network, and no live migration", func(u *Upgraded) bool {
			return u.turnsOn("LiveUpdateNADRef") && u.hasMultus() && u.Migratable() == cluster.No
		}},
		Level: impact.None,
		Reason: "a NIC whose network changes stays where it is until a restart, and KubeVirt no longer reports it, " +
			"because the VM cannot live-migrate",
		Source: "KubeVirt v1.9.0, pkg/network/vmliveupdate/restart.go, haveNetsChangedIgnoringNADName",
	},
	{
		Product: "argocd", Version: "3.5.3", If: Condition{"declared stopped", func(u *Upgraded) bool {
			return world.RunStrategy(world.Template(u.New)) == "Halted"
		}},
		Level:  impact.None,
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
func topology(version string, condition Condition) Fact {
	return Fact{
		Product: "kubevirt", Version: version, If: condition, Level: impact.Staged, When: impact.AtNextStart,
		Reason: "a VM that this KubeVirt has started, and that the next has not marked, gets other PCI addresses, once: " +
			"Windows takes its data disks offline, and names of NICs can change",
		Advice: "upgrade to 1.6.4, 1.7.2 or 1.8 first, while the VM runs, so that KubeVirt marks it (" + topologyAnnotation + ")",
		Open:   topologyOpen,
		Source: "KubeVirt v1.9.0, docs/pci-topology.md; v1.8.0, pkg/virt-handler/pci_topology.go, detectPCITopologyAndAnnotate",
	}
}

// losesTopology reports whether an upgrade may move the PCI addresses of a VM.
func (u *Upgraded) losesTopology() bool {
	from, to := versions.Parse(u.Before.KubeVirt), versions.Parse(u.Cluster.KubeVirt)
	unmarked := !from.Before(versions.Version{1, 6}) && u.Before.HasOldTopology() && !u.Cluster.HasOldTopology()
	isMarkedOnTheWay := to.Before(versions.Version{1, 9}) && u.Runs() == cluster.Yes && u.Live != nil
	return unmarked && !isMarkedOnTheWay && !u.isNew() && u.hasPCIExpress() &&
		manifest.Text(u.InCluster, "spec", "template", "metadata", "annotations", topologyAnnotation) == ""
}

// isNew reports whether the VM is not in the cluster yet, as far as that is known.
func (u *Upgraded) isNew() bool { return u.State != nil && u.Live == nil }

// hasPCIExpress reports whether a VM has the slots in question: not on s390x, and not of
// the machine type i440fx.
func (u *Upgraded) hasPCIExpress() bool {
	machine := manifest.Text(world.Spec(u.New), "domain", "machine", "type")
	return slices.Contains([]string{"", "amd64", "arm64"}, manifest.Text(world.Spec(u.New), "architecture")) &&
		machine != "pc" && !strings.Contains(machine, "i440fx") && !u.IsPool()
}

// topologyOpen returns what is not known of a VM's PCI topology.
func topologyOpen(u *Upgraded) string {
	open := "whether the VM was started on this KubeVirt"
	if u.Live == nil && !u.Cluster.HasOldTopology() && versions.Before(u.Cluster.KubeVirt, "1.9") {
		open += ", and runs during the upgrade"
	}
	return open
}

// turnsDeclarative reports whether the upgrade makes KubeVirt plug disks as VMs have them.
func (u *Upgraded) turnsDeclarative() bool {
	return u.turnsOn("DeclarativeHotplugVolumes") && !u.Cluster.Gate("HotplugVolumes")
}

// gatesOfHCO returns what is not known of feature gates if HyperConverged sets them: up to
// v1.18.0, it keeps HotplugVolumes by default.
func gatesOfHCO(u *Upgraded) string {
	if _, known := u.Cluster.FeatureGates["HotplugVolumes"]; u.Cluster.OpenShift && !known {
		return "whether HyperConverged keeps feature gate HotplugVolumes"
	}
	return ""
}

// pluggedOnly returns the hotpluggable volumes that only the running instance has.
func (u *Upgraded) pluggedOnly() []any {
	if u.Live == nil {
		return nil
	}
	return hotplugsWithout(manifest.List(u.Live.Instance, "spec", "volumes"), u.Live.Object)
}

// unplugged returns the hotpluggable volumes that the running instance lacks.
func (u *Upgraded) unplugged() []any {
	if u.Live == nil || u.Live.Instance == nil {
		return nil
	}
	return hotplugsWithout(manifest.List(world.Spec(u.New), "volumes"), manifest.Tree{"spec": manifest.Tree{"template": u.Live.Instance}})
}

// hotplugsWithout returns the hotpluggable volumes of a list that a VM does not have.
func hotplugsWithout(volumes []any, vm manifest.Tree) []any {
	return slices.DeleteFunc(slices.Clone(volumes), func(v any) bool {
		return !cluster.IsHotpluggable(v) || world.Volume(vm, "["+manifest.EntryName(v)+"]") != nil
	})
}

// hasMultus reports whether a VM has a NIC on a network of Multus.
func (u *Upgraded) hasMultus() bool {
	return slices.ContainsFunc(manifest.List(world.Spec(u.New), "networks"), func(n any) bool { return manifest.At(n, "multus") != nil })
}
