package writeback

import (
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// tree is a decoded JSON object; see [manifest.Decode].
type tree = manifest.Tree

// filledIn are the fields that KubeVirt and the programs around it fill in: if Git is silent
// about them, the cluster's value is not a manual change.
var filledIn = [][]string{
	{"spec", "template", "spec", "domain", "machine"},            // kubevirt/kubevirt v1.8.4, pkg/defaults/defaults.go
	{"spec", "template", "spec", "domain", "firmware", "uuid"},   // there, pkg/virt-controller/watch/vm/firmware.go
	{"spec", "template", "spec", "domain", "firmware", "serial"}, // there
	{"spec", "instancetype", "kind"},                             // there, pkg/instancetype/webhooks/vm
	{"spec", "instancetype", "revisionName"},                     // there
	{"spec", "preference", "kind"},
	{"spec", "preference", "revisionName"},
	{"metadata", "labels", argocd.InstanceLabel},                        // Argo CD, if it tracks by labels
	{"metadata", "annotations", "kubemacpool.io/transaction-timestamp"}, // k8snetworkplumbingwg/kubemacpool
}

// wanted returns the VM that Git should have: the live one, but with the fleet's value
// for a field that is still as it was applied, that a program has filled in, or that is about
// the fleet itself.
func wanted(l, rendered *draft.Live) (*draft.Live, error) {
	o, err := manifest.New(wantedTree(l, l.Object(), rendered.Tree))
	if err != nil {
		return nil, err
	}
	out, err := draft.ReadUncounted(o, l.Namespace)
	if err == nil {
		out.JSON, out.Unknown = l.JSON, l.Unknown
	}
	return out, err
}

// wantedTree returns the tree of [wanted], which is not normal yet. object is what the cluster has of the VM, and git
// the tree of what is rendered.
func wantedTree(l *draft.Live, object, git tree) tree {
	var base any
	if text := manifest.Text(object, "metadata", "annotations", corev1.LastAppliedConfigAnnotation); text != "" {
		o := manifest.Object{ID: l.ID, JSON: []byte(text)}
		if was, err := draft.ReadUncounted(o, l.Namespace); err == nil {
			base = was.Tree
		}
	}
	t := rebased(base, l.Tree, git).(tree)
	if base == nil {
		w := writersOf(object)
		w.synced(t, git)
	}
	for _, path := range filledIn {
		if draft.Reach(git, path) == nil {
			removeAt(t, path)
		}
	}
	fillNICs(t, git)
	keepAdded(t, git)
	return t
}

// rebased returns a value of the cluster; if it is what was applied, the value of Git,
// which is newer. Without base, nothing is known of what was applied.
func rebased(base, live, git any) any {
	b, isBase := base.(tree)
	l, isLive := live.(tree)
	g, isGit := git.(tree)
	switch {
	case base == nil:
		return live
	case reflect.DeepEqual(base, live):
		return git
	case !isBase || !isLive || !isGit:
		return live
	}
	out := tree{}
	for key, v := range l {
		if v = rebased(b[key], v, g[key]); v != nil {
			out[key] = v
		}
	}
	for key, now := range g {
		if _, inLive := l[key]; !inLive && b[key] == nil {
			out[key] = now // new in Git
		}
	}
	return out
}

// removeAt removes a key at a path, and the maps that are left empty.
func removeAt(t tree, path []string) {
	if len(path) == 1 {
		delete(t, path[0])
		return
	}
	below, ok := t[path[0]].(tree)
	if !ok {
		return
	}
	if removeAt(below, path[1:]); len(below) == 0 {
		delete(t, path[0])
	}
}

// fillNICs removes the addresses that KubeMacPool assigned to NICs from a VM.
func fillNICs(t, rendered tree) {
	for _, item := range manifest.List(t, draft.PathNICs...) {
		nic, ok := item.(tree)
		if !ok {
			continue
		}
		named := func(v any) bool { return manifest.EntryName(v) == manifest.EntryName(nic) }
		git := manifest.List(rendered, draft.PathNICs...)
		if i := slices.IndexFunc(git, named); i >= 0 && manifest.Text(git[i], "macAddress") == "" {
			delete(nic, "macAddress")
		}
	}
}

// keepAdded sets the labels that package render adds to a VM to those of Git.
func keepAdded(t, rendered tree) {
	git := manifest.Map(rendered, "metadata", "labels")
	for _, key := range draft.AddedLabels {
		if value, ok := git[key]; ok {
			manifestMap(t, "metadata", "labels")[key] = value
		} else {
			removeAt(t, []string{"metadata", "labels", key})
		}
	}
}

// manifestMap returns the map at a path of a tree, which it creates if there is none.
func manifestMap(t tree, path ...string) tree {
	for _, key := range path {
		below, ok := t[key].(tree)
		if !ok {
			below = tree{}
			t[key] = below
		}
		t = below
	}
	return t
}
