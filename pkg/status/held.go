package status

import (
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/held"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/labels"
)

// heldFacts returns the fact that Git holds a change of a VM, according to the annotation in the cluster.
func heldFacts(s *impact.Subject) []Fact {
	text := cluster.Annotation(s.Live.Object, labels.Held)
	if text == "" {
		return nil
	}
	level, approvals := held.Split(text)
	return []Fact{{
		State: StateHeld, Code: FactHeld, Says: "held: " + level + "; " + held.Line(approvals) + " releases it",
		Advice: "add the line to the entry of the VM, or take the change back",
	}}
}
