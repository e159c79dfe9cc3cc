package plan

import (
	"fmt"
	"slices"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
)

// untracked adds the VMs that an Application of the plan tracks, and that Git has
// on no side.
func (p *planner) untracked(apps []string) {
	for _, kind := range []string{cluster.KindVM, cluster.KindPool} {
		for _, e := range p.Live.ByKind[kind] {
			app := p.Live.Application(e.ID)
			if app == "" || !slices.Contains(apps, app) || p.ByKey[cluster.KeyOf(e.ID)] != nil {
				continue
			}
			pair := &pairs.Pair{ID: e.ID, Old: []byte(manifest.Compact(cluster.Without(e.Object, "status")))}
			s := pair.Subject(p.Cluster)
			s.State, s.Live = p.Live, p.Live.Machine(e.ID)
			causes := p.removal(s, nil)
			for i := range causes {
				causes[i].Approximate = "whether Git has it in a part of the Application that is not compared"
			}
			causes = append(causes, impact.Cause{
				Level: impact.None, Code: "unknown-to-git", Warning: true,
				Reason: fmt.Sprintf("neither side of Git has the VM, but the Application %s tracks it", app),
			})
			p.out.VMs = append(p.out.VMs, verdict(e.ID, causes))
		}
	}
	slices.SortStableFunc(p.out.VMs, func(a, b Verdict) int { return a.ID.Compare(b.ID) })
}
