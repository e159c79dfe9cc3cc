package cluster

import (
	"time"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// Migrations are KubeVirt's limits of live migrations (v1.8.4, pkg/virt-config/virt-config.go,
// with its defaults).
type Migrations struct {
	PerCluster, PerNode int
	SecondsPerGiB       int // after which KubeVirt gives a migration up
}

// Migrations returns the limits that the cluster's KubeVirt object has.
func (l *State) Migrations() Migrations {
	m := Migrations{PerCluster: 5, PerNode: 2, SecondsPerGiB: 150}
	for _, e := range l.ByKind[KindKubeVirt] {
		config := manifest.At(e.Object, "spec", "configuration", "migrations")
		m.PerCluster = max(1, quantities.Count(manifest.At(config, "parallelMigrationsPerCluster"), m.PerCluster))
		m.PerNode = max(1, quantities.Count(manifest.At(config, "parallelOutboundMigrationsPerNode"), m.PerNode))
		m.SecondsPerGiB = max(0, quantities.Count(manifest.At(config, "completionTimeoutPerGiB"), m.SecondsPerGiB))
	}
	return m
}

// Waves returns the number of waves in which VMs migrate, and how long KubeVirt waits for
// the largest of them.
func (l *State) Waves(vms []manifest.ID) (n int, longest time.Duration) {
	limits := l.Migrations()
	divided := func(n, by int) int { return (n + by - 1) / by }
	n = divided(len(vms), limits.PerCluster)
	from := map[string]int{}
	for _, id := range vms {
		instance := l.Get(KindInstance, id.Namespace, id.Name)
		if node := manifest.Text(instance, "status", "nodeName"); node != "" {
			from[node]++
			n = max(n, divided(from[node], limits.PerNode))
		}
		gib := GuestOf(instance).Value() >> 30
		longest = max(longest, time.Duration(max(gib, 1))*time.Duration(limits.SecondsPerGiB)*time.Second)
	}
	return n, longest
}
