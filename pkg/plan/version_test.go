package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
)

// These versions of KubeVirt behave differently from their neighbors.
func TestVersions(t *testing.T) {
	link := set("down", "spec.template.spec.domain.devices.interfaces.1.state")
	network := set("default/vlan8", "spec.template.spec.networks.1.multus.networkName")
	volume := set("other", "spec.template.spec.volumes.2.persistentVolumeClaim.claimName")
	sockets := both(set(4, "spec.template.spec.domain.cpu.sockets"), func([]object) {})
	movable := func(c *cluster.Settings) { yes := true; c.LiveMigratable = &yes }
	size := set("u1.large", "spec.instancetype.name")
	for _, test := range []struct {
		name, version string
		edit          func([]object)
		cluster       func(*cluster.Settings)
		level         impact.Level
	}{
		{name: "link", version: "1.4.0", edit: link, level: impact.Restart},
		{name: "link", version: "1.4", edit: link, level: impact.Restart},
		{name: "link", version: "1.4.1", edit: link, level: impact.Live},
		{name: "link", version: "1.5.0", edit: link, level: impact.Restart},
		{name: "link", version: "1.5.1", edit: link, level: impact.Restart},
		{name: "link", version: "1.5.2", edit: link, level: impact.Live},
		{name: "queues", version: "1.4.0", edit: sockets, cluster: movable, level: impact.Restart},
		{name: "queues", version: "1.4.1", edit: sockets, cluster: movable, level: impact.Migrate},
		{name: "queues", version: "1.5.1", edit: sockets, cluster: movable, level: impact.Restart},
		{name: "queues", version: "1.5.2", edit: sockets, cluster: movable, level: impact.Migrate},
		{name: "network", version: "1.8", edit: network, level: impact.Restart},
		{name: "network", version: "1.9", edit: network, level: impact.Migrate},
		{name: "volume", version: "1.6.2", edit: volume, cluster: stage, level: impact.Restart},
		{name: "volume", version: "1.7", edit: volume, cluster: stage, level: impact.Staged},
		{name: "instance type", version: "1.4.1", edit: size, level: impact.Refused},
		{name: "instance type", version: "1.5", edit: size, level: impact.Restart},
	} {
		t.Run(test.name+" "+test.version, func(t *testing.T) {
			old, edited := load(t, "pet"), load(t, "pet")
			for _, objects := range [][]object{old, edited} {
				at(objects[0], "spec", "template", "spec", "domain", "devices").(object)["networkInterfaceMultiqueue"] = true
				at(objects[0], "spec").(object)["instancetype"] = object{"name": "u1.small"}
			}
			test.edit(edited)
			cluster := cluster.Settings{KubeVirt: test.version, OpenShift: true}
			if test.cluster != nil {
				test.cluster(&cluster)
			}
			p := plan.New(encode(t, old), encode(t, edited), plan.Options{Cluster: cluster})
			require.Equal(t, test.level, p.VMs[0].Level, "%+v", p.VMs[0].Causes)
		})
	}
}
