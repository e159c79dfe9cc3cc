package pairs

import (
	"maps"
	"slices"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// FromCluster returns the old side if no former revision is given: what the cluster
// has of the objects in Git, and of those that the same Applications track. It
// takes what Argo CD has applied last: from the annotation of client-side apply, or the
// fields that Argo CD manages by server-side apply. What Argo CD and vmrender have never had
// is left out, as new in Git. The second result is the number of
// objects without such a record, of which fields that Git has dropped are not seen.
func FromCluster(state, wanted []manifest.Object) (old []manifest.Object, unrecorded int) {
	l := cluster.Read(state)
	want, apps := map[cluster.Key][]byte{}, map[string]bool{"": false}
	for _, o := range wanted {
		want[cluster.KeyOf(o.ID)] = o.JSON
		if app := l.Application(o.ID); app != "" {
			apps[app] = true
		}
	}
	for _, o := range state {
		object := l.Object(o.ID)
		now, isWanted := want[cluster.KeyOf(o.ID)]
		if object == nil || !isWanted && !apps[l.Application(o.ID)] || isWanted && l.IsForeign(o.ID) {
			continue
		}
		was := cluster.Applied(object)
		if was == nil {
			unrecorded++
			was = cluster.Without(object, "status")
			if isWanted {
				was, _ = cluster.Within(was, manifest.Decode(now), nil).(manifest.Tree)
			}
		}
		if isWanted {
			was = untracked(was, manifest.Decode(now))
		}
		old = append(old, manifest.Object{ID: o.ID, JSON: []byte(manifest.Compact(was))})
	}
	return old, unrecorded
}

// untracked returns what Argo CD has applied without what it has added to what Git had,
// which Git does not have now, either.
func untracked(was, now manifest.Tree) manifest.Tree {
	out := manifest.Decode([]byte(manifest.Compact(was)))
	metadata, _ := out["metadata"].(manifest.Tree)
	for _, kind := range []string{"labels", "annotations"} {
		all, _ := metadata[kind].(manifest.Tree)
		maps.DeleteFunc(all, func(key string, _ any) bool {
			return slices.Contains(tracking, key) && manifest.At(now, "metadata", kind, key) == nil
		})
		if len(all) == 0 {
			delete(metadata, kind)
		}
	}
	return out
}
