package pairs

import (
	"fmt"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// Ownership returns the disks that Git keeps, and that belong to the VM in the
// cluster nevertheless.
func (p *Set) Ownership(s *impact.Subject) []impact.Cause {
	var out []impact.Cause
	for _, name := range p.Live.Owned(s.ID) {
		disk := p.Disk(s.ID.Namespace, name)
		if disk == nil || disk.New == nil ||
			manifest.At(world.Template(s.New), "spec", "dataVolumeTemplates", "["+name+"]") != nil {
			continue
		}
		if manifest.At(world.Template(s.Old), "spec", "dataVolumeTemplates", "["+name+"]") != nil {
			continue // the rules of templates define it
		}
		out = append(out, impact.Cause{
			Object: disk.ID, Level: impact.None, Code: "still-owned", Key: "disks", Warning: true,
			Reason: "Git keeps the disk, but in the cluster it still belongs to the VM: " +
				"Kubernetes deletes it with the VM",
			Advice: Release(name),
		})
	}
	return out
}

// Release returns the advice for a disk that must not go with its VM.
func Release(name string) string {
	return fmt.Sprintf("remove the owner reference: "+
		`kubectl patch datavolume %s --type merge --patch '{"metadata":{"ownerReferences":null}}'`, name)
}
