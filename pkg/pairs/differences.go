package pairs

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/flux"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// Differences returns the fields of an object in which the cluster differs from Git: those
// that are as Git has them in what Argo CD has applied last were changed in the cluster
// since, and all others wait for a sync.
func (p *Set) Differences(pair *Pair) (drift, pending []impact.FieldStatus) {
	object := p.Live.Object(pair.ID)
	if object == nil || p.IsUnseen(pair) {
		return nil, nil
	}
	was := cluster.Applied(object)
	if was != nil {
		was = cluster.WithRunStrategy(was)
	}
	s := p.compared(pair, was)
	for _, c := range impact.Changes(s) {
		if impact.IsCosmetic(&c) || isTracking(&c) {
			continue
		}
		f := s.Field(&c)
		f.By, f.At = cluster.AuthorOf(object, c.Path)
		if isChanged(object, was, &c, f.By) {
			drift = append(drift, f)
		} else {
			f.By, f.At = "", ""
			pending = append(pending, f)
		}
	}
	return impact.CompactFields(drift), impact.CompactFields(pending)
}

// compared returns a VM or another object of Git with what the cluster has of its
// fields as the old side. Was is what Argo CD has applied last, or nil.
func (p *Set) compared(pair *Pair, was manifest.Tree) *impact.Subject {
	now := cluster.WithRunStrategy(manifest.Decode(pair.New))
	before := p.before(pair.ID, cluster.WithRunStrategy(p.Live.Object(pair.ID)), was, now)
	for _, pointer := range p.Live.Overlooked(pair.ID) {
		settle(before, now, pointer)
	}
	return &impact.Subject{ID: pair.ID, Old: before, New: now, Cluster: p.Cluster, State: p.Live}
}

// isChanged reports whether a field differs because the cluster was changed: it is as Git has
// it in what Argo CD has applied last. By server-side apply, and without a record, who else owns
// the field has changed it: Argo CD gives up the fields that others change.
func isChanged(object, was manifest.Tree, c *diff.Change, by string) bool {
	last := valueAt(was, c.Path)
	if was != nil && diff.Equal(c.Path, last, c.Now) {
		return true
	}
	return by != "" && last == nil && cluster.Annotation(object, cluster.LastApplied) == ""
}

// isTracking reports whether a field is one that Argo CD, Flux or kubectl adds to what Git has, or one
// that depends on the Application that Git is rendered for, whose name is not known here.
func isTracking(c *diff.Change) bool {
	if len(c.Path) != 3 || c.Path[0] != "metadata" {
		return false
	}
	return c.Path[2] == labels.Rollout && c.Was != nil && c.Now != nil || slices.Contains(tracking, c.Path[2])
}

// tracking are the labels and annotations that Argo CD, Flux or kubectl adds to what Git has.
var tracking = []string{
	argocd.TrackingAnnotation, argocd.AnnotationPrefix + "installation-id", "app.kubernetes.io/instance",
	cluster.LastApplied, flux.NameLabel, flux.NamespaceLabel,
}

// valueAt returns the value at the path of a change; of an order, the names of the entries.
func valueAt(object manifest.Tree, path []string) any {
	if last := len(path) - 1; path[last] == diff.Order {
		return diff.Joined(manifest.List(object, path[:last]...))
	}
	return manifest.At(object, path...)
}
