package rollout

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

// clock is a clock that a test sets.
type clock struct{ time.Time }

func (c *clock) pass(d time.Duration) { c.Time = c.Add(d) }

func (p *playedCluster) leaseOf(holder string, c *clock) *lease {
	o := &Options{Namespace: "prod", Timeout: time.Minute, Now: func() time.Time { return c.Time }}
	return p.patient(o).newLease(o, "web-rollout", holder)
}

func (p *playedCluster) lease() *coordinationv1.Lease {
	l, err := get[coordinationv1.Lease](context.Background(), p.Cluster, leases, "prod", p.names(leases))
	require.NoError(p.t, err)
	return l
}

// gets reports whether a run gets the Lease. If the Lease has to be created, that takes
// two steps.
func (l *lease) gets(t *testing.T) bool {
	t.Helper()
	for range 2 {
		held, err := l.hold(t.Context())
		require.NoError(t, err)
		if held {
			return true
		}
	}
	return false
}

// A Lease has one holder, which renews it. Another run gets it when it is released or has
// not been renewed for some time.
func TestLease(t *testing.T) {
	p := play(t)
	p.put(serviceAccounts, "v1", "ServiceAccount", &corev1.ServiceAccount{
		ObjectMeta: metav1.ObjectMeta{Name: "web-rollout", Namespace: "prod", UID: "u"},
	})
	now := &clock{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	a, b := p.leaseOf("a", now), p.leaseOf("b", now)
	require.True(t, a.gets(t))
	require.False(t, b.gets(t))
	require.Equal(t, "a", b.other())
	require.Equal(t, []metav1.OwnerReference{{APIVersion: "v1", Kind: "ServiceAccount", Name: "web-rollout", UID: "u"}},
		p.lease().OwnerReferences, "it is deleted with the last VM that rolls out")

	for range 5 {
		now.pass(leaseTime - time.Second)
		require.True(t, a.gets(t))
		require.False(t, b.gets(t), "it is renewed in time")
	}
	now.pass(leaseTime)
	require.True(t, b.gets(t), "a has renewed nothing")
	require.False(t, a.gets(t))
	b.release(t.Context())
	require.True(t, a.gets(t))
}

// A rollout on a node whose clock is wrong resumes after one that has died with the Lease, and
// after one that runs on: no run believes the time of another one.
func TestRolloutWithAnotherClock(t *testing.T) {
	for _, skew := range []time.Duration{-24 * time.Hour, -time.Hour, time.Hour, 24 * time.Hour} {
		t.Run(skew.String(), func(t *testing.T) {
			p := play(t, changed("1", "a", "b")...)
			theirs := &clock{noon.Add(skew)}
			dead, now := p.leaseOf("dead", theirs), &clock{noon}
			require.True(t, dead.gets(t))
			r := p.started(t, options(new(bytes.Buffer)), now)
			for range 5 {
				p.steps(t, r)
				require.Empty(t, p.asked(), "it may still run")
				theirs.pass(renewTime)
				require.True(t, dead.gets(t))
				now.pass(leaseTime - time.Second)
			}
			p.steps(t, r)
			now.pass(leaseTime)
			require.Eventually(t, func() bool {
				done, err := r.step(t.Context())
				require.NoError(t, err)
				return done
			}, time.Minute, time.Millisecond)
			require.Equal(t, "a b", p.asked())
		})
	}
}

// A run that cannot renew its Lease stops acting before another run may take it.
func TestLeaseCannotBeRenewed(t *testing.T) {
	p := play(t)
	now := &clock{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	a := p.leaseOf("a", now)
	require.True(t, a.gets(t))
	p.objects.PrependReactor("*", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewServiceUnavailable("etcd is away")
	})
	now.pass(renewTime)
	held, err := a.hold(t.Context())
	require.ErrorContains(t, err, "etcd is away")
	require.True(t, held)
	now.pass(renewTime)
	held, err = a.hold(t.Context())
	require.ErrorContains(t, err, "etcd is away")
	require.False(t, held)
}

// A run that pauses for long between two restarts, in which another run has taken its
// Lease, requests no further one.
func TestLeaseIsCheckedBeforeEachRestart(t *testing.T) {
	p := play(t, changed("2", "a", "b")...)
	now := &clock{noon}
	r, other := p.started(t, options(new(bytes.Buffer)), now), p.leaseOf("other", now)
	p.asking = func() {
		require.False(t, other.gets(t), "it is held")
		now.pass(leaseTime)
		require.True(t, other.gets(t))
	}
	require.Eventually(t, func() bool { p.steps(t, r); return p.asked() != "" }, time.Minute, time.Millisecond)
	p.asking = nil
	p.steps(t, r)
	require.Len(t, strings.Fields(p.asked()), 1)
}

// A rollout waits for the running one.
func TestRolloutWaitsForAnother(t *testing.T) {
	p := play(t, changed("1", "a")...)
	other := p.leaseOf("other", &clock{time.Now()})
	require.True(t, other.gets(t))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var log bytes.Buffer
	ended := make(chan error, 1)
	ticks := 0
	o := options(&log)
	o.Now = func() time.Time {
		if ticks++; ticks == 100 {
			other.release(ctx)
		}
		return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	go func() { ended <- p.Rollout(ctx, web, o) }()
	require.NoError(t, <-ended)
	require.Contains(t, log.String(), "waiting for another run: other\n")
	require.Equal(t, "a", p.asked())
	require.Empty(t, *p.lease().Spec.HolderIdentity, "it is released at the end")
}
