package pairs

import (
	"encoding/base64"
	"maps"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// An object that is new in Git can be in the cluster already. If the sync only puts marks
// on it, it adopts the object: nothing happens to it.
//
// How Git and the cluster are compared follows what Argo CD does to an object that it has
// never applied. An object of kubectl apply it applies client-side first, also for
// server-side apply (Argo CD v3.2.11, gitops-engine, pkg/sync/sync_context.go, applyObject;
// Kubernetes v1.34, kubectl, pkg/cmd/apply/patcher.go):
//
//	field                                          | in the cluster, not in Git
//	-----------------------------------------------|----------------------------------------
//	of a map                                       | stays: many are set by the API server,
//	                                               | webhooks and controllers
//	of a map, which kubectl apply has set          | goes: it is in last-applied-configuration
//	of an entry of a list, or such an entry        | goes: Git's list replaces the other
//	`running`, where Git has `runStrategy`         | stays, and KubeVirt refuses both
//	null                                           | is the same as no field
//	quantities, such as 4Gi and 4096Mi             | are compared as numbers
//	stringData of a Secret in Git                  | is compared with data, which it becomes

// toAdopt returns what the cluster has of an object that Git has had not yet: the fields
// that Git has now, or that kubectl apply has set. Lists count as a whole.
func toAdopt(object, now manifest.Tree) manifest.Tree {
	before, _ := fieldsOf(object, cluster.Applied(object), now).(manifest.Tree)
	spec, _ := before["spec"].(manifest.Tree)
	if running := manifest.At(object, "spec", "running"); running != nil && spec != nil {
		spec["running"] = running
	}
	return before
}

// fieldsOf returns of a value the fields that one of two others has, but all of a list.
func fieldsOf(v, a, b any) any {
	t, isTree := v.(manifest.Tree)
	x, isA := a.(manifest.Tree)
	y, isB := b.(manifest.Tree)
	if !isTree || !isA && !isB {
		return v
	}
	out := manifest.Tree{}
	for k, value := range t {
		_, inA := x[k]
		if _, inB := y[k]; inA || inB {
			out[k] = fieldsOf(value, x[k], y[k])
		}
	}
	return out
}

// adoptSecret uses a Secret in the cluster as the old side of one that is new in Git.
func (p *Set) adoptSecret(pair *Pair) {
	secret := p.Live.Secrets[cluster.KeyOf(pair.ID)]
	if secret == nil || pair.Old != nil || pair.New == nil {
		return
	}
	now := storedSecret(manifest.Decode(pair.New))
	pair.Old = []byte(manifest.Compact(toAdopt(storedSecret(secret), now)))
	pair.New, pair.takenOver = []byte(manifest.Compact(now)), true
}

// storedSecret returns a Secret as the API server stores it (Kubernetes v1.34,
// pkg/apis/core/v1/conversion.go): stringData becomes data.
func storedSecret(secret manifest.Tree) manifest.Tree {
	plain, ok := secret["stringData"].(manifest.Tree)
	if !ok {
		return secret
	}
	out := cluster.Without(secret, "stringData")
	data, _ := secret["data"].(manifest.Tree)
	data = maps.Clone(data)
	if data == nil {
		data = manifest.Tree{}
	}
	for key, value := range plain {
		s, _ := value.(string)
		data[key] = base64.StdEncoding.EncodeToString([]byte(s))
	}
	out["data"] = data
	return out
}
