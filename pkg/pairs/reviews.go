package pairs

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// Reviews notes the layers whose approval is missing or outdated, with the token that approves them.
func (p *Set) Reviews(layers []*approval.Layer) {
	for _, l := range layers {
		stale := p.stale(l)
		switch {
		case p.Live == nil && !l.IsRendered():
			p.Note("the layer %s renders what is not approved; after a review, set `approve: %s`; the token of a plan with "+
				"--live is also of the state of the cluster", l.Name, l.Token(nil))
		case p.Live == nil:
		case !l.IsRendered():
			p.Note("the layer %s renders what is not approved; after a review, set `approve: %s`", l.Name,
				l.Token(p.subjectsOf(l)))
		case stale != nil:
			p.Note("the layer %s: its objects are neither as they were in the review nor as in Git, so a sync fails before it "+
				"changes anything: %s; after a new review, set `approve: %s`", l.Name, strings.Join(stale, "; "),
				l.Token(p.subjectsOf(l)))
		}
	}
}

// stale returns the objects in the cluster that make the approval of a layer stale, with the fields that differ from
// Git.
func (p *Set) stale(l *approval.Layer) []string {
	var out []string
	object := p.subjectsOf(l)
	for i := range l.Subjects {
		s := &l.Subjects[i]
		if live := object(s); p.Live != nil && l.IsStale(s, live) {
			out = append(out, s.String()+" "+strings.Join(s.Differences(live), ", "))
		}
	}
	return out
}

// subjectsOf returns a function that returns an object of a layer in the cluster, or nil.
func (p *Set) subjectsOf(l *approval.Layer) func(*approval.Subject) map[string]any {
	return func(s *approval.Subject) map[string]any {
		id := manifest.ID{APIVersion: s.APIVersion, Kind: s.Kind, Namespace: s.Namespace, Name: s.Name}
		if live := p.Live.Object(id); live != nil || id.Namespace != "" {
			return live
		}
		id.Namespace = l.Namespace
		return p.Live.Object(id)
	}
}
