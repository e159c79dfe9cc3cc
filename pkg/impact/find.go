package impact

import (
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// CausesOf returns the causes of the changes of an object.
func CausesOf(s *Subject, rules []Rule) []Cause {
	found := Findings(s, rules, Changes(s))
	out := make([]Cause, len(found))
	for i, f := range found {
		out[i] = f.Cause
	}
	return out
}

// Changes returns the changes of an object: [diff.Created], [diff.Removed], or its fields but
// the status.
func Changes(s *Subject) []diff.Change {
	switch {
	case s.Old == nil:
		return []diff.Change{{Path: []string{diff.Created}}}
	case s.New == nil:
		return []diff.Change{{Path: []string{diff.Removed}}}
	}
	rest := func(side manifest.Tree) manifest.Tree { return cluster.Without(side, "status", "apiVersion", "kind") }
	return diff.Trees(rest(s.Old), rest(s.New))
}

// Finding is a cause with the rule that found it.
type Finding struct {
	Cause
	rule *Rule
}

// Findings applies rules to changes. Changes that a rule takes together are found
// once.
func Findings(s *Subject, rules []Rule, all []diff.Change) []Finding {
	var out []Finding
	seen := map[string]bool{}
	for _, c := range all {
		e := &Edit{c, s}
		r, n := Find(rules, e)
		if r == nil {
			continue
		}
		cause := r.Cause(e, n)
		if s.isAdopted(&c, &cause) {
			continue
		}
		if s.isDrift(c.Path) {
			if cause.Level < Live || IsCosmetic(&c) {
				s.Settled = s.Settled || !IsCosmetic(&c)
				continue
			}
			s.revert(&cause, &c)
		}
		id := cause.Path + "\x00" + string(cause.Code)
		if seen[id] || r.Level == None && !r.Warning {
			continue
		}
		seen[id] = true
		out = append(out, Finding{cause, r})
	}
	return out
}
