package plan

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// filledAgain turns a copy of a disk that the cluster could not fill into a start from the new disk, and
// reports whether it has.
func (p *planner) filledAgain(s *impact.Subject, c *impact.Cause) bool {
	if c.Code != "copied" && c.Code != "not-copied" {
		return false
	}
	for _, v := range manifest.List(world.Spec(s.Old), "volumes") {
		isIt, disk := strings.Contains(c.Path, "["+manifest.Text(v, "name")+"]"), world.ClaimOf(v)
		if isIt && cluster.IsUnfilled(p.Live.Get(cluster.KindDataVolume, s.ID.Namespace, disk)) {
			c.Level, c.Code, c.When, c.Approximate, c.Warning = impact.Power, "filled-again", "", "", false
			c.Reason = "the VM starts from a new disk that is filled from its source: the disk " + disk + " could not be filled"
			c.Advice = "after the sync, delete the disk " + disk + " (kubectl delete datavolume): " +
				"until then, the Application is Degraded"
			return true
		}
	}
	return false
}

// keptByGit reports whether Git has a disk as an object that Argo CD does not prune.
func (p *planner) keptByGit(namespace, name string) bool {
	d := p.Disk(namespace, name)
	if d == nil {
		return false
	}
	return d.New != nil || cluster.SyncOption(manifest.Decode(d.Old), "Prune") == "false"
}
