package plan

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// migrations are KubeVirt's limits of live migrations (v1.8.4, pkg/virt-config/virt-config.go,
// with its defaults).
type migrations struct {
	perCluster, perNode int
	secondsPerGiB       int // after which KubeVirt gives a migration up
}

// migrations returns the limits that the cluster's KubeVirt object has.
func (l *live) migrations() migrations {
	m := migrations{perCluster: 5, perNode: 2, secondsPerGiB: 150}
	for _, e := range l.byKind[kindKubeVirt] {
		config := manifest.At(e.object, "spec", "configuration", "migrations")
		m.perCluster = max(1, count(manifest.At(config, "parallelMigrationsPerCluster"), m.perCluster))
		m.perNode = max(1, count(manifest.At(config, "parallelOutboundMigrationsPerNode"), m.perNode))
		m.secondsPerGiB = max(0, count(manifest.At(config, "completionTimeoutPerGiB"), m.secondsPerGiB))
	}
	return m
}

// migrationNotes notes in how many waves the VMs of a plan migrate, how long that can take,
// and what is not known about the room for it.
func (p *planner) migrationNotes() {
	ids := p.migrating
	slices.SortFunc(ids, func(a, b manifest.ID) int { return a.Compare(b) })
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return
	}
	limits := p.live.migrations()
	if len(ids) > 1 {
		waves, longest := p.waves(ids, limits)
		p.note("%d VMs migrate, at most %d at a time, and %d from each node: %s; KubeVirt gives each up to %s for its "+
			"memory, and all of them together take %s at most if none is tried again",
			len(ids), limits.perCluster, limits.perNode, plural(waves, "wave", "waves"),
			minutes(longest), minutes(time.Duration(waves)*longest))
	}
	switch nodes := p.live.of(kindNode, ""); {
	case len(nodes) == 0:
		p.note("whether other nodes have room for what migrates is unknown: the state in the cluster has no Nodes")
	case len(p.live.byKind["Pod"]) == 0:
		p.note("whether other nodes have room for what migrates is known only as far as VMs use them: " +
			"the state in the cluster has no Pods")
	}
}

// waves returns the number of waves in which VMs migrate, and how long KubeVirt waits for
// the largest of them.
func (p *planner) waves(ids []manifest.ID, limits migrations) (n int, longest time.Duration) {
	n = divided(len(ids), limits.perCluster)
	from := map[string]int{}
	for _, id := range ids {
		instance := p.live.get(kindInstance, id.Namespace, id.Name)
		if node := manifest.Text(instance, "status", "nodeName"); node != "" {
			from[node]++
			n = max(n, divided(from[node], limits.perNode))
		}
		gib := guestOf(instance).Value() >> 30
		longest = max(longest, time.Duration(max(gib, 1))*time.Duration(limits.secondsPerGiB)*time.Second)
	}
	return n, longest
}

func divided(n, by int) int { return (n + by - 1) / by }

func minutes(d time.Duration) string {
	if d >= 2*time.Hour {
		return fmt.Sprintf("%d hours", int((d+time.Hour-1)/time.Hour))
	}
	return plural(int((d+time.Minute-1)/time.Minute), "minute", "minutes")
}

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
	of := func(vm tree) budget {
		id := manifest.Text(vm, "metadata", "labels", labels.Rollout)
		return budget{id, annotation(vm, labels.Entry), annotation(vm, labels.MaxUnavailable)}
	}
	first := p.find("kubevirt.io", "VirtualMachine", namespace, names[0])
	if first == nil {
		return 1
	}
	id := []byte(compact(manifest.Text(manifest.Decode(first.new), "metadata", "labels", labels.Rollout)))
	restarted, all := map[budget]int{}, map[budget]int{}
	for i := range p.pairs {
		pair := &p.pairs[i]
		if kindOf(pair.id) != kindVM || pair.id.Namespace != namespace || !bytes.Contains(pair.new, id) {
			continue
		}
		b := of(manifest.Decode(pair.new))
		all[b]++
		if slices.Contains(names, pair.id.Name) {
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
