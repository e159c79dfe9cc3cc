package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

var cronJobsResource = batchv1.SchemeGroupVersion.WithResource("cronjobs")

// startJob starts a Job of the CronJob whose name has an ending, as a user does, and returns its name.
func (s *scenario) startJob(ending string, named func(cronJob string) string) string {
	s.Helper()
	cronJob := s.object(cronJobsResource, s.cronJob(ending))
	template, _, err := unstructured.NestedMap(cronJob.Object, "spec", "jobTemplate")
	require.NoError(s, err)
	job := &unstructured.Unstructured{Object: template}
	job.SetAPIVersion("batch/v1")
	job.SetKind("Job")
	job.SetName(named(cronJob.GetName()))
	_, err = lab.cluster.Resource(jobsResource).Namespace(s.name).Create(s.Context(), job, metav1.CreateOptions{})
	require.NoError(s, err)
	return job.GetName()
}

// daily returns a window that begins some time after now, on every day. The clock of the CronJobs is moved by days and
// that of pods is not, and each is in the window at the same time of the day.
func daily(begins, lasts time.Duration) string {
	from := time.Now().UTC().Add(begins)
	return fmt.Sprintf("daily %s-%s UTC", from.Format("15:04"), from.Add(lasts).Format("15:04"))
}

// closed returns a window that is not open during a test, and open one that is.
func closed() string { return daily(2*time.Hour, time.Minute) }
func open() string   { return daily(-time.Hour, 4*time.Hour) }

// A change that needs a restart is approved when it is merged, and waits. Outside of its window nothing happens. In the
// window, a failing snapshot stops the run before the restart. With a snapshot, the VMs are restarted in the order of
// their dependencies, and nothing waits any longer. Status says so at each step.
func TestMaintenance(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "maintenance")
	at := closed()
	s.write("fleet.yaml", lifecycleFleet+"policy: {approve: restart}\n")
	s.write("vms.yaml", fmt.Sprintf(`defaults: {memory: 4Gi, maintenance: {window: %q, order: dependsOn}}
vms:
  db: {disks: {data: 10Gi}, lifecycle: {snapshotBefore: true}}
  app: {dependsOn: [db]}
`, at))
	s.wait(argo.Synced(s.push("A fleet")))
	before := s.instances()

	s.setMemory("2Gi")
	s.commit("Less memory")
	lines := s.unapproved()
	require.Equal(t, []string{"app", "db"}, keys(lines))
	s.replace("vms.yaml", "  db: {", "  db: {"+lines["db"]+", ")
	s.replace("vms.yaml", "  app: {", "  app: {"+lines["app"]+", ")
	s.wait(argo.Synced(s.push("With approvals")))
	s.eventually("RestartRequired", func() bool { return s.asksForRestart("db") && s.asksForRestart("app") })
	s.stands(map[string]string{"db": "restart", "app": "restart"})
	require.Contains(t, s.advice(), "its maintenance restarts it ("+at+")")

	s.passes(time.Hour)
	missed := s.due("-window") // its pod is outside of the window
	s.jobSucceeds(missed)
	require.Contains(t, s.logs(missed), "outside of the window; nothing to do")
	require.Equal(t, before, s.instances())

	s.replace("vms.yaml", at, open())
	s.wait(argo.Synced(s.push("Another window")))
	s.eventually("RestartRequired", func() bool { return s.asksForRestart("db") })
	s.will(kubevirt.Snapshots, "", kubevirt.Fail)
	failed := s.due("-window")
	s.jobFails(failed)
	require.Contains(t, s.logs(failed), "failed: no snapshot class; the next window takes another; no other VirtualMachine is restarted")
	require.Equal(t, before, s.instances())

	s.will(kubevirt.Snapshots, "", kubevirt.Done)
	s.will(kubevirt.Instances, "db", kubevirt.Wait)
	inside := s.due("-window")
	s.eventually("db restarted", func() bool { return len(s.changed(before, false)) == 1 })
	require.Equal(t, []string{"db"}, s.changed(before, false))
	s.will(kubevirt.Instances, "db", kubevirt.Done)
	s.eventually("both restarted", func() bool { return len(s.changed(before, true)) == 2 })
	s.jobSucceeds(inside)
	require.Contains(t, s.logs(inside), "2 of 2 up to date")
	s.hasMemory("db", "2Gi")
	require.Subset(t, s.events("db"), []string{"RolloutFailed", "RolloutRestart", "RolloutReady"})
	taken := 0
	for name := range s.names(kubevirt.Snapshots) {
		if strings.HasPrefix(name, "db-pre-restart-") {
			taken++
		}
	}
	require.Equal(t, 2, taken, "the one that failed, and the one before the restart")
	s.stands(nil)
}

// A Job that a user has created from the CronJob, as Argo CD's action "Create Job" does, restarts VMs outside of the
// window, too. One of the schedule does not.
func TestMaintenanceOnDemand(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "on-demand", fmt.Sprintf("vms:\n  db: {memory: 4Gi, maintenance: %q}\n", closed()))
	before := s.instances()
	s.setMemory("2Gi")
	s.wait(argo.Synced(s.push("Less memory")))
	s.eventually("RestartRequired", func() bool { return s.asksForRestart("db") })
	missed := s.due("-window")
	s.jobSucceeds(missed)
	require.Contains(t, s.logs(missed), "outside of the window; nothing to do")
	require.Equal(t, before, s.instances())

	name := s.startJob("-window", func(cronJob string) string { return cronJob + "-" + time.Now().UTC().Format("0601021504") })
	s.eventually("db restarted", func() bool { return len(s.changed(before, true)) == 1 })
	s.eventuallyLogs(name, "1 of 1 up to date")
	s.hasMemory("db", "2Gi")
	s.stands(nil)
}

// advice returns the report of status for users, with what to do.
func (s *scenario) advice() string {
	s.Helper()
	stdout, _, _ := s.run("status", s.repository.Dir, "--namespace", s.name, "--live", "cluster",
		"--kubeconfig", lab.cluster.Kubeconfig, "-v")
	return stdout
}
