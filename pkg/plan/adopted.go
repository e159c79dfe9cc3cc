package plan

import (
	"fmt"
	"slices"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// takenOver reports that a VM that is new in Git exists in the cluster, next to the causes
// found, which are the changes.
func (p *planner) takenOver(s *impact.Subject, found []impact.Cause) []impact.Cause {
	var out []impact.Cause
	if p.runningStays(s) {
		out = append(out, twoRunStrategies(s))
	}
	if manifest.Text(s.InCluster, "metadata", "deletionTimestamp") != "" {
		out = append(out, goneSoon)
	}
	isEffect := func(c impact.Cause) bool { return c.Level > impact.Create }
	app := p.Live.Application(s.ID)
	switch {
	case app != "":
		return append(out, trackedBy(app))
	case slices.ContainsFunc(out, isEffect) || slices.ContainsFunc(found, isEffect):
		return append(out, changedByAdoption)
	}
	return append(out, takenAsItIs)
}

// CodeAdopted is the code of the cause of a VM that is adopted.
const CodeAdopted impact.Code = "taken-as-it-is"

// The causes of a VM that is new in Git, and in the cluster.
var (
	goneSoon = impact.Cause{
		Level: impact.Recreate, Code: "in-flight", Warning: true,
		Reason: "the VM in the cluster is being deleted: when it is gone, the sync creates a new one",
		Advice: "wait until it is gone, and check which of its disks remain",
	}
	changedByAdoption = impact.Cause{
		Level: impact.Metadata, Code: "taken-over",
		Reason: "the VM is in the cluster already: the sync adopts it, and changes it to the state in Git",
	}
	takenAsItIs = impact.Cause{
		Level: impact.None, Code: CodeAdopted,
		Reason: "the VM is in the cluster already, as Git has it: the sync adopts it without a change",
	}
)

// trackedBy returns the cause of a VM that another Application tracks.
func trackedBy(app string) impact.Cause {
	return impact.Cause{
		Level: impact.Metadata, Code: "taken-over", Warning: true,
		Reason: fmt.Sprintf("the VM is in the cluster already, where the Application %s tracks it: "+
			"with FailOnSharedResource=true no other Application takes it, "+
			"and as soon as Git there no longer has it, that Application deletes it", app),
		Advice: "keep the VM in one Application, or move it as described in docs/how-to/move-vms.md",
	}
}

// twoRunStrategies returns the cause of a VM that would have both forms of a run strategy.
func twoRunStrategies(s *impact.Subject) impact.Cause {
	return impact.Cause{
		Path: "spec.runStrategy", Key: "runStrategy", Level: impact.Refused, Code: "running-stays",
		Reason: "the VM in the cluster has spec.running, which a sync does not remove, and KubeVirt rejects both keys",
		Advice: fmt.Sprintf("first replace it with its newer form, which changes nothing else: "+
			`kubectl patch virtualmachine %s --namespace %s --type merge `+
			`--patch '{"spec":{"running":null,"runStrategy":"%s"}}'`, s.ID.Name, s.ID.Namespace, world.RunStrategy(s.InCluster)),
	}
}

// runningStays reports whether a VM in the cluster has the older form of a run
// strategy, and keeps it although Git has the newer one: a sync takes away only what kubectl
// apply has set.
func (p *planner) runningStays(s *impact.Subject) bool {
	now := manifest.Decode(p.ByKey[cluster.KeyOf(s.ID)].New)
	return manifest.At(s.InCluster, "spec", "running") != nil && manifest.At(now, "spec", "runStrategy") != nil &&
		manifest.At(cluster.Applied(s.InCluster), "spec", "running") == nil
}
