package rollout

import (
	"bytes"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/schedule"
)

// waitingPets returns pets, of which those that are named wait for a restart.
func waitingPets(names string, waits ...string) []*machine {
	var all []*machine
	for name := range strings.FieldsSeq(names) {
		m := running(name)
		delete(m.Labels, labels.Rollout)
		pet(m)
		for _, of := range waits {
			if of == name {
				needsRestart(m)
			}
		}
		all = append(all, m)
	}
	return all
}

// maintenance returns a maintenance of pets in a window.
func maintenance(t *testing.T, window string, names ...string) Target {
	t.Helper()
	pets := &Pets{Names: names, Zone: time.UTC}
	if window != "" {
		w, err := schedule.Parse(window)
		require.NoError(t, err)
		pets.Window = &w
	}
	return Target{ID: "f-1a2b3c4d-window", Holder: "test", Pets: pets}
}

// at returns options with a clock that stands still.
func at(log *bytes.Buffer, now time.Time) Options {
	o := options(log)
	o.Now = func() time.Time { return now }
	return o
}

func TestPetsAreRestartedInTheirWindow(t *testing.T) {
	all := waitingPets("app db web other", "db", "web", "other")
	p := play(t, all...)
	var log bytes.Buffer
	of := maintenance(t, "daily 12:00-13:00 UTC", "app", "db", "web")
	require.NoError(t, p.Rollout(t.Context(), of, at(&log, noon.Add(-time.Minute))))
	require.Equal(t, "outside of the window; nothing to do\n", log.String())
	require.Empty(t, p.asked())

	require.NoError(t, p.Rollout(t.Context(), of, at(&log, noon)))
	require.Equal(t, "db web", p.asked(), "what waits and is named, one after the other")
	require.Equal(t, 1, p.mostDown())
	require.Contains(t, log.String(), "db: restarting (changed settings)\n")
	require.Contains(t, log.String(), "web: ready again\n")
	require.Equal(t, "f-1a2b3c4d-window", p.names(leases))

	require.NoError(t, p.Rollout(t.Context(), of, at(&log, noon.Add(time.Minute))))
	require.Equal(t, "db web", p.asked(), "nothing is left")
}

// A restart that has begun is waited for after the end of the window, and no other begins.
func TestTheWindowEnds(t *testing.T) {
	p := play(t, waitingPets("a b c", "a", "b", "c")...)
	var now atomic.Value
	now.Store(noon)
	p.asking = func() { now.Store(noon.Add(time.Hour)) }
	var log bytes.Buffer
	o := options(&log)
	o.Now = func() time.Time { return now.Load().(time.Time) }
	require.NoError(t, p.Rollout(t.Context(), maintenance(t, "daily 12:00-13:00 UTC", "a", "b", "c"), o))
	require.Equal(t, "a", p.asked())
	require.Contains(t, log.String(), "a: ready again\n")
	require.Contains(t, log.String(), "the window is over: 2 of 3 are left for the next one\n")
}

func TestPetsByWave(t *testing.T) {
	all := waitingPets("app cache db web", "app", "cache", "db", "web")
	for name, wave := range map[string]string{"db": "-1", "cache": "-1", "web": "2"} {
		for _, m := range all {
			if m.Name == name {
				m.Annotations[argocd.SyncWaveAnnotation] = wave
			}
		}
	}
	p := play(t, all...)
	of := maintenance(t, "", "app", "cache", "db", "web")
	of.Pets.ByWave = true
	require.NoError(t, p.Rollout(t.Context(), of, options(new(bytes.Buffer))))
	require.Equal(t, "cache db app web", p.asked())
}

func TestPetsStopAtTheFirstFailure(t *testing.T) {
	p := play(t, waitingPets("a b", "a", "b")...)
	p.sick["a"] = true
	var log bytes.Buffer
	of := maintenance(t, "", "a", "b")
	require.EqualError(t, p.Rollout(t.Context(), of, hurried(&log)),
		"a: not ready within 1h0m0s: Running: guest is not up; no other VirtualMachine is restarted")
	require.Equal(t, "a", p.asked())

	p.anotherRun()
	require.EqualError(t, p.Rollout(t.Context(), of, hurried(&log)),
		"a and 1 more: an earlier rollout of this revision has stopped; "+
			"change the values, or run \"vmrender rollout --retry\"")
	require.Equal(t, "a", p.asked(), "nor is one in the next window, as long as one is down")
}

