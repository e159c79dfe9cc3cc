package plan

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
	"github.com/vmrender/vmrender/pkg/world"
)

// The layers of a platform are Applications of their own. Git has the objects of each, also of one that Argo CD does
// not sync: what happens to an object depends on the state of its layer on both sides, and not on its text alone.

// layered is what the layers of both sides mean for the objects.
type layered struct {
	was, now *world.Layers
	// begins are the objects that are synced from now on, with their layer, and left those that stay without an
	// Application.
	begins, left map[manifest.ID]string
	// idle are the layers that change in Git and are not synced.
	idle []*idleLayer
}

// idleLayer is a layer, or all objects that are left to others, of which nothing is synced.
type idleLayer struct {
	name    string // "" for objects that are left to others
	state   world.LayerState
	changed []string // the objects that change in Git
	worst   impact.Level
}

// settleLayers takes the objects that are not synced out of the plan, and lets those begin that are synced from now on.
func (p *planner) settleLayers() {
	p.begins, p.left = map[manifest.ID]string{}, map[manifest.ID]string{}
	kept := p.Pairs[:0]
	for i := range p.Pairs {
		if pair := p.Pairs[i]; p.isSynced(&pair) {
			kept = append(kept, pair)
		}
	}
	p.Pairs = kept
}

// isSynced reports whether a sync does anything to an object, and changes its old side to what the sync meets.
func (p *planner) isSynced(pair *pairs.Pair) bool {
	layer := cmp.Or(p.layered.now.Layer(pair.ID), p.layered.was.Layer(pair.ID))
	was, now := p.state(p.layered.was, pair, pair.Old), p.state(p.layered.now, pair, pair.New)
	switch {
	case was == world.Applied && now == world.Applied:
		return true
	case was == world.Unmanaged && (now == world.Unmanaged || now == world.Gone || pair.New == nil):
		return false // no Application has it, or had it: nothing tells Argo CD to prune it
	case now == world.Gone || now == world.Unmanaged:
		pair.New = nil
		p.left[pair.ID] = layer
		return true
	case now != world.Applied:
		if pair.New != nil && isLeftToOthers(pair.New) {
			layer = ""
		}
		p.idles(layer, now, pair)
		return false
	case pair.New != nil && pair.Old != nil:
		pair.Old = nil
		p.begins[pair.ID] = layer
	}
	return true
}

// state returns whether an object is synced on a side. One that the side does not have is as the rest of its layer.
func (p *planner) state(side *world.Layers, pair *pairs.Pair, object []byte) world.LayerState {
	if object != nil && isLeftToOthers(object) {
		return world.Paused
	}
	layer := side.Layer(pair.ID)
	if object == nil {
		layer = cmp.Or(p.layered.now.Layer(pair.ID), p.layered.was.Layer(pair.ID))
	}
	return side.State(layer)
}

// isLeftToOthers reports whether Argo CD neither applies nor prunes an object.
func isLeftToOthers(object []byte) bool {
	return bytes.Contains(object, []byte(argocd.HookAnnotation+`":"`+argocd.HookSkip+`"`))
}

// idles notes an object that changes in Git and is not synced.
func (p *planner) idles(layer string, state world.LayerState, pair *pairs.Pair) {
	if pair.IsSame() {
		return
	}
	i := slices.IndexFunc(p.idle, func(l *idleLayer) bool { return l.name == layer })
	if i < 0 {
		i = len(p.idle)
		p.idle = append(p.idle, &idleLayer{name: layer, state: state})
	}
	l := p.idle[i]
	l.changed = append(l.changed, pairs.ObjectName(pair.ID))
	l.worst = max(l.worst, impact.WorstOf(p.Causes(pair)))
}

// layerNotes notes what changes in Git and is not synced.
func (p *planner) layerNotes() {
	slices.SortFunc(p.idle, func(a, b *idleLayer) int { return cmp.Compare(a.name, b.name) })
	for _, l := range p.idle {
		objects := wording.Plural(len(l.changed), "object", "objects")
		switch {
		case l.name == "":
			p.Note("%s that Argo CD leaves to others: nothing happens to %s", objects, wording.Some(l.changed))
		case l.state == world.Paused:
			p.Note("the layer %s is paused (action: Ignore): %s in Git, and nothing is synced: %s", l.name,
				changes(len(l.changed)), wording.Some(l.changed))
		default:
			p.Note("the layer %s waits for a user, because of `action: DryRun` or `approve` there or in a layer that it needs: "+
				"%s in Git, and nothing is synced; a sync of it means at worst %s (%s): %s", l.name, changes(len(l.changed)),
				l.worst, l.worst.Meaning(), wording.Some(l.changed))
		}
	}
}

func changes(n int) string {
	if n == 1 {
		return "one object changes"
	}
	return fmt.Sprintf("%d objects change", n)
}

// inLayer returns the causes of an object in the words of its layer.
func (p *planner) inLayer(pair *pairs.Pair, causes []impact.Cause) []impact.Cause {
	if layer, ok := p.left[pair.ID]; ok {
		reason := "the layer " + layer + " is no longer one of the platform's: its Application goes without its objects"
		return []impact.Cause{{
			Level: impact.Left, Code: "left", Reason: reason + ", which nothing manages from now on",
			Advice: "to remove them, delete them in the cluster after the sync",
		}}
	}
	layer, ok := p.begins[pair.ID]
	if !ok {
		return causes
	}
	for i := range causes {
		c := &causes[i]
		c.Reason = fmt.Sprintf("%s is synced from this commit on: %s", subjectOf(layer), c.Reason)
		if p.Live == nil {
			c.Approximate = "whether the cluster has it already"
		}
	}
	return causes
}

func subjectOf(layer string) string {
	if layer == "" {
		return "the object"
	}
	return "the layer " + layer
}
