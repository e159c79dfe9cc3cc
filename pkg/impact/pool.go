package impact

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

const sourcePool = "KubeVirt v1.8.4, pkg/virt-controller/watch/pool/pool.go"

// PoolRules are the rules of a VirtualMachinePool's own fields.
var PoolRules = compile(rulesGate, []Rule{
	{Path: "spec.replicas", If: lowered, Level: DataLoss, Code: "scaled-in", Reason: "KubeVirt deletes members with their disks", Key: "replicas", Source: sourcePool},
	{Path: "spec.replicas", Level: Create, Code: "scaled-out", Reason: "KubeVirt creates further members", Key: "replicas", Source: sourcePool},
	{Path: "spec.selector.**", Level: Refused, Code: "immutable", Reason: "KubeVirt refuses to change a pool's selector", Source: sourcePool},
	{Path: "metadata.*.**", Level: Metadata, Code: "metadata", Reason: "no running VM sees it", Source: sourcePool},
	{Path: "spec.*.**", Level: Metadata, Code: "metadata", Reason: "it applies to later updates of the pool", Key: "lifecycle", Source: sourcePool},
})

// PoolChanges returns what the changes of a pool do to its members: KubeVirt restarts
// those whose instance differs, and deletes and recreates those whose disks differ.
func PoolChanges(s *Subject) []Finding {
	var own []diff.Change
	for _, c := range Changes(s) {
		if len(c.Path) < 2 || c.Path[1] != "virtualMachineTemplate" {
			own = append(own, c)
		}
	}
	out := Findings(s, PoolRules(), own)
	members := *s
	members.Old, members.New = world.Template(s.Old), world.Template(s.New)
	for _, f := range Findings(&members, MachineRules(), diff.Trees(manifest.Tree{"spec": members.Old["spec"]}, manifest.Tree{"spec": members.New["spec"]})) {
		out = append(out, memberFinding(f))
	}
	return out
}

// memberFinding returns what a change of a VM does to the members of a pool.
func memberFinding(f Finding) Finding {
	switch {
	case strings.HasPrefix(f.Path, "spec.dataVolumeTemplates"):
		f.Level, f.Code = DataLoss, "members-recreated"
		f.Reason, f.Advice = "KubeVirt deletes the members with their disks, and recreates them, at most maxUnavailable at a time", ""
	case f.rule.OfInstance() && f.Level >= Live && f.Level <= Restart:
		advice := ""
		if f.Level < Staged {
			advice = "with `strategy: rollout`, KubeVirt makes this change while the VMs run"
		}
		f.Level, f.Code = Restart, "members-restarted"
		f.Reason, f.Advice = "KubeVirt restarts the members, at most maxUnavailable at a time", advice
	case f.Level == Recreate, f.Code == "state-deleted":
		f.Level = Restart
	}
	f.When = "immediately"
	f.Path = strings.Replace(f.Path, "spec.", "spec.virtualMachineTemplate.spec.", 1)
	return f
}
