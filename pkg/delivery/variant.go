package delivery

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
)

// difference is something in which an Application differs from the plain one for its directory.
type difference struct {
	kind, value string
	word        string // for users
}

// differences returns how an Application differs from the plain one, apart from what only a name set by --name can
// show. overlays are paths in the repository.
func (p *Plan) differences(overlays []string) []difference {
	o := &p.options
	var all []difference
	add := func(kind, value, word string) {
		if value != "" {
			all = append(all, difference{kind, value, word})
		}
	}
	add("namespace", o.Fleet.Namespace, o.Fleet.Namespace)
	for _, overlay := range overlays {
		add("overlay", overlay, strings.TrimSuffix(path.Base(overlay), path.Ext(overlay)))
	}
	add("cluster", o.Cluster, o.Cluster)
	for _, label := range slices.Sorted(slices.Values(o.Clusters)) {
		add("clusters", label, label)
	}
	if o.ClusterOverlays != "" {
		if dir, err := p.repo.path(o.ClusterOverlays); err == nil { // spread reports the error
			add("cluster-overlays", dir, "")
		}
	}
	return all
}

// variant returns the end of a name: a word for each difference, and a hash of all of them, because an overlay, a
// cluster and a namespace can have the same word. It is empty if there are no differences.
func variant(all []difference) string {
	if len(all) == 0 {
		return ""
	}
	hash, words := sha256.New(), make([]string, 0, len(all)+1)
	for _, d := range all {
		_, _ = hash.Write([]byte(d.kind + "\x00" + d.value + "\x00")) // never fails
		if word := normalize(d.word); word != "" {
			words = append(words, word)
		}
	}
	words = append(words, hex.EncodeToString(hash.Sum(nil)[:4]))
	return "-" + strings.Join(words, "-")
}
