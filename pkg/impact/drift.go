package impact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// isDrift reports whether a change is not one of Git's: the field differs in the cluster,
// and the sync reverts it.
func (s *Subject) isDrift(path []string) bool {
	if s.Git == nil {
		return false
	}
	if s.ofGit == nil {
		s.ofGit = gitChanges(s)
	}
	return !slices.ContainsFunc(s.ofGit, func(of diff.Change) bool {
		n := min(len(of.Path), len(path))
		return slices.Equal(of.Path[:n], path[:n])
	})
}

// gitChanges returns what changes in Git, of a pool also within its VM.
func gitChanges(s *Subject) []diff.Change {
	all := diff.Trees(cluster.WithRunStrategy(s.Git), cluster.WithRunStrategy(s.New))
	if s.IsPool() {
		all = append(all, diff.Trees(world.Template(s.Git), world.Template(s.New))...)
	}
	if all == nil {
		all = []diff.Change{}
	}
	return all
}

// IsCosmetic reports whether a field that the cluster lacks means the same there: the API
// server and webhooks leave out empty values.
func IsCosmetic(c *diff.Change) bool {
	return c.Was == nil && slices.Contains([]string{"false", "0", `""`, "{}", "[]"}, manifest.Compact(c.Now))
}

// revert makes a cause report that the sync sets a field of the cluster back.
func (s *Subject) revert(c *Cause, of *diff.Change) {
	who := ""
	if name := s.author(of.Path); name != "" {
		who = ", by " + wording.Sentence(name)
	}
	sets := "reverts it"
	if c.Level == Refused {
		sets = "tries to revert it"
	}
	c.Code, c.Advice = "reverted", "bring the change into Git if it should stay"
	c.Reason = fmt.Sprintf("%s%s; the sync %s: %s", s.Pattern(of), who, sets, c.Reason)
}

// Pattern describes what has happened in the cluster, as far as its trace is known.
func (s *Subject) Pattern(c *diff.Change) string {
	switch {
	case slices.Equal(c.Path, []string{"spec", "runStrategy"}):
		return powered(c)
	case !strings.HasPrefix(strings.Join(c.Path, "."), "spec.template.spec."):
	case c.Now == nil && cluster.IsHotpluggable(world.Volume(s.Old, entry(c.Path))):
		return "a volume was plugged in the cluster (virtctl addvolume)"
	case c.Now == nil && entry(c.Path) == c.Path[len(c.Path)-1] && slices.Contains(c.Path, "interfaces"):
		return "a NIC was plugged in the cluster"
	case strings.HasPrefix(world.ClaimOf(world.Volume(s.Old, entry(c.Path))), "restore-"):
		return "a restore in the cluster has replaced the claim"
	case s.isMoved(c):
		return "a storage migration has moved the volume in the cluster"
	}
	return "the cluster differs from Git"
}

// powered describes how the run strategy came to differ: virtctl and the console rewrite it
// (KubeVirt v1.8.4, pkg/virt-api/rest/lifecycle.go).
func powered(c *diff.Change) string {
	switch {
	case c.Was == "Halted":
		return "the VM was stopped in the cluster (virtctl stop)"
	case c.Was == "Always" && c.Now == "Halted":
		return "the VM was started in the cluster (virtctl start)"
	}
	return "the run strategy was changed in the cluster"
}

// isMoved reports whether a volume has another claim in the cluster by a migration of
// its storage, which leaves its strategy behind.
func (s *Subject) isMoved(c *diff.Change) bool {
	name := entry(c.Path)
	return manifest.Text(s.Live.Tree(), "spec", "updateVolumesStrategy") == "Migration" &&
		manifest.Text(s.Git, "spec", "updateVolumesStrategy") != "Migration" &&
		world.ClaimOf(world.Volume(s.Old, name)) != world.ClaimOf(world.Volume(s.New, name))
}

// author returns the name of the client that set a field last, except for Argo CD; "" if
// the cluster does not report it.
func (s *Subject) author(path []string) string {
	name, _ := cluster.AuthorOf(s.InCluster, path)
	return name
}
