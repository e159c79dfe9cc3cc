package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// isDrift reports whether a change is not one of Git's: the field differs in the cluster,
// and the sync reverts it.
func (s *subject) isDrift(path []string) bool {
	if s.git == nil {
		return false
	}
	if s.ofGit == nil {
		s.ofGit = gitChanges(s)
	}
	return !slices.ContainsFunc(s.ofGit, func(of change) bool {
		n := min(len(of.path), len(path))
		return slices.Equal(of.path[:n], path[:n])
	})
}

// gitChanges returns what changes in Git, of a pool also within its VM.
func gitChanges(s *subject) []change {
	all := diff(withRunStrategy(s.git), withRunStrategy(s.new))
	if s.isPool() {
		all = append(all, diff(world.Template(s.git), world.Template(s.new))...)
	}
	if all == nil {
		all = []change{}
	}
	return all
}

// differing describes the first objects that differ, by field, and returns the number of the others.
func (p *planner) differing() string {
	all := make([]string, len(p.differs))
	for i, id := range p.differs {
		all[i] = objectName(id)
		if pair := p.byKey[keyOf(id)]; i < most && pair.new != nil {
			drift, pending := p.differences(pair)
			all[i] += " (" + comparedAll(slices.Concat(drift, pending)) + ")"
		}
	}
	return some(all)
}

// isCosmetic reports whether a field that the cluster lacks means the same there: the API
// server and webhooks leave out empty values.
func isCosmetic(c *change) bool {
	return c.was == nil && slices.Contains([]string{"false", "0", `""`, "{}", "[]"}, compact(c.now))
}

// revert makes a cause report that the sync sets a field of the cluster back.
func (s *subject) revert(c *Cause, of *change) {
	who := ""
	if name := s.author(of.path); name != "" {
		who = ", by " + sentence(name)
	}
	sets := "reverts it"
	if c.Level == Refused {
		sets = "tries to revert it"
	}
	c.Code, c.Advice = "reverted", "bring the change into Git if it should stay"
	c.Reason = fmt.Sprintf("%s%s; the sync %s: %s", s.pattern(of), who, sets, c.Reason)
}

// pattern describes what has happened in the cluster, as far as its trace is known.
func (s *subject) pattern(c *change) string {
	switch {
	case slices.Equal(c.path, []string{"spec", "runStrategy"}):
		return powered(c)
	case !strings.HasPrefix(strings.Join(c.path, "."), "spec.template.spec."):
	case c.now == nil && isHotpluggable(world.Volume(s.old, entry(c.path))):
		return "a volume was plugged in the cluster (virtctl addvolume)"
	case c.now == nil && entry(c.path) == c.path[len(c.path)-1] && slices.Contains(c.path, "interfaces"):
		return "a NIC was plugged in the cluster"
	case strings.HasPrefix(world.ClaimOf(world.Volume(s.old, entry(c.path))), "restore-"):
		return "a restore in the cluster has replaced the claim"
	case s.isMoved(c):
		return "a storage migration has moved the volume in the cluster"
	}
	return "the cluster differs from Git"
}

// powered describes how the run strategy came to differ: virtctl and the console rewrite it
// (KubeVirt v1.8.4, pkg/virt-api/rest/lifecycle.go).
func powered(c *change) string {
	switch {
	case c.was == "Halted":
		return "the VM was stopped in the cluster (virtctl stop)"
	case c.was == "Always" && c.now == "Halted":
		return "the VM was started in the cluster (virtctl start)"
	}
	return "the run strategy was changed in the cluster"
}

// isMoved reports whether a volume has another claim in the cluster by a migration of
// its storage, which leaves its strategy behind.
func (s *subject) isMoved(c *change) bool {
	name := entry(c.path)
	return manifest.Text(s.live.tree(), "spec", "updateVolumesStrategy") == "Migration" &&
		manifest.Text(s.git, "spec", "updateVolumesStrategy") != "Migration" &&
		world.ClaimOf(world.Volume(s.old, name)) != world.ClaimOf(world.Volume(s.new, name))
}

// tree returns the VM in the cluster, or nil.
func (m *liveMachine) tree() tree {
	if m == nil {
		return nil
	}
	return m.object
}

// author returns the name of the client that set a field last, except for Argo CD; "" if
// the cluster does not report it.
func (s *subject) author(path []string) string {
	name, _ := authorOf(s.inCluster, path)
	return name
}

// authorOf returns the client other than Argo CD that set a field of an object last, and the
// time; both are "" if the cluster does not report it.
func authorOf(object tree, path []string) (name, when string) {
	for _, m := range manifest.List(object, "metadata", "managedFields") {
		manager, time := manifest.Text(m, "manager"), manifest.Text(m, "time")
		if !strings.HasPrefix(manager, "argocd") && time >= when && manages(manifest.At(m, "fieldsV1"), path) {
			name, when = manager, time
		}
	}
	return name, when
}

// manages reports whether a set of fields (metav1.FieldsV1) has a path, or a list as a
// whole that it leads into.
func manages(fields any, path []string) bool {
	set, isSet := fields.(tree)
	for i, segment := range path {
		field := "f:" + segment
		if strings.HasPrefix(segment, "[") {
			field = `k:{"name":"` + strings.Trim(segment, "[]") + `"}`
		}
		below, ok := set[field].(tree)
		if !ok {
			return i > 0 && isSet && len(set) == 0
		}
		set = below
	}
	return isSet
}
