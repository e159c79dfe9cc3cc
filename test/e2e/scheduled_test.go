package e2e_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// scheduled runs the CronJob of snapshots at its next time, and returns its Job. It waits until another minute has
// begun on the computer: the names of snapshots have the minute of the run, whose clock is not moved.
func (s *scenario) scheduled(by time.Duration) string {
	s.Helper()
	const minute = "-at-20060102-1504"
	s.eventually("another minute", func() bool {
		now := time.Now().UTC().Format(minute)
		return !slices.ContainsFunc(keys(s.names(kubevirt.Snapshots)), func(name string) bool {
			return strings.HasSuffix(name, now)
		})
	})
	job, started := s.late("-snapshot", by)
	require.True(s, started)
	return job
}

// taken returns the snapshots of a VM that its schedule has taken, the oldest first.
func (s *scenario) taken(machine string) []string {
	s.Helper()
	return slices.DeleteFunc(keys(s.names(kubevirt.Snapshots)), func(name string) bool {
		return !strings.HasPrefix(name, machine+"-at-")
	})
}

// snapshotByUser takes a snapshot as a user does.
func (s *scenario) snapshotByUser(name, machine string) {
	s.Helper()
	require.NoError(s, lab.cluster.Apply(s.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": kubevirt.Snapshots.GroupVersion().String(), "kind": "VirtualMachineSnapshot",
		"metadata": map[string]any{"name": name, "namespace": s.name},
		"spec": map[string]any{
			"source": map[string]any{"apiGroup": "kubevirt.io", "kind": "VirtualMachine", "name": machine},
		},
	}}))
}

// Snapshots are taken on a schedule, also of a VM that is off, and the oldest of them are deleted. Those that users
// take stay. A snapshot that fails does not stop the others, and uses up no good one: Argo CD reports the CronJob as
// Degraded, and status the VM as failed, until the next one is ready.
func TestSnapshotsOnSchedule(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "scheduled")
	s.write("fleet.yaml", lifecycleFleet)
	s.write("vms.yaml", `defaults: {snapshots: {schedule: daily 01:30 Europe/Berlin, keep: 2}}
vms:
  db: {disks: {data: 10Gi}}
  app: {runStrategy: Halted}
  other: {snapshots: null}
`)
	revision := s.push("A fleet")
	s.wait(argo.Synced(revision))
	s.snapshotByUser("db-at-home", "db")
	s.snapshotByUser("of-other", "other")
	s.passes(0)

	job := s.scheduled(0)
	s.jobSucceeds(job)
	first := s.taken("db")
	require.Len(t, first, 2, "one of its own, and one of a user")
	s.jobSucceeds(s.scheduled(time.Hour - time.Second))
	require.Subset(t, s.taken("db"), first)
	second := s.taken("app")
	require.Len(t, second, 2)
	job = s.scheduled(0)
	s.jobSucceeds(job)
	require.Contains(t, s.logs(job), "db: removed snapshot "+first[0]+"\n")
	require.NotContains(t, s.taken("db"), first[0])
	require.Len(t, s.taken("db"), 3)
	require.Equal(t, second[1], s.taken("app")[0])
	require.Len(t, s.taken("app"), 2)
	s.wait(argo.Synced(revision))
	s.stands(nil)

	good := s.taken("db")
	s.will(kubevirt.Snapshots, "", kubevirt.Wait)
	job = s.scheduled(0)
	s.eventually("two snapshots under way", func() bool { return len(s.taken("db"))+len(s.taken("app")) == 7 })
	bad := s.newest("db")
	s.will(kubevirt.Snapshots, bad, kubevirt.Fail)
	s.will(kubevirt.Snapshots, s.newest("app"), kubevirt.Done)
	s.jobFails(job)
	require.Contains(t, s.logs(job), "db: snapshot "+bad+" failed: no snapshot class; the next run takes another")
	require.Subset(t, s.taken("db"), good)
	require.Len(t, s.taken("app"), 2, "that of another VM")
	s.wait(degradedSchedule(revision))
	s.stands(map[string]string{"db": "failed: the newest snapshot of its schedule (daily 01:30 Europe/Berlin, keep 2), " +
		bad + ", has failed: no snapshot class"})

	s.will(kubevirt.Snapshots, "", kubevirt.Done)
	s.jobSucceeds(s.scheduled(0))
	require.NotContains(t, s.taken("db"), bad)
	require.Len(t, s.taken("db"), 3)
	require.Subset(t, keys(s.names(kubevirt.Snapshots)), []string{"db-at-home", "of-other"})
	require.Empty(t, s.taken("other"))
	s.wait(argo.Synced(revision))
	s.stands(nil)
}

// newest returns the newest snapshot of a VM that its schedule has taken.
func (s *scenario) newest(machine string) string {
	s.Helper()
	own := slices.DeleteFunc(s.taken(machine), func(name string) bool { return name == machine+"-at-home" })
	return own[len(own)-1]
}

// degradedSchedule is done when the Application has the revision, and is Degraded because of a CronJob, and of nothing
// else.
func degradedSchedule(revision string) func(*argo.Status) error {
	return func(status *argo.Status) error {
		if err := degraded(revision)(status); err != nil {
			return err
		}
		for _, r := range status.Resources {
			if r.Health.Status == "Degraded" && r.Kind != "CronJob" {
				return errors.New(r.Kind + " " + r.Name + " is Degraded")
			}
		}
		return nil
	}
}
