package plan_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/status"
)

// fleetOf returns n VMs with their disks.
func fleetOf(b *testing.B, n int, memory string) []manifest.Object {
	b.Helper()
	var out []manifest.Object
	base := load(&testing.T{}, "pet")
	for i := range n {
		for _, o := range encode(&testing.T{}, base) {
			name := fmt.Sprintf("db%05d", i)
			text := strings.NewReplacer(`"db`, `"`+name, `"4Gi"`, memory).Replace(string(o.JSON))
			o.Name = strings.Replace(o.Name, "db", name, 1)
			o.JSON = []byte(text)
			out = append(out, o)
		}
	}
	return out
}

// BenchmarkPlan plans fleets of 10,000 VMs of which none, a hundred, and all change.
func BenchmarkPlan(b *testing.B) {
	const n = 10000
	was, all := fleetOf(b, n, `"4Gi"`), fleetOf(b, n, `"8Gi"`)
	for _, changed := range []int{0, 100, n} {
		now := append(append([]manifest.Object{}, all[:3*changed]...), was[3*changed:]...)
		b.Run(strconv.Itoa(changed), func(b *testing.B) {
			for b.Loop() {
				p := plan.New(was, now, plan.Options{Cluster: openshift})
				require.Equal(b, changed, p.Summary.VMs[impact.Migrate])
			}
		})
	}
}

// BenchmarkPlanLive plans a fleet of 10,000 VMs of one namespace, of which a hundred
// change, with as many VMs in the cluster.
func BenchmarkPlanLive(b *testing.B) {
	const n, changed = 10000, 100
	was, all := fleetOf(b, n, `"4Gi"`), fleetOf(b, n, `"8Gi"`)
	now := append(append([]manifest.Object{}, all[:3*changed]...), was[3*changed:]...)
	for b.Loop() {
		p := plan.New(was, now, plan.Options{Cluster: openshift, Live: was})
		require.Equal(b, changed, p.Summary.VMs[impact.Migrate])
	}
}

// BenchmarkStatus compares a fleet with a cluster that contains all of it.
func BenchmarkStatus(b *testing.B) {
	fleet := fleetOf(b, 5000, `"4Gi"`)
	for b.Loop() {
		s := status.New(fleet, openshift, fleet)
		require.Len(b, s.VMs, 5000)
	}
}
