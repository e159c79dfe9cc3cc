package plan

import (
	"slices"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/pairs"
)

// differing describes the first objects that differ, by field, and returns the number of the others.
func (p *planner) differing() string {
	all := make([]string, len(p.Differs))
	for i, id := range p.Differs {
		all[i] = pairs.ObjectName(id)
		if pair := p.ByKey[cluster.KeyOf(id)]; i < wording.Most && pair.New != nil {
			drift, pending := p.Differences(pair)
			all[i] += " (" + impact.ComparedAll(slices.Concat(drift, pending)) + ")"
		}
	}
	return wording.Some(all)
}
