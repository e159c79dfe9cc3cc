package plan

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// migrationNotes notes in how many waves the VMs of a plan migrate, how long that can take,
// and what is not known about the room for it.
func (p *planner) migrationNotes() {
	ids := p.migrating
	slices.SortFunc(ids, func(a, b manifest.ID) int { return a.Compare(b) })
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return
	}
	limits := p.Live.Migrations()
	if len(ids) > 1 {
		waves, longest := p.Live.Waves(ids)
		p.Note("%d VMs migrate, at most %d at a time, and %d from each node: %s; KubeVirt gives each up to %s for its "+
			"memory, and all of them together take %s at most if none is tried again",
			len(ids), limits.PerCluster, limits.PerNode, wording.Plural(waves, "wave", "waves"),
			wording.Minutes(longest), wording.Minutes(time.Duration(waves)*longest))
	}
	switch nodes := p.Live.Of(cluster.KindNode, ""); {
	case len(nodes) == 0:
		p.Note("whether other nodes have room for what migrates is unknown: the state in the cluster has no Nodes")
	case len(p.Live.ByKind["Pod"]) == 0:
		p.Note("whether other nodes have room for what migrates is known only as far as VMs use them: " +
			"the state in the cluster has no Pods")
	}
}

func divided(n, by int) int { return (n + by - 1) / by }

// inBatches describes in how many batches a rollout restarts VMs, if in more than one.
func (p *planner) inBatches(namespace string, names []string) string {
	if n := p.batches(namespace, names); n > 1 {
		return fmt.Sprintf(": %d batches or more", n)
	}
	return ""
}

// batches returns the fewest batches in which a rollout restarts VMs of a namespace: those
// of an entry that have the same maximum share it, as in package rollout.
func (p *planner) batches(namespace string, names []string) int {
	type budget struct{ rollout, entry, most string }
	of := func(vm manifest.Tree) budget {
		id := manifest.Text(vm, "metadata", "labels", labels.Rollout)
		return budget{id, cluster.Annotation(vm, labels.Entry), cluster.Annotation(vm, labels.MaxUnavailable)}
	}
	first := p.Find("kubevirt.io", "VirtualMachine", namespace, names[0])
	if first == nil {
		return 1
	}
	id := []byte(manifest.Compact(manifest.Text(manifest.Decode(first.New), "metadata", "labels", labels.Rollout)))
	restarted, all := map[budget]int{}, map[budget]int{}
	for i := range p.Pairs {
		pair := &p.Pairs[i]
		if cluster.KindOf(pair.ID) != cluster.KindVM || pair.ID.Namespace != namespace || !bytes.Contains(pair.New, id) {
			continue
		}
		b := of(manifest.Decode(pair.New))
		all[b]++
		if slices.Contains(names, pair.ID.Name) {
			restarted[b]++
		}
	}
	most := 1
	for b, n := range restarted {
		most = max(most, divided(n, unavailable(b.most, all[b])))
	}
	return most
}

// unavailable returns how many of n VMs may be unavailable, at least one.
func unavailable(most string, n int) int {
	value := intstr.Parse(strings.TrimSpace(most))
	scaled, err := intstr.GetScaledValueFromIntOrPercent(&value, n, false)
	if most == "" || err != nil {
		return 1
	}
	return max(1, scaled)
}