func TestSnapshotBeforeRestart(t *testing.T) {
	all := waitingPets("db web", "db", "web")
	all[0].ResourceVersion, all[0].Annotations[labels.Content] = "20", "1"
	p := play(t, all...)
	finish(p, always("Succeeded"))
	var log bytes.Buffer
	of := maintenance(t, "", "db", "web")
	of.Pets.Snapshots = []string{"db"}
	require.NoError(t, p.Rollout(t.Context(), of, atNoon(&log)))
	require.Equal(t, "db web", p.asked())
	require.Equal(t, "db-pre-restart-20", p.names(snapshots))
	taken := strings.Index(log.String(), "db: snapshot db-pre-restart-20 of 0s ago is ready\n")
	restarted := strings.Index(log.String(), "db: restarting")
	require.Positive(t, taken)
	require.Greater(t, restarted, taken)
}

// A snapshot that fails stops the run before the restart, and the next window tries again.
func TestFailingSnapshotStopsBeforeTheRestart(t *testing.T) {
	all := waitingPets("db web", "db", "web")
	all[0].ResourceVersion = "20"
	p := play(t, all...)
	var phase atomic.Value
	phase.Store("Failed")
	finish(p, func() string { return phase.Load().(string) })
	of := maintenance(t, "", "db", "web")
	of.Pets.Snapshots = []string{"db"}
	o := atNoon(new(bytes.Buffer))
	o.Log = settling{p}
	require.EqualError(t, p.Rollout(t.Context(), of, o),
		"db: snapshot db-pre-restart-20 failed: no snapshot class"+
			"; the next window takes another; no other VirtualMachine is restarted")
	require.Empty(t, p.asked())

	phase.Store("Succeeded")
	p.anotherRun()
	require.NoError(t, p.Rollout(t.Context(), of, atNoon(new(bytes.Buffer))))
	require.Equal(t, "db web", p.asked())
}

// A snapshot that is never ready is a failure in the end.
func TestSnapshotThatIsNeverReady(t *testing.T) {
	p := play(t, waitingPets("db", "db")...)
	finish(p, always("InProgress"))
	of := maintenance(t, "", "db")
	of.Pets.Snapshots = []string{"db"}
	require.ErrorContains(t, p.Rollout(t.Context(), of, hurried(new(bytes.Buffer))),
		"db: not asked to restart within 1h0m0s: waiting for snapshot db-pre-restart-")
	require.Empty(t, p.asked())
}

func TestStageOfPets(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*machine)
		stage  stage
		why    string
	}{
		"up to date":       {func(*machine) {}, current, ""},
		"waits":            {needsRestart, outdated, "changed settings"},
		"other disk":       {func(m *machine) { m.Spec.Template.Spec.Volumes = rootVolume("another") }, current, ""},
		"cattle":           {cattle, skipped, "cattle, which has a rollout of its own"},
		"halted":           {strategy("Halted"), skipped, "run strategy Halted, so it is not restarted"},
		"migrates":         {migrating, skipped, "it is migrating, so it is not restarted"},
		"disks are copied": {copying, skipped, "its disks are being copied, so it is not restarted"},
		"copy interrupted": {interrupted, skipped, "a copy of its disks was interrupted, so it is not restarted"},
	} {
		t.Run(name, func(t *testing.T) {
			m := waitingPets("db")[0]
			m.pet = true
			if c.stage == skipped {
				needsRestart(m)
			}
			c.change(m)
			got, why := m.stage()
			require.Equal(t, c.stage, got)
			require.Equal(t, c.why, why)
		})
	}
}

func cattle(m *machine) { m.Annotations[labels.Lifecycle] = labels.Cattle }

func migrating(m *machine) {
	m.instance.Status.MigrationState = &kubevirtv1.VirtualMachineInstanceMigrationState{}
}

func copying(m *machine) {
	m.instance.Status.Conditions = append(m.instance.Status.Conditions, kubevirtv1.VirtualMachineInstanceCondition{
		Type: kubevirtv1.VirtualMachineInstanceVolumesChange, Status: corev1.ConditionTrue,
	})
}

func interrupted(m *machine) {
	set(m, kubevirtv1.VirtualMachineManualRecoveryRequired, corev1.ConditionTrue)
}
