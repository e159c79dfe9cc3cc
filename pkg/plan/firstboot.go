package plan

import (
	"slices"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// codeFirstBoot is that of data which a guest reads at its first boot.
const codeFirstBoot impact.Code = "first-boot"

// firstBoot returns the cause of changed data of cloud-init. cloud-init runs most of its modules once for each
// instance, which it knows by an ID that KubeVirt takes from the VM's firmware or name (cloudinit.readthedocs.io,
// explanation/boot; KubeVirt v1.8.4, pkg/cloud-init/cloud-init.go).
func firstBoot(c impact.Cause) impact.Cause {
	c.Level, c.Code, c.Key, c.When = impact.Metadata, codeFirstBoot, "cloudInit", impact.AtNextStart
	c.Reason = "a guest that has had its first boot runs only what cloud-init runs at every boot, such as bootcmd, again"
	return c
}

// isFirstBoot reports whether both sides of a VM have the data for cloud-init in the Secret of a name.
func isFirstBoot(s *impact.Subject, name string) bool {
	return readsAtBoot(s.Old, name) && readsAtBoot(s.New, name)
}

func readsAtBoot(side manifest.Tree, name string) bool {
	return slices.ContainsFunc(manifest.List(world.Spec(side), "volumes"), func(volume any) bool {
		return slices.ContainsFunc([]string{"cloudInitNoCloud", "cloudInitConfigDrive"}, func(source string) bool {
			return manifest.Text(volume, source, "secretRef", "name") == name ||
				manifest.Text(volume, source, "networkDataSecretRef", "name") == name
		})
	})
}

// firstBoots notes, once for all VMs, who gets the changed data, and what reaches the others.
func (p *planner) firstBoots() {
	var names []string
	for i := range p.out.VMs {
		v := &p.out.VMs[i]
		if slices.ContainsFunc(v.Causes, func(c impact.Cause) bool { return c.Code == codeFirstBoot }) {
			names = append(names, v.ID.Namespace+"/"+v.ID.Name)
		}
	}
	if len(names) > 0 {
		p.Note("the data for the first boot changes, and only VMs that are created from now on get all of it; in %s nothing "+
			"changes: use sshKeySecret and passwordSecret, or Ansible, for guests that have booted: %s",
			wording.Plural(len(names), "VM", "VMs"), wording.Some(names))
	}
}
