package rollout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"
)

// outages are the errors that clients of an API server see while it restarts.
var outages = map[string]error{
	"401": apierrors.NewUnauthorized("no keys yet"),
	"403": apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("no roles yet")),
	"404": apierrors.NewGenericServerResponse(http.StatusNotFound, "get", schema.GroupResource{}, "", "", 0, false),
	"500": apierrors.NewInternalError(errors.New("failed calling webhook")),
	"503": apierrors.NewServiceUnavailable("etcd is away"),
	"EOF": fmt.Errorf("get https://10.0.0.1: %w", io.ErrUnexpectedEOF),
}

// A run resumes after each error of each of its requests.
func TestRolloutOutlivesEachError(t *testing.T) {
	for name, outage := range outages {
		for _, request := range []string{
			"list virtualmachines", "list datavolumes", "watch virtualmachineinstances", "get leases",
			"create leases", "update leases", "get serviceaccounts", "create events",
			"delete datavolumes",
		} {
			t.Run(request+" "+name, func(t *testing.T) {
				t.Parallel()
				p := play(t, changed("1", "a", "b")...)
				failures := p.fail(request, outage, 1)
				require.NoError(t, p.Rollout(t.Context(), web, options(new(bytes.Buffer))))
				require.Negative(t, failures.Load(), "the request is sent")
				require.Equal(t, "a b", p.asked())
				require.Equal(t, "a-root-2 b-root-2", p.names(dataVolumes))
			})
		}
	}
}

func TestRolloutOutlivesErrorsOfRestarts(t *testing.T) {
	p := play(t, changed("1", "a", "b")...)
	p.answers = []int{401, 403, 404, 409, 429, 500, 502, 503, 504}
	require.NoError(t, p.Rollout(t.Context(), web, options(new(bytes.Buffer))))
	require.Equal(t, "a b", p.asked())
}

// fail lets the first requests fail, and returns how many are still to fail.
func (p *playedCluster) fail(request string, outage error, times int32) *atomic.Int32 {
	left := new(atomic.Int32)
	left.Store(times)
	verb, resource, _ := strings.Cut(request, " ")
	if verb == "watch" {
		p.objects.PrependWatchReactor(resource, func(clienttesting.Action) (bool, watch.Interface, error) {
			return left.Add(-1) >= 0, nil, outage
		})
		return left
	}
	p.objects.PrependReactor(verb, resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		return left.Add(-1) >= 0, nil, outage
	})
	return left
}

func TestSnapshotOutlivesEachError(t *testing.T) {
	for name, outage := range outages {
		for _, request := range []string{
			"get virtualmachines", "list virtualmachinesnapshots", "create virtualmachinesnapshots",
		} {
			t.Run(request+" "+name, func(t *testing.T) {
				p := play(t, running("db"))
				finish(p, always("Succeeded"))
				failures := p.fail(request, outage, 3)
				require.NoError(t, p.Snapshot(t.Context(), []Snapshot{{"db", "2"}}, atNoon(new(bytes.Buffer))))
				require.Negative(t, failures.Load(), "the request is sent")
				require.Equal(t, "db-pre-2-", p.names(snapshots))
			})
		}
	}
}

func TestApproveOutlivesEachError(t *testing.T) {
	for name, outage := range outages {
		for _, request := range []string{
			"list installplans", "list clusterserviceversions", "patch installplans",
		} {
			t.Run(request+" "+name, func(t *testing.T) {
				client, approved := playOLM(t, pendingPlan("p", "a.v1"))
				failures := (&playedCluster{objects: client}).fail(request, outage, 3)
				o := Options{Namespace: "ops", Timeout: time.Minute, Log: new(bytes.Buffer), Tick: time.Nanosecond, Now: time.Now}
				require.NoError(t, (&Cluster{objects: client}).Approve(t.Context(), []string{"a.v1"}, o))
				require.Negative(t, failures.Load(), "the request is sent")
				require.Equal(t, []string{"p"}, approved())
			})
		}
	}
}

