package plan

import (
	"slices"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/impact"
)

// liveCauses returns what the state in the cluster adds to the causes of a VM that
// is on both sides.
func (p *planner) liveCauses(s *impact.Subject, found []impact.Cause) []impact.Cause {
	if s.Live == nil {
		return found
	}
	codes := []impact.Code{"never-migrates", "cannot-migrate", "evicted"}
	for i := range found {
		if c := &found[i]; s.Live.Immovable != "" && slices.Contains(codes, c.Code) {
			c.Reason += ": " + wording.Sentence(s.Live.Immovable)
		}
		if !p.filledAgain(s, &found[i]) {
			p.feasible(s, &found[i])
		}
	}
	found = append(found, p.Ownership(s)...)
	if s.TakenOver {
		found = append(found, p.takenOver(s, found)...)
	}
	if len(found) == 0 {
		return nil
	}
	if s.Live.RestartRequired {
		found = append(found, impact.Cause{
			Level: impact.None, Code: "restart-pending", When: impact.AtRestart, Warning: true,
			Reason: "the VM needs a restart already" + wording.Because(s.Live.Why),
			Advice: p.Cluster.Clears(),
		})
	}
	return append(found, p.busy(s)...)
}
