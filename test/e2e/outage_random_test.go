package e2e_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// flock is a fleet of twenty web servers, of which four may be down.
const flock = `vms:
  web:
    replicas: 20
    disks: {root: {size: 10Gi, source: {registry: docker://registry.example.com/web, version: "1"}}}
    lifecycle: {type: cattle, maxUnavailable: 4, keepOld: 0}
`

// outageTime is how long the API server is restarted again and again. The environment
// variable OUTAGE sets another time, such as 30m.
const outageTime = time.Minute

// A rollout of twenty VMs survives an API server that is killed at random times: at the
// end, all VMs run from the new image, and never were more of them down than allowed.
func TestRolloutSurvivesAPIServer(t *testing.T) {
	length := outageTime
	if text := os.Getenv("OUTAGE"); text != "" {
		var err error
		length, err = time.ParseDuration(text)
		require.NoError(t, err)
	}
	s := newLifecycle(t, "outage-random", flock)
	before := s.instances()
	s.will(kubevirt.Instances, "", kubevirt.Wait)
	guests := s.runGuests(length / 5)
	revision := s.newImage()
	s.eventually("a restart", func() bool { return len(common(before, s.instances())) < len(before) })

	kills := s.killAtRandom(length)
	s.wait(argo.Synced(revision))
	most := guests.stop()
	t.Logf("%d kills; at most %d VMs down", kills, most)
	require.Len(t, s.changed(before, true), len(before))
	require.Positive(t, kills)
	require.Positive(t, most)
	require.LessOrEqual(t, most, 4)
	s.stands(nil)
}

// killAtRandom kills the API server and starts it again until the time is over, and returns
// how often.
func (s *scenario) killAtRandom(length time.Duration) int {
	s.Helper()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test that can be repeated
	api, end, kills := server(s.T, "kube-apiserver"), time.After(length), 0
	for {
		select {
		case <-end:
			return kills
		case <-time.After(time.Duration(random.IntN(20_000)) * time.Millisecond):
			api.Stop()
			<-time.After(time.Duration(random.IntN(5_000)) * time.Millisecond)
			require.NoError(s, api.Again(s.Context()))
			kills++
		}
	}
}

// guests plays guests that take a while to start, and counts the VMs that are down.
type guests struct {
	s      *scenario
	random *rand.Rand
	within time.Duration // that they take to start
	most   int           // down at the same time
	ends   chan struct{}
	ended  sync.WaitGroup
	due    map[string]time.Time // when a guest that starts is ready, by VM
	starts map[string]bool      // by VM: its guest completes its start
}

// runGuests plays the guests of a scenario until it is stopped.
func (s *scenario) runGuests(within time.Duration) *guests {
	g := &guests{
		s: s, within: within, ends: make(chan struct{}), due: map[string]time.Time{}, starts: map[string]bool{},
		random: rand.New(rand.NewPCG(3, 4)), //nolint:gosec // a test that can be repeated
	}
	g.ended.Go(func() {
		for {
			select {
			case <-g.ends:
				return
			case <-time.After(100 * time.Millisecond):
				g.look(s.Context())
			}
		}
	})
	return g
}

// stop ends the guests' play, and returns the most VMs that were down at the same time.
func (g *guests) stop() int {
	close(g.ends)
	g.ended.Wait()
	return g.most
}

// look looks at all VMs once, if the API server answers, and has some guests complete their
// start.
func (g *guests) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	list, err := lab.cluster.Resource(kubevirt.Instances).Namespace(g.s.name).List(ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	up := map[string]bool{}
	for i := range list.Items {
		up[list.Items[i].GetName()] = isReady(&list.Items[i])
	}
	down := 0
	for i := range 20 {
		name := fmt.Sprintf("web-%d", i)
		if !up[name] {
			down++
		}
		_, exists := up[name]
		switch due, starts := g.due[name]; {
		case up[name]:
			delete(g.due, name)
			if g.starts[name] {
				g.set(ctx, name, false)
			}
		case exists && !starts:
			g.due[name] = time.Now().Add(time.Duration(g.random.Int64N(int64(g.within))))
		case exists && time.Now().After(due):
			g.set(ctx, name, true)
		}
	}
	g.most = max(g.most, down)
}

// set sets whether a guest completes its start. The next look repeats what fails.
func (g *guests) set(ctx context.Context, name string, starts bool) {
	outcome := map[bool]kubevirt.Outcome{true: kubevirt.Done, false: kubevirt.Wait}[starts]
	if lab.kubevirt.Set(ctx, kubevirt.Instances, g.s.name, name, outcome) == nil {
		g.starts[name] = starts
	}
}
