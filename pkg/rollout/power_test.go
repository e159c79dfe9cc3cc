package rollout

import (
	"bytes"
	"context"
	"net/http"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
)

// powered returns a pet that a schedule stops and starts.
func powered(name string, change ...func(*machine)) *machine {
	m := running(name)
	pet(m)
	strategy(kubevirtv1.RunStrategyRerunOnFailure)(m)
	for _, c := range change {
		c(m)
	}
	return m
}

// isOff makes a VM one that a user has stopped, or its guest.
func isOff(m *machine) {
	m.instance, m.Status.Created = nil, false
	m.Status.PrintableStatus = kubevirtv1.VirtualMachineStatusStopped
	notReady(m)
}

func inWave(wave string) func(*machine) {
	return func(m *machine) { m.Annotations[argocd.SyncWaveAnnotation] = wave }
}

// night returns a simulated cluster with VMs, and their runs.
func night(t *testing.T, all ...*machine) (*playedCluster, func(on bool, log *bytes.Buffer) error) {
	p := play(t, all...)
	p.runs = 0 // nothing is watched
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	now := noon
	return p, func(on bool, log *bytes.Buffer) error {
		o := options(log)
		o.Now = func() time.Time { now = now.Add(time.Second); return now }
		o.Timeout = time.Hour
		return p.Power(t.Context(), Power{ID: "f-1a2b3c4d-power", Holder: "test", Off: !on, Machines: names}, o)
	}
}

// told returns the Events about VMs, by type and reason.
func (p *playedCluster) told(name string) string {
	list, err := p.objects.Resource(events).Namespace("prod").List(context.Background(), metav1.ListOptions{})
	require.NoError(p.t, err)
	var all []corev1.Event
	for i := range list.Items {
		e, err := get[corev1.Event](context.Background(), p.Cluster, events, "prod", list.Items[i].GetName())
		require.NoError(p.t, err)
		if e.InvolvedObject.Name == name {
			all = append(all, *e)
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].FirstTimestamp.Before(&all[j].FirstTimestamp) })
	var out []string
	for i := range all {
		out = append(out, all[i].Type+" "+all[i].Reason)
	}
	return strings.Join(out, ", ")
}

// The VMs of a higher wave depend on those of a lower one: they are stopped before, and started after.
func TestPowerFollowsTheWaves(t *testing.T) {
	p, run := night(t, powered("app", inWave("1")), powered("db"), powered("web", inWave("2")), powered("cache"))
	var log bytes.Buffer
	require.NoError(t, run(false, &log))
	require.Equal(t, "stop:web stop:app stop:db stop:cache", p.asked())
	require.Contains(t, log.String(), "web: stopping it on schedule\nweb: stopped\napp: stopping")
	require.Equal(t, "Normal PowerOff", p.told("db"))

	p.restarts = nil
	require.NoError(t, run(true, &log))
	require.Equal(t, "start:db start:cache start:app start:web", p.asked())
	require.Equal(t, "Normal PowerOff, Normal PowerOn", p.told("db"))
	require.Equal(t, kubevirtv1.RunStrategyRerunOnFailure, *p.machine("db").Spec.RunStrategy)

	p.restarts = nil
	require.NoError(t, run(true, &log))
	require.Empty(t, p.asked(), "a second run has nothing to do")
	require.Contains(t, log.String(), "db: was running already\n")
}

// What a user has started or stopped is stopped and started again, and an Event says that it was not the schedule.
func TestPowerSaysThatAUserWasThere(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(*testing.T, *playedCluster, func(on bool))
		want string
	}{
		"started while it is off": {func(_ *testing.T, p *playedCluster, run func(bool)) {
			run(false)
			p.start("db")
			run(false)
		}, "Normal PowerOff, Warning PowerOffOverride"},
		"started while it is off, and on by the schedule since": {func(_ *testing.T, p *playedCluster, run func(bool)) {
			run(false)
			p.start("db")
			run(true)
			run(false)
		}, "Normal PowerOff, Normal PowerOff"},
		"stopped while it is on": {func(_ *testing.T, p *playedCluster, run func(bool)) {
			p.stop("db")
			p.stopped("db")
			run(false)
			run(true)
		}, "Warning PowerOnOverride"},
		"stopped while it is on, then started while it is off": {func(_ *testing.T, p *playedCluster, run func(bool)) {
			p.stop("db")
			p.stopped("db")
			run(false)
			p.start("db")
			run(false)
		}, "Warning PowerOffOverride"},
		"stopped, with times to start it only": {func(_ *testing.T, p *playedCluster, run func(bool)) {
			run(true)
			p.stop("db")
			p.stopped("db")
			run(true)
		}, "Warning PowerOnOverride"},
		"off for two nights": {func(_ *testing.T, _ *playedCluster, run func(bool)) {
			run(false)
			run(false)
			run(true)
		}, "Normal PowerOff, Normal PowerOn"},
		"with a request that is refused at first": {func(_ *testing.T, p *playedCluster, run func(bool)) {
			p.answers = []int{http.StatusInternalServerError}
			run(false)
			p.answers = []int{http.StatusConflict}
			run(true)
		}, "Normal PowerOff, Normal PowerOn"},
	} {
		t.Run(name, func(t *testing.T) {
			p, run := night(t, powered("db"))
			var log bytes.Buffer
			c.do(t, p, func(on bool) { require.NoError(t, run(on, &log)) })
			require.Equal(t, c.want, p.told("db"), log.String())
		})
	}
}

