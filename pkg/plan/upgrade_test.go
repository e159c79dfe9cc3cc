package plan_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/upgrade"
	"github.com/vmrender/vmrender/pkg/versions"
)

// upgrades are upgrades with an unchanged pet, and their effect on it.
var upgrades = []struct {
	name     string
	from, to string                   // of KubeVirt
	edit     func(*testing.T, *world) // of the cluster; nil if it is unknown
	git      func([]object)           // of Git
	cluster  func(*cluster.Settings)  // of the settings
	level    impact.Level
	unsure   bool
	says     []string
	hides    []string
}{
	{name: "nothing", from: "1.7.2", to: "1.7.3", level: impact.None, says: []string{"no fact is known by which an upgrade from kubevirt 1.7.2 to 1.7.3"}, hides: []string{"on, "}},
	{name: "rollout strategy", from: "1.5", to: "1.6", cluster: plain, level: impact.None, says: []string{"vmRolloutStrategy is LiveUpdate instead of Stage (one VM: prod/db)"}},
	{name: "rollout strategy on OpenShift", from: "1.5", to: "1.6", level: impact.None, hides: []string{"vmRolloutStrategy"}},
	{name: "rollout strategy that is set", from: "1.5", to: "1.6", cluster: func(c *cluster.Settings) { plain(c); stage(c) }, level: impact.None, hides: []string{"vmRolloutStrategy"}},
	{name: "reverts", from: "1.7.0", to: "1.8", cluster: immovable, edit: fine, level: impact.None, says: []string{"from kubevirt 1.8 on, a VM whose changes are reverted"}},
	{name: "reverts already", from: "1.7.1", to: "1.8", cluster: immovable, edit: fine, level: impact.None, hides: []string{"reverted"}},

	{name: "PCI, unknown", from: "1.7", to: "1.8", cluster: immovable, level: impact.Staged, unsure: true, says: []string{"other PCI addresses, once", "and runs during the upgrade"}},
	{name: "PCI, before the scheme", from: "1.5", to: "1.9", cluster: immovable, level: impact.None, hides: []string{"PCI"}},
	{name: "PCI, after it", from: "1.8", to: "1.9", level: impact.None, hides: []string{"PCI"}},
	{name: "PCI, patch releases", from: "1.7.1", to: "1.7.2", level: impact.Staged, unsure: true, says: []string{"kubevirt 1.7.2: "}},
	{name: "PCI, older patch releases", from: "1.6.3", to: "1.6.4", level: impact.Staged, unsure: true, says: []string{"kubevirt 1.6.4: "}},
	{name: "PCI, said once", from: "1.6.3", to: "1.8", cluster: immovable, level: impact.Staged, unsure: true, hides: []string{"kubevirt 1.6.4: "}},
	{name: "PCI, runs and is marked on the way", from: "1.7", to: "1.8", cluster: immovable, edit: fine, level: impact.None, hides: []string{"PCI"}},
	{name: "PCI, runs and nothing marks it", from: "1.7", to: "1.9", cluster: immovable, edit: fine, level: impact.Staged, unsure: true, says: []string{"PCI"}},
	{name: "PCI, stopped", from: "1.7", to: "1.8", edit: func(_ *testing.T, w *world) {
		w.instance, w.vm["status"] = nil, object{"printableStatus": "Stopped"}
	}, level: impact.Staged, unsure: true, says: []string{"PCI"}},
	{name: "PCI, marked", from: "1.7", to: "1.9", cluster: immovable, edit: func(_ *testing.T, w *world) {
		setIn(w.vm, splitPath("spec.template.metadata.annotations"), object{"kubevirt.io/pci-topology-version": "v2"})
	}, level: impact.None, hides: []string{"PCI"}},
	{name: "PCI, no PCI Express", from: "1.7", to: "1.9", cluster: immovable, git: set("s390x", "spec.template.spec.architecture"), level: impact.None, hides: []string{"PCI"}},

	{name: "launcher", from: "1.6.2", to: "1.7", git: oneCPU, level: impact.Restart, unsure: true, says: []string{"it is reported, not proven", "virtio-net"}},
	{name: "launcher, several CPUs", from: "1.7.4", to: "1.8.4", git: set(2, "spec.template.spec.domain.cpu.sockets"), edit: fine, level: impact.Restart, unsure: true, says: []string{"extra features: ht"}, hides: []string{"virtio-net"}},
	{name: "launcher, one CPU", from: "1.7.4", to: "1.8.4", git: oneCPU, edit: fine, level: impact.None, hides: []string{"users report"}},
	{name: "launcher, no migration", from: "1.6.6", to: "1.8.4", cluster: immovable, edit: fine, level: impact.None, hides: []string{"users report"}},
	{name: "launcher, stopped", from: "1.7.4", to: "1.8.4", edit: func(_ *testing.T, w *world) {
		w.instance, w.vm["status"] = nil, object{"printableStatus": "Stopped"}
	}, level: impact.None, hides: []string{"users report"}},

	{name: "hotplug, noted", from: "1.8", to: "1.9", cluster: plain, level: impact.None, says: []string{"from kubevirt 1.9 on, hotpluggable disks are plugged and unplugged as Git has them"}},
	{name: "hotplug, none", from: "1.8", to: "1.9", cluster: plain, git: set(false, "spec.template.spec.volumes.2.persistentVolumeClaim.hotpluggable"), level: impact.None, hides: []string{"hotpluggable"}},
	{name: "hotplug, gate on before", from: "1.8", to: "1.9", cluster: gateOn("DeclarativeHotplugVolumes"), level: impact.None, hides: []string{"hotpluggable"}},
	{name: "hotplug, older gate kept", from: "1.8", to: "1.9", cluster: gateOn("HotplugVolumes"), level: impact.None, hides: []string{"hotpluggable"}},
	{name: "plugged manually", from: "1.8", to: "1.9", cluster: plain, edit: func(_ *testing.T, w *world) {
		w.instance["spec"].(object)["volumes"] = append(at(w.instance, "spec", "volumes").([]any), object{"name": "extra", "persistentVolumeClaim": object{"claimName": "x", "hotpluggable": true}})
	}, level: impact.Live, says: []string{"plugged into the running instance alone (virtctl addvolume) are unplugged"}},
	{name: "plugged manually, gates unknown", from: "1.8", to: "1.9", edit: func(_ *testing.T, w *world) {
		w.instance["spec"].(object)["volumes"] = append(at(w.instance, "spec", "volumes").([]any), object{"name": "extra", "persistentVolumeClaim": object{"claimName": "x", "hotpluggable": true}})
	}, level: impact.Live, unsure: true, says: []string{"whether HyperConverged keeps feature gate HotplugVolumes"}},
	{name: "not plugged yet", from: "1.8", to: "1.9", cluster: plain, edit: func(_ *testing.T, w *world) {
		w.instance["spec"].(object)["volumes"] = at(w.instance, "spec", "volumes").([]any)[:2]
	}, level: impact.Live, says: []string{"the running instance has not are plugged"}},

	{name: "container disk", from: "1.8", to: "1.9", git: set(object{"name": "scratch", "containerDisk": object{"image": "a"}}, "spec.template.spec.volumes.2"), level: impact.Staged, unsure: true, says: []string{"image volumes of the pod"}},
	{name: "network", from: "1.8", to: "1.9", level: impact.None, says: []string{"a NIC moves to another network by a live migration"}},
	{name: "network without migration", from: "1.8", to: "1.9", cluster: immovable, level: impact.None, says: []string{"KubeVirt no longer reports it"}, hides: []string{"moves to another network by"}},
	{name: "another cluster", from: "1.8", to: "1.9", edit: func(_ *testing.T, w *world) {
		w.add(object{"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": object{"name": "k", "namespace": "k"}, "status": object{"observedKubeVirtVersion": "v1.7.2"}})
	}, level: impact.None, says: []string{"the cluster has KubeVirt 1.7.2, and the plan is about an upgrade from 1.8", "a NIC moves"}},
}

