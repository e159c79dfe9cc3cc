package plan

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// findMoving finds the VMs that migrations from vSphere move into the cluster, and their Plans.
func (p *planner) findMoving() {
	for i := range p.pairs {
		pair := &p.pairs[i]
		if kindOf(pair.id) != kindPlan || pair.old == nil {
			continue
		}
		plan := manifest.Decode(pair.old)
		namespace := manifest.Text(plan, "spec", "targetNamespace")
		for _, vm := range manifest.List(plan, "spec", "vms") {
			if p.moving == nil {
				p.moving = map[key]string{}
			}
			p.moving[key{"kubevirt.io", "VirtualMachine", namespace, manifest.Text(vm, "targetName")}] = pair.id.Name
		}
	}
}

// newMachine returns the cause of a VM that only the new side has.
func (p *planner) newMachine(s *subject) Cause {
	plan, moves := p.moving[keyOf(s.id)]
	switch {
	case moves && p.live.lacks(s.id):
		return Cause{
			Level: Create, Code: "not-moved-yet", Key: "migrate.done", Warning: true,
			Reason: "the Plan " + plan + " has not created the VM yet: if the sync creates it, forklift cannot",
			Advice: "wait until its Migration has succeeded",
		}
	case moves:
		return Cause{
			Level: Metadata, Code: "taken-over", Key: "migrate.done", Approximate: "whether the Migration has succeeded",
			Reason: "the Plan " + plan + " migrates the VM: the sync adopts it, and changes it to the state in Git",
		}
	case s.missing:
		return Cause{
			Level: Create, Code: "created",
			Reason: "the VM is not in the cluster, but in Git: the sync recreates it",
		}
	}
	return Cause{Level: Create, Code: "created", Reason: "a new VM"}
}

// usesClaim reports whether a volume of a VM is a claim, and not one by the name of its DataVolume.
func usesClaim(vm tree, name string) bool {
	return slices.ContainsFunc(manifest.List(world.Spec(vm), "volumes"), func(v any) bool {
		return manifest.Text(v, "persistentVolumeClaim", "claimName") == name
	})
}

// claimTaken returns the cause of a DataVolume for a claim that a VM has already, such as one that a migration has
// made.
func claimTaken() Cause {
	return Cause{
		Level: Refused, Code: "claim-exists", Key: "disks",
		Reason: "the VM has a claim of that name, which CDI does not fill: the sync fails",
		Advice: "keep `migrate` with `done: true`, or set disks.NAME.source.claim",
	}
}

// returns is what a new VM finds of itself in the cluster: disks of its names, which are not filled again, and of
// which a sync can change nothing but their size.
func (p *planner) returns(s *subject, links []*pair) []Cause {
	if p.live == nil || s.isPool() {
		return nil
	}
	out := slices.DeleteFunc(p.linkCauses(s, links), func(c Cause) bool { return c.Level <= Metadata })
	var found []string
	for _, name := range world.Claims(world.Spec(s.new)) {
		made := p.find("cdi.kubevirt.io", "DataVolume", s.id.Namespace, name) != nil ||
			manifest.At(s.new, "spec", "dataVolumeTemplates", "["+name+"]") != nil
		if disk := p.live.disk(s.id.Namespace, name); made && disk != nil {
			found = append(found, name+since(disk))
		}
	}
	if found == nil {
		return out
	}
	return append(out, Cause{
		Level: Create, Code: "disks-found", Key: "disks", Warning: true,
		Reason: "the disks are in the cluster already, and are not filled again: " + strings.Join(found, ", ") +
			"; the VM starts from what is on them",
		Advice: "for empty disks, set disks.NAME.revision to another number",
	})
}

// since returns the day of an object's creation in brackets, or "".
func since(object tree) string {
	day, _, ok := strings.Cut(created(object), "T")
	if !ok {
		return ""
	}
	return " (of " + day + ")"
}
