package plan

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
)

// busy returns what is going on with a VM that changes: operations during which
// KubeVirt refuses or holds back changes.
func (p *planner) busy(s *impact.Subject) []impact.Cause {
	return append(p.Operations(s), p.fillings(s)...)
}

// fillings returns the disks of a VM that are being filled, or could not be.
func (p *planner) fillings(s *impact.Subject) []impact.Cause {
	var out []impact.Cause
	for _, name := range p.UsedDisks(s) {
		phase := manifest.Text(p.Live.Get(cluster.KindDataVolume, s.ID.Namespace, name), "status", "phase")
		if strings.HasSuffix(phase, "InProgress") || strings.HasSuffix(phase, "Scheduled") {
			out = append(out, pairs.InFlight(
				"the disk %s is being filled (%s): KubeVirt applies no other change to the VM meanwhile", name, phase))
		} else if phase == "Failed" {
			out = append(out, pairs.InFlight(
				"the disk %s could not be filled: KubeVirt applies no change to the VM until it is", name))
		}
	}
	return out
}
