package plan

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// An object that is new in Git can be in the cluster already. If the sync only puts marks
// on it (see isMark), it adopts the object: nothing happens to it.
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

// isAdopted reports whether a cause of an object that is new in Git, and in the cluster, is
// only that vmrender and Argo CD mark it as theirs.
func (s *subject) isAdopted(c *change, of *Cause) bool {
	return s.takenOver && isMark(c) && of.Level <= Metadata && !of.Warning
}

// isMark reports whether a change adds a label or an annotation that vmrender and Argo CD
// put on objects. One that has another value there belongs to another tool.
func isMark(c *change) bool {
	if c.was != nil || len(c.path) != 3 || c.path[0] != "metadata" {
		return false
	}
	key := c.path[2]
	switch c.path[1] {
	case "labels":
		return key == "app" || key == labels.ManagedBy || key == labelProtected || labels.IsReserved(key)
	case "annotations":
		return strings.HasPrefix(key, argocd.AnnotationPrefix) || labels.IsReserved(key)
	}
	return false
}

// takenOver reports that a VM that is new in Git exists in the cluster, next to the causes
// found, which are the changes.
func (p *planner) takenOver(s *subject, found []Cause) []Cause {
	var out []Cause
	if p.runningStays(s) {
		out = append(out, twoRunStrategies(s))
	}
	if manifest.Text(s.inCluster, "metadata", "deletionTimestamp") != "" {
		out = append(out, goneSoon)
	}
	isEffect := func(c Cause) bool { return c.Level > Create }
	app := p.live.application(s.id)
	switch {
	case app != "":
		return append(out, trackedBy(app))
	case slices.ContainsFunc(out, isEffect) || slices.ContainsFunc(found, isEffect):
		return append(out, changedByAdoption)
	}
	return append(out, takenAsItIs)
}

// CodeAdopted is the code of the cause of a VM that is adopted.
const CodeAdopted Code = "taken-as-it-is"

// The causes of a VM that is new in Git, and in the cluster.
var (
	goneSoon = Cause{
		Level: Recreate, Code: "in-flight", Warning: true,
		Reason: "the VM in the cluster is being deleted: when it is gone, the sync creates a new one",
		Advice: "wait until it is gone, and check which of its disks remain",
	}
	changedByAdoption = Cause{
		Level: Metadata, Code: "taken-over",
		Reason: "the VM is in the cluster already: the sync adopts it, and changes it to the state in Git",
	}
	takenAsItIs = Cause{
		Level: None, Code: CodeAdopted,
		Reason: "the VM is in the cluster already, as Git has it: the sync adopts it without a change",
	}
)

// trackedBy returns the cause of a VM that another Application tracks.
func trackedBy(app string) Cause {
	return Cause{
		Level: Metadata, Code: "taken-over", Warning: true,
		Reason: fmt.Sprintf("the VM is in the cluster already, where the Application %s tracks it: "+
			"with FailOnSharedResource=true no other Application takes it, "+
			"and as soon as Git there no longer has it, that Application deletes it", app),
		Advice: "keep the VM in one Application, or move it as described in docs/how-to/move-vms.md",
	}
}

// twoRunStrategies returns the cause of a VM that would have both forms of a run strategy.
func twoRunStrategies(s *subject) Cause {
	return Cause{
		Path: "spec.runStrategy", Key: "runStrategy", Level: Refused, Code: "running-stays",
		Reason: "the VM in the cluster has spec.running, which a sync does not remove, and KubeVirt rejects both keys",
		Advice: fmt.Sprintf("first replace it with its newer form, which changes nothing else: "+
			`kubectl patch virtualmachine %s --namespace %s --type merge `+
			`--patch '{"spec":{"running":null,"runStrategy":"%s"}}'`, s.id.Name, s.id.Namespace, world.RunStrategy(s.inCluster)),
	}
}

// runningStays reports whether a VM in the cluster has the older form of a run
// strategy, and keeps it although Git has the newer one: a sync takes away only what kubectl
// apply has set.
func (p *planner) runningStays(s *subject) bool {
	now := manifest.Decode(p.byKey[keyOf(s.id)].new)
	return manifest.At(s.inCluster, "spec", "running") != nil && manifest.At(now, "spec", "runStrategy") != nil &&
		manifest.At(applied(s.inCluster), "spec", "running") == nil
}

// isForeign reports whether neither Argo CD nor vmrender has had an object in the cluster.
func (l *live) isForeign(id manifest.ID) bool {
	object := l.object(id)
	isArgoCD := func(m any) bool { return strings.HasPrefix(manifest.Text(m, "manager"), "argocd") }
	return l.application(id) == "" && !isRendered(object) &&
		!slices.ContainsFunc(manifest.List(object, "metadata", "managedFields"), isArgoCD)
}

// toAdopt returns what the cluster has of an object that Git has had not yet: the fields
// that Git has now, or that kubectl apply has set. Lists count as a whole.
func toAdopt(object, now tree) tree {
	before, _ := fieldsOf(object, applied(object), now).(tree)
	spec, _ := before["spec"].(tree)
	if running := manifest.At(object, "spec", "running"); running != nil && spec != nil {
		spec["running"] = running
	}
	return before
}

// fieldsOf returns of a value the fields that one of two others has, but all of a list.
func fieldsOf(v, a, b any) any {
	t, isTree := v.(tree)
	x, isA := a.(tree)
	y, isB := b.(tree)
	if !isTree || !isA && !isB {
		return v
	}
	out := tree{}
	for k, value := range t {
		_, inA := x[k]
		if _, inB := y[k]; inA || inB {
			out[k] = fieldsOf(value, x[k], y[k])
		}
	}
	return out
}

// adoptSecret uses a Secret in the cluster as the old side of one that is new in Git.
func (p *planner) adoptSecret(pair *pair) {
	secret := p.live.secrets[keyOf(pair.id)]
	if secret == nil || pair.old != nil || pair.new == nil {
		return
	}
	now := storedSecret(manifest.Decode(pair.new))
	pair.old, pair.new, pair.takenOver = []byte(compact(toAdopt(storedSecret(secret), now))), []byte(compact(now)), true
}

// storedSecret returns a Secret as the API server stores it (Kubernetes v1.34,
// pkg/apis/core/v1/conversion.go): stringData becomes data.
func storedSecret(secret tree) tree {
	plain, ok := secret["stringData"].(tree)
	if !ok {
		return secret
	}
	out := without(secret, "stringData")
	data, _ := secret["data"].(tree)
	data = maps.Clone(data)
	if data == nil {
		data = tree{}
	}
	for key, value := range plain {
		s, _ := value.(string)
		data[key] = base64.StdEncoding.EncodeToString([]byte(s))
	}
	out["data"] = data
	return out
}