func fine(*testing.T, *world) {}

func oneCPU(objects []object) { set(object{"cores": 1}, "spec.template.spec.domain.cpu")(objects) }

func gateOn(name string) func(*cluster.Settings) {
	return func(c *cluster.Settings) { c.FeatureGates = map[string]bool{name: true} }
}

func TestUpgrades(t *testing.T) {
	for _, test := range upgrades {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			if test.git != nil {
				w.applied(test.git)
			}
			if test.cluster != nil {
				test.cluster(&w.cluster)
			}
			o := plan.Options{Cluster: w.cluster, Upgrade: &upgrade.Upgrade{
				From: map[string]string{"kubevirt": test.from}, To: map[string]string{"kubevirt": test.to},
			}}
			if test.edit != nil {
				test.edit(t, w)
				o.Live = encode(t, w.state())
			}
			git := encode(t, w.git)
			p := plan.New(git, git, o)
			v := verdictOf(t, p)
			require.Equal(t, test.level, v.Level, "%+v", v.Causes)
			require.Equal(t, test.unsure, v.Approximate)
			said := told(p)
			for _, part := range test.says {
				require.Contains(t, said, part)
			}
			for _, part := range test.hides {
				require.NotContains(t, said, part)
			}
		})
	}
}

// Upgrades of other products are planned, too. A VM that is created or deleted keeps its own
// verdict.
func TestUpgradeOfArgoCD(t *testing.T) {
	w := newWorld(t)
	set("Halted", strategy)(w.git)
	git := encode(t, w.git)
	versions := func(argocd string) map[string]string { return map[string]string{"argocd": argocd, "cdi": "1.62"} }
	p := plan.New(git, git, plan.Options{Cluster: openshift, Upgrade: &upgrade.Upgrade{From: versions("3.2"), To: versions("3.6")}})
	require.Contains(t, told(p), "from argocd 3.5.3 on, a stopped VM is healthy")
	require.Contains(t, told(p), "no fact is known by which an upgrade from cdi 1.62 to 1.62")
	p = plan.New(git, nil, plan.Options{Cluster: openshift, Upgrade: &upgrade.Upgrade{From: versions("3.2"), To: versions("3.6")}})
	require.NotContains(t, told(p), "from argocd 3.5.3 on")
	p = plan.New(git, git, plan.Options{Cluster: openshift, Upgrade: &upgrade.Upgrade{From: versions("3.5.3"), To: versions("3.6")}})
	require.NotContains(t, told(p), "from argocd 3.5.3 on")
}

// Every fact names its source, is about a product whose versions are accepted, and applies to
// an upgrade between some of them.
func TestUpgradeFactsAreSound(t *testing.T) {
	docs, err := os.ReadFile("../../docs/how-to/upgrade-platform.md")
	require.NoError(t, err)
	for _, f := range upgrade.Facts() {
		require.NotEmpty(t, f.Source)
		require.NotEmpty(t, f.If.Text)
		require.Contains(t, string(docs), f.Reason)
		known := false
		for _, p := range upgrade.Products() {
			known = known || p.Name == f.Product && p.Knows(f.Version) && versions.Before(p.Oldest, f.Version)
		}
		require.True(t, known, "%s %s", f.Product, f.Version)
	}
}