func TestPowerLeavesAlone(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*machine)
		on     bool
		said   string
		told   string
	}{
		"a VM whose run strategy a stop would change": {
			strategy(kubevirtv1.RunStrategyAlways), false,
			"db: left alone: its run strategy in the cluster is Always, which a stop or start would change\n",
			"Warning PowerSkipped",
		},
		"a halted VM that is to start": {
			func(m *machine) { isOff(m); strategy(kubevirtv1.RunStrategyHalted)(m) }, true,
			"db: left alone: its run strategy in the cluster is Halted, which a stop or start would change\n",
			"Warning PowerSkipped",
		},
		"a halted VM that is to stop": {
			func(m *machine) { isOff(m); strategy(kubevirtv1.RunStrategyHalted)(m) }, false, "db: was off already\n", "",
		},
		"a paused VM": {
			func(m *machine) { set(m, kubevirtv1.VirtualMachinePaused, corev1.ConditionTrue) }, false,
			"db: left alone: it is paused, so its guest could not shut down\n", "Warning PowerSkipped",
		},
		"a VM with incomplete disks": {
			func(m *machine) {
				isOff(m)
				set(m, kubevirtv1.VirtualMachineManualRecoveryRequired, corev1.ConditionTrue)
			}, true,
			"db: left alone: a copy of its disks was interrupted\n",
			"Warning PowerSkipped",
		},
		"a VM that is being deleted": {
			func(m *machine) { m.DeletionTimestamp = new(metav1.Now()) }, false, "db: being deleted\n", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, run := night(t, powered("db", c.change))
			var log bytes.Buffer
			require.NoError(t, run(c.on, &log))
			require.Empty(t, p.asked())
			require.Equal(t, c.said, log.String())
			require.Equal(t, c.told, p.told("db"))
		})
	}
}

// One that does not stop in time holds back neither the others of its wave nor those of later ones.
func TestPowerFailsInTheEnd(t *testing.T) {
	p, run := night(t, powered("app", inWave("1")), powered("web", inWave("1")), powered("db"))
	p.held["app"] = true
	var log bytes.Buffer
	require.EqualError(t, run(false, &log), "app: not stopped within 1h0m0s: waiting: Running")
	require.Equal(t, "stop:app stop:web stop:db", p.asked())
	require.Equal(t, "Normal PowerOff, Warning PowerFailed", p.told("app"))
	require.Equal(t, "db=stopped web=stopped", p.lease().Annotations[labels.Powered], "app runs")
}

// A VM that migrates, or whose disks are being copied, is stopped when that is done.
func TestPowerWaitsForCopies(t *testing.T) {
	m := powered("db", func(m *machine) {
		m.instance.Status.MigrationState = &kubevirtv1.VirtualMachineInstanceMigrationState{}
	})
	next, text := new(Power{Off: true}).next(m, false)
	require.Equal(t, await, next)
	require.Equal(t, "waiting: it is migrating", text)
	m.instance.Status.MigrationState.Completed = true
	next, _ = new(Power{Off: true}).next(m, false)
	require.Equal(t, take, next)
}

// With Manual, KubeVirt keeps an instance that has failed: the VM is off, and can be started.
func TestPowerOfAFailedInstance(t *testing.T) {
	for s, want := range map[kubevirtv1.VirtualMachineRunStrategy]map[bool]step{
		kubevirtv1.RunStrategyManual:         {false: taken, true: take},
		kubevirtv1.RunStrategyRerunOnFailure: {false: await, true: taken},
	} {
		m := powered("db", strategy(s), func(m *machine) { m.instance.Status.Phase = kubevirtv1.Failed })
		for on, step := range want {
			next, text := new(Power{Off: !on}).next(m, false)
			require.Equal(t, step, next, "%s %v: %s", s, on, text)
		}
	}
}

// A VM that is off takes its change when it is started: a window leaves it off.
func TestWindowsLeaveOffWhatIsOff(t *testing.T) {
	all := waitingPets("app db", "app", "db")
	strategy(kubevirtv1.RunStrategyRerunOnFailure)(all[1])
	isOff(all[1])
	p := play(t, all...)
	var log bytes.Buffer
	require.NoError(t, p.Rollout(t.Context(), maintenance(t, "", "app", "db"), options(&log)))
	require.Equal(t, "app", p.asked())
	require.Contains(t, log.String(), "db: left alone: not running; it takes the change when it is started\n")
}

// Two runs for the same VMs do not act at the same time.
func TestPowerWaitsForAnotherRun(t *testing.T) {
	p, run := night(t, powered("db"))
	other := p.newLease(&Options{Namespace: "prod", Now: time.Now}, "f-1a2b3c4d-power", "other")
	for range 2 { // creates it, and takes it
		_, err := other.hold(t.Context())
		require.NoError(t, err)
	}
	var log bytes.Buffer
	require.NoError(t, run(false, &log), "the other one does not renew it")
	require.Contains(t, log.String(), "the Lease: waiting for another run: other\n")
	require.Equal(t, "stop:db", p.asked())
}

// A run ends with the context, and the next one knows what it has done.
func TestPowerIsInterrupted(t *testing.T) {
	p, run := night(t, powered("db"))
	p.held["db"] = true
	ctx, cancel := context.WithCancel(t.Context())
	p.asking = cancel
	var log bytes.Buffer
	err := p.Power(ctx, Power{ID: "f-1a2b3c4d-power", Holder: "first", Off: true, Machines: []string{"db"}}, options(&log))
	require.ErrorIs(t, err, ErrInterrupted)
	p.serving.Wait()
	p.asking, p.held["db"] = nil, false
	p.stop("db")
	p.stopped("db")
	require.NoError(t, run(false, &log))
	require.NoError(t, run(true, &log))
	require.NotContains(t, p.told("db"), "Override", log.String())
}
