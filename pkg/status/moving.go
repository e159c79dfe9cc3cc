package status

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
)

// moves returns the standings of the VMs that a Plan of Git moves from vSphere, and that Git does not have as
// VirtualMachines yet.
func (p *reader) moves(pair *pairs.Pair) []Standing {
	var out []Standing
	live, git := p.Live.Object(pair.ID), manifest.Decode(pair.New)
	namespace := manifest.Text(git, "spec", "targetNamespace")
	for _, vm := range manifest.List(git, "spec", "vms") {
		name := manifest.Text(vm, "targetName")
		if p.Find("kubevirt.io", "VirtualMachine", namespace, name) != nil {
			continue
		}
		id := manifest.ID{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachine", Namespace: namespace, Name: name}
		if live == nil {
			out = append(out, standing(id, p.absent(pair)))
			continue
		}
		out = append(out, standing(id, moving(live, name)))
	}
	return out
}

// moveStates are the meanings of the conditions of a VM in the status of its Plan; the first true one counts (forklift
// v2.12.5, pkg/apis/forklift/v1beta1/plan/vm.go, VMStatus).
var moveStates = []struct {
	condition string
	Fact
}{
	{"Succeeded", Fact{
		State: StateNotSynced, Code: FactMoved, Says: "has moved, and Git has it in vSphere",
		Advice: "set `done: true` in its `migrate`",
	}},
	{"Failed", Fact{
		State: StateFailed, Code: FactMoveFailed, Says: "has not moved from vSphere",
		Advice: "fix the cause, and raise `migrate.run`",
	}},
	{"Canceled", Fact{
		State: StateUnderWay, Code: FactMoving, Says: "is in vSphere: its migration is cancelled",
		Advice: "raise `migrate.run` without its `cancel`, or remove the entry",
	}},
}

// moving returns the facts of a VM that a Plan in the cluster moves. One that waits, of a Plan that is ready, is
// as Git has it.
func moving(plan manifest.Tree, name string) []Fact {
	for _, vm := range manifest.List(plan, "status", "migration", "vms") {
		if manifest.Text(vm, "targetName") == name {
			return movingFacts(vm)
		}
	}
	var out []Fact
	for _, c := range manifest.List(plan, "status", "conditions") {
		if manifest.Text(c, "category") == "Critical" && manifest.Text(c, "status") == "True" {
			out = append(out, Fact{
				State: StateFailed, Code: FactMoveFailed,
				Says:   "cannot move from vSphere: " + wording.Sentence(manifest.Text(c, "message")+items(c)),
				Advice: "fix the cause: until then, the Plan does not start",
			})
		}
	}
	return out
}

func movingFacts(vm any) []Fact {
	for _, s := range moveStates {
		if !holds(vm, s.condition) {
			continue
		}
		f := s.Fact
		if reasons := stringsOf(manifest.At(vm, "error", "reasons")); reasons != "" && f.State == StateFailed {
			f.Says += ": " + wording.Sentence(reasons)
		}
		return []Fact{f}
	}
	if manifest.Text(vm, "started") == "" {
		return nil
	}
	return []Fact{{
		State: StateUnderWay, Code: FactMoving, Says: "moves from vSphere: " + wording.Sentence(manifest.Text(vm, "phase")),
	}}
}

// holds reports whether a condition of a VM in the status of a Plan is true.
func holds(vm any, kind string) bool {
	return slices.ContainsFunc(manifest.List(vm, "conditions"), func(c any) bool {
		return manifest.Text(c, "type") == kind && manifest.Text(c, "status") == "True"
	})
}

// items returns what a condition of forklift is about, in brackets.
func items(condition any) string {
	if all := stringsOf(manifest.At(condition, "items")); all != "" {
		return " (" + all + ")"
	}
	return ""
}

// stringsOf returns the strings of a list, separated by commas.
func stringsOf(v any) string {
	var out []string
	values, _ := v.([]any)
	for _, item := range values {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return strings.Join(out, ", ")
}
