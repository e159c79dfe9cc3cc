package plan

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
	"github.com/vmrender/vmrender/pkg/world"
)

// findMoving finds the VMs that migrations from vSphere move into the cluster, and their Plans.
func (p *planner) findMoving() {
	for i := range p.Pairs {
		pair := &p.Pairs[i]
		if cluster.KindOf(pair.ID) != impact.KindPlan || pair.Old == nil {
			continue
		}
		plan := manifest.Decode(pair.Old)
		namespace := manifest.Text(plan, "spec", "targetNamespace")
		for _, vm := range manifest.List(plan, "spec", "vms") {
			if p.moving == nil {
				p.moving = map[cluster.Key]string{}
			}
			p.moving[cluster.KeyOfVM(namespace, manifest.Text(vm, "targetName"))] = pair.ID.Name
		}
	}
}

// newMachine returns the cause of a VM that only the new side has.
func (p *planner) newMachine(s *impact.Subject) impact.Cause {
	plan, moves := p.moving[cluster.KeyOf(s.ID)]
	switch {
	case moves && p.Live.Lacks(s.ID):
		return impact.Cause{
			Level: impact.Create, Code: "not-moved-yet", Key: "migrate.done", Warning: true,
			Reason: "the Plan " + plan + " has not created the VM yet: if the sync creates it, forklift cannot",
			Advice: "wait until its Migration has succeeded",
		}
	case moves:
		return impact.Cause{
			Level: impact.Metadata, Code: "taken-over", Key: "migrate.done", Approximate: "whether the Migration has succeeded",
			Reason: "the Plan " + plan + " migrates the VM: the sync adopts it, and changes it to the state in Git",
		}
	case s.Missing:
		return impact.Cause{
			Level: impact.Create, Code: "created",
			Reason: "the VM is not in the cluster, but in Git: the sync recreates it",
		}
	}
	return impact.Cause{Level: impact.Create, Code: "created", Reason: "a new VM", Approximate: p.othersDisk(s)}
}

// othersDisk returns what is not known of a new VM that writes to a disk that is not made in Git: only the cluster has
// the VMs that may have it, such as a pet that was removed from Git and stays. It is empty if there is no such disk.
func (p *planner) othersDisk(s *impact.Subject) string {
	if p.Live != nil {
		return ""
	}
	for _, name := range world.Written(world.Spec(s.New)) {
		isMade := manifest.At(s.New, "spec", "dataVolumeTemplates", "["+name+"]") != nil
		if !isMade && p.Find("cdi.kubevirt.io", "DataVolume", s.ID.Namespace, name) == nil {
			return "whether a VM that is only in the cluster has the disk " + name
		}
	}
	return ""
}

// usesClaim reports whether a volume of a VM is a claim, and not one by the name of its DataVolume.
func usesClaim(vm manifest.Tree, name string) bool {
	return slices.ContainsFunc(manifest.List(world.Spec(vm), "volumes"), func(v any) bool {
		return manifest.Text(v, "persistentVolumeClaim", "claimName") == name
	})
}

// claimTaken returns the cause of a DataVolume for a claim that a VM has already, such as one that a migration has
// made.
func claimTaken() impact.Cause {
	return impact.Cause{
		Level: impact.Refused, Code: "claim-exists", Key: "disks",
		Reason: "the VM has a claim of that name, which CDI does not fill: the sync fails",
		Advice: "keep `migrate` with `done: true`, or set disks.NAME.source.claim",
	}
}

// returns is what a new VM finds of itself in the cluster: disks of its names, which are not filled again, and of
// which a sync can change nothing but their size.
func (p *planner) returns(s *impact.Subject, links []*pairs.Pair) []impact.Cause {
	if p.Live == nil || s.IsPool() {
		return nil
	}
	out := slices.DeleteFunc(p.linkCauses(s, links), func(c impact.Cause) bool { return c.Level <= impact.Metadata })
	var found []string
	for _, name := range world.Claims(world.Spec(s.New)) {
		made := p.Find("cdi.kubevirt.io", "DataVolume", s.ID.Namespace, name) != nil ||
			manifest.At(s.New, "spec", "dataVolumeTemplates", "["+name+"]") != nil
		if disk := p.Live.Disk(s.ID.Namespace, name); made && disk != nil {
			found = append(found, name+since(disk))
		}
	}
	if found == nil {
		return out
	}
	return append(out, impact.Cause{
		Level: impact.Create, Code: "disks-found", Key: "disks", Warning: true,
		Reason: "the disks are in the cluster already, and are not filled again: " + strings.Join(found, ", ") +
			"; the VM starts from what is on them",
		Advice: "for empty disks, set disks.NAME.revision to another number",
	})
}

// since returns the day of an object's creation in brackets, or "".
func since(object manifest.Tree) string {
	day, _, ok := strings.Cut(cluster.Created(object), "T")
	if !ok {
		return ""
	}
	return " (of " + day + ")"
}
