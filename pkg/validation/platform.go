package validation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
)

// checkPlatform warns of features of the VM that the platform next to the
// fleet does not provide.
func (d *decided) checkPlatform(m *machine.Machine) {
	p := d.rules.platform
	if p == nil || d.diags.HasErrors() {
		return
	}
	for i := range m.NICs {
		d.checkPlatformNIC(p, m, i)
	}
	if p.Pool != nil {
		d.checkVMPool(m)
	}
	if m.EvictionStrategy == "LiveMigrate" || m.EvictionStrategy == "" && p.Drains {
		d.checkMigratable(m.Disks)
	}
}

// checkVMPool warns of a VM that cannot run on the pool of nodes for VMs, and therefore nowhere: virt-handler runs on
// no others.
func (d *decided) checkVMPool(m *machine.Machine) {
	pool := d.rules.platform.Pool
	if taint := pool.Untolerated(m.Tolerations...); taint != "" {
		d.diags.Warnf(d.entry.At("tolerations"), rule.Placement, d.entry.Path+".tolerations",
			"the VM does not tolerate %q of the pool %q, which runs VMs, so it starts nowhere; "+
				"add `tolerations` to `placement` in fleet.yaml", taint, pool.Name)
	}
}

// checkPlatformNIC warns of a network that no layer creates, or that replaces the pod network of another namespace.
func (d *decided) checkPlatformNIC(p *fleet.Platform, m *machine.Machine, i int) {
	n := &m.NICs[i]
	if p.HasNetworks && n.NAD != "" && !slices.Contains(p.Networks, n.NAD) {
		d.diags.Warnf(n.Pos, rule.PlatformNetwork, d.entry.Path+"."+machine.NICPath(i),
			"%s", suggest.Later(fmt.Sprintf("no layer of %s creates the network %q", p.File, n.NAD),
				n.NAD, len(p.Networks), func() []string { return p.Networks }))
	}
	if namespace := p.Primary[n.Network]; n.Pod && namespace != "" && namespace != m.Namespace {
		d.diags.Warnf(n.Pos, rule.PlatformNetwork, d.entry.Path+"."+machine.NICPath(i),
			"the network %q of %s is the pod network of namespace %q, and the VM is in %q; "+
				"move the VM there, or use another network", n.Network, p.File, namespace, m.Namespace)
	}
}

// checkPlain warns of what only OpenShift provides, on another cluster.
// Images are one warning for the fleet.
func (d *decided) checkPlain(m *machine.Machine) {
	for i := range m.Disks {
		if src := &m.Disks[i].Source; d.rules.noOpenShift != nil && catalog.IsBootSource(src) {
			d.diags.Warnf(*d.rules.noOpenShift, rule.OpenShift, "target.openshift", "VMs boot from images in %q, which only "+
				"OpenShift has, and the cluster does not seem to be OpenShift; "+
				"set `target.openshift: false` for public images, or true",
				strings.SplitN(src.DataSource, "/", 2)[0])
		}
	}
	if m.Lifecycle.Protect && m.Target.Plain() {
		d.diags.Warnf(d.entry.At("lifecycle", "protect"), rule.OpenShift, d.entry.Path+".lifecycle.protect",
			"only OpenShift refuses to delete a protected VM; remove it, or set `target.openshift: true`")
	}
}

// checkMigratable warns of disks that prevent live migration of a VM that is
// migrated when its node is drained: the drain waits for it (kubevirt/kubevirt
// pkg/virt-handler/vm.go, checkVolumesForMigration, v1.8.4).
func (d *decided) checkMigratable(disks []machine.Disk) {
	for i := range disks {
		disk := &disks[i]
		if disk.AccessMode == "" || disk.AccessMode == "ReadWriteMany" ||
			disk.Kind != machine.DiskDataVolume && disk.Kind != machine.DiskClaim {
			continue
		}
		d.diags.Warnf(disk.Pos, rule.NotMigratable, d.entry.Path+".disks."+disk.Name,
			"the disk is %s, which rules out live migration, and a drain of the node waits for it; "+
				"use a class with ReadWriteMany, or `evictionStrategy: LiveMigrateIfPossible` or `None`", disk.AccessMode)
		return
	}
}