// What ends a run is a refusal that stays the same, or a request that never succeeds.
func TestPatience(t *testing.T) {
	refused, away := outages["403"], outages["503"]
	other := apierrors.NewUnauthorized("no")
	conflict := apierrors.NewConflict(schema.GroupResource{}, "", nil)
	type answer struct {
		after time.Duration // the one before
		err   error
	}
	for name, c := range map[string]struct {
		answers []answer
		want    string // the end; empty if there is none
	}{
		"refused once":         {[]answer{{0, refused}}, ""},
		"refused for a while":  {[]answer{{0, refused}, {refusalTime - 1, refused}}, ""},
		"refused for too long": {[]answer{{0, refused}, {refusalTime, refused}}, "; the same answer for 3m0s"},
		"allowed meanwhile":    {[]answer{{0, refused}, {time.Minute, nil}, {refusalTime, refused}}, ""},
		"another refusal":      {[]answer{{0, refused}, {time.Minute, other}, {refusalTime - 1, other}}, ""},
		"away meanwhile":       {[]answer{{0, refused}, {time.Minute, away}, {refusalTime - 1, refused}}, ""},
		"conflict meanwhile": {
			[]answer{{0, away}, {time.Minute, conflict}, {14 * time.Minute, away}}, "",
		},
		"away for a while":  {[]answer{{0, away}, {14 * time.Minute, away}}, ""},
		"away for too long": {[]answer{{0, away}, {15 * time.Minute, away}}, "; no other answer for 15m0s"},
		"never the same": {
			[]answer{{0, away}, {8 * time.Minute, refused}, {time.Minute, away}, {6 * time.Minute, refused}},
			"; no other answer for 15m0s",
		},
	} {
		t.Run(name, func(t *testing.T) {
			now := &clock{noon}
			p := newPatience(&Options{Timeout: 15 * time.Minute, Now: func() time.Time { return now.Time }})
			var last error
			for i, a := range c.answers {
				now.pass(a.after)
				last = p.judge("get leases", a.err)
				require.Equal(t, a.err == nil, last == nil)
				if i < len(c.answers)-1 {
					require.True(t, a.err == nil || isTrouble(last))
				}
				require.NoError(t, p.judge("another request", nil))
			}
			if c.want == "" {
				require.True(t, last == nil || isTrouble(last))
			} else {
				requireUnavailable(t, last, c.want)
			}
		})
	}
}

// A restart that takes place while the API server is away is not overdue when it is back,
// and what the run saw before is not a reason to restart another VM.
func TestOutageIsNoWait(t *testing.T) {
	p := play(t, changed("1", "a", "b")...)
	p.held["a"] = true
	now, o := &clock{noon}, options(new(bytes.Buffer))
	r := p.started(t, o, now)
	waits := func() bool { return r.spells["a"] != nil && r.spells["a"].what == "ready" }
	require.Eventually(t, func() bool { p.steps(t, r); return waits() }, time.Minute, time.Millisecond)
	require.Equal(t, "a", p.asked())

	r.view.instances.failing.Store(true)
	now.pass(time.Hour)
	p.steps(t, r)
	r.view.instances.failing.Store(false)
	p.steps(t, r)
	now.pass(o.Timeout - time.Second)
	p.steps(t, r)
	now.pass(time.Second)
	_, err := r.step(t.Context())
	require.ErrorContains(t, err, "a: not ready within 1m0s: ")
	require.Equal(t, "a", p.asked())
}

// A run that does not see what changes restarts nothing.
func TestRolloutRestartsNothingBlindly(t *testing.T) {
	p := play(t, changed("1", "a")...)
	r := p.started(t, options(new(bytes.Buffer)), &clock{noon})
	r.view.disks.failing.Store(true)
	for range 3 {
		p.steps(t, r)
	}
	require.Empty(t, p.asked())
	r.view.disks.failing.Store(false)
	require.Eventually(t, func() bool { p.steps(t, r); return p.asked() == "a" }, time.Minute, time.Millisecond)
}

// started returns a run that has read the cluster.
func (p *playedCluster) started(t *testing.T, o Options, c *clock) *run {
	o.Now = func() time.Time { return c.Time }
	patient := p.patient(&o)
	ctx, stop := context.WithCancelCause(t.Context())
	r, err := patient.newRun(ctx, web, o, stop)
	require.NoError(t, err)
	p.settle()
	require.Eventually(t, r.view.synced, time.Minute, time.Millisecond)
	return r
}

// steps takes one step, which must not end the rollout.
func (p *playedCluster) steps(t *testing.T, r *run) {
	done, err := r.step(t.Context())
	require.True(t, err == nil || isTrouble(err), err)
	require.False(t, done)
}
