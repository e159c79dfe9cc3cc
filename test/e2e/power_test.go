package e2e_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// officeHours are times of power, as YAML and as an annotation has them.
const (
	officeHours = `{"off": daily 19:00 Europe/Berlin, "on": Mon-Fri 07:00 Europe/Berlin}`
	offAndOn    = "off daily 19:00 Europe/Berlin, on Mon-Fri 07:00 Europe/Berlin"
)

// newPowered returns a scenario with db, and app that depends on it, which have times of power. They run.
func newPowered(t *testing.T, name string) *scenario {
	t.Helper()
	return newLifecycle(t, name, "defaults: {memory: 4Gi, terminationGracePeriodSeconds: 1, power: "+officeHours+"}\n"+
		"vms:\n  db: {}\n  app: {dependsOn: [db]}\n")
}

// told returns the type and the message of an Event about a VM.
func (s *scenario) told(machine, reason string) (kind, message string) {
	s.Helper()
	for _, event := range s.list(corev1.SchemeGroupVersion.WithResource("events")) {
		about, _, err := unstructured.NestedString(event.Object, "involvedObject", "name")
		require.NoError(s, err)
		if about == machine && event.Object["reason"] == reason {
			return fmt.Sprint(event.Object["type"]), fmt.Sprint(event.Object["message"])
		}
	}
	return "", ""
}

// count returns how many Events with a reason there are about a VM.
func (s *scenario) count(machine, reason string) int {
	s.Helper()
	n := 0
	for _, r := range s.events(machine) {
		if r == reason {
			n++
		}
	}
	return n
}

// powered returns what the Lease of the runs has about VMs that are off.
func (s *scenario) powered() string {
	s.Helper()
	for _, lease := range s.list(coordinationv1.SchemeGroupVersion.WithResource("leases")) {
		if value := lease.GetAnnotations()["vmrender.io/powered"]; value != "" {
			return value
		}
	}
	return ""
}

// livePlan returns the plan of the files against the cluster.
func (s *scenario) livePlan() string {
	s.Helper()
	stdout, _ := s.command("plan", s.repository.Dir, "--namespace", s.name, "--live", "cluster",
		"--kubeconfig", lab.cluster.Kubeconfig)
	return stdout
}

// healthy waits until Argo CD reports an object as Healthy, with a message.
func (s *scenario) healthy(kind, name, message string) {
	s.Helper()
	s.wait(func(status *argo.Status) error {
		for _, r := range status.Resources {
			if r.Kind == kind && r.Name == name && r.Health.Status == "Healthy" && r.Health.Message == message {
				return nil
			}
		}
		return errors.New("not healthy: " + message)
	})
}

// VMs are stopped and started at their times, in the order of their dependencies. Argo CD finds no difference while
// they are off, a sync does not start them, and a change waits for their start. Without times, they run again.
func TestPowerOnSchedule(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "power", "defaults: {memory: 4Gi}\nvms:\n  db: {}\n  app: {dependsOn: [db]}\n")
	before := s.instances()
	s.replace("vms.yaml", "4Gi}", "4Gi, power: "+officeHours+"}")
	s.commit("Times of power")
	require.Contains(t, s.livePlan(), "a CronJob stops or starts it at these times")
	revision := s.push("Times of power")
	s.wait(argo.Synced(revision))
	require.Equal(t, before, s.instances(), "a VM that runs keeps running")
	off, on := s.cronJob("-power-off"), s.cronJob("-power-on")
	for _, name := range []string{off, on} {
		require.Equal(t, s.account(off), s.account(name))
	}

	s.passes(0)
	vm := s.object(kubevirt.VirtualMachines, "db")
	job := s.due("-power-off")
	s.jobSucceeds(job)
	require.Empty(t, s.instances())
	require.Contains(t, s.steps(job),
		"app: stopping it on schedule\napp: stopped\ndb: stopping it on schedule\ndb: stopped\n")
	require.Equal(t, "app=stopped db=stopped", s.powered())
	require.Equal(t, []int{1, 1}, []int{s.count("app", "PowerOff"), s.count("db", "PowerOff")})
	now := s.object(kubevirt.VirtualMachines, "db")
	require.Equal(t, vm.GetGeneration(), now.GetGeneration())
	require.Equal(t, vm.GetAnnotations(), now.GetAnnotations())
	require.Equal(t, "RerunOnFailure", s.field(kubevirt.VirtualMachines, "db", "spec", "runStrategy"))
	s.healthy("VirtualMachine", "db", "Stopped; power: "+offAndOn)
	s.wait(argo.Synced(revision))
	s.stands(nil)

	s.setMemory("2Gi")
	s.commit("Less memory")
	require.Contains(t, s.livePlan(), "takes effect at the next start")
	s.wait(argo.Synced(s.push("Less memory")))
	require.Empty(t, s.instances(), "a sync starts nothing")
	s.stands(nil)

	s.will(kubevirt.Instances, "db", kubevirt.Wait)
	job = s.due("-power-on")
	s.eventuallyLogs(job, "db: starting it on schedule")
	s.eventuallyLogs(job, "db: waiting: ")
	require.NotContains(t, keys(s.instances()), "app", "it depends on db")
	s.will(kubevirt.Instances, "db", kubevirt.Done)
	s.jobSucceeds(job)
	require.Equal(t, []string{"app", "db"}, keys(s.instances()))
	s.hasMemory("db", "2Gi")
	require.Empty(t, s.powered())
	require.Equal(t, []int{1, 1}, []int{s.count("app", "PowerOn"), s.count("db", "PowerOn")})
	s.stands(nil)

	s.jobSucceeds(s.due("-power-off"))
	s.replace("vms.yaml", ", power: "+officeHours, "")
	s.commit("No times of power")
	require.Contains(t, s.livePlan(), "KubeVirt starts the VM")
	s.wait(argo.Synced(s.push("No times of power")))
	s.eventually("both run", func() bool { return s.ready("db") && s.ready("app") })
	require.Equal(t, "Always", s.field(kubevirt.VirtualMachines, "db", "spec", "runStrategy"))
	require.Empty(t, s.list(cronJobsResource))
	s.stands(nil)
}

// account returns the ServiceAccount of a CronJob.
func (s *scenario) account(cronJob string) any {
	s.Helper()
	return s.field(cronJobsResource, cronJob, "spec", "jobTemplate", "spec", "template", "spec", "serviceAccountName")
}

// Between its times, the schedule leaves alone what users start and stop. At its times, it stops what runs and starts
// what is off, and an Event says that a user was there. A guest that shuts down stays off until then, and one that
// fails runs again.
func TestPowerAndUsers(t *testing.T) {
	t.Parallel()
	s := newPowered(t, "power-users")
	s.jobSucceeds(s.due("-power-off"))
	require.NoError(t, lab.kubevirt.PowerOn(t.Context(), s.name, "app"))
	s.eventually("app to run", func() bool { return s.ready("app") })
	s.passes(time.Hour)
	require.Equal(t, []string{"app"}, keys(s.instances()))
	s.stands(nil)

	job, started := s.late("-power-off", time.Hour-time.Second)
	require.True(t, started, "up to an hour late")
	s.jobSucceeds(job)
	require.Empty(t, s.instances())
	kind, message := s.told("app", "PowerOffOverride")
	require.Equal(t, "Warning", kind)
	require.Equal(t, "stopping it on schedule, although it was started since it was off on schedule", message)
	require.Contains(t, s.logs(job), "app: "+message)
	require.Contains(t, s.logs(job), "db: was off already")
	require.Zero(t, s.count("db", "PowerOffOverride"))

	_, started = s.late("-power-on", time.Hour+time.Second)
	require.False(t, started, "not later")
	s.jobSucceeds(s.due("-power-on"))
	require.Zero(t, s.count("app", "PowerOnOverride")+s.count("db", "PowerOnOverride"))

	before := s.instances()
	require.NoError(t, lab.kubevirt.PowerOff(t.Context(), s.name, "app"))
	require.NoError(t, lab.kubevirt.EndGuest(t.Context(), s.name, "db", true))
	s.eventually("db again, and app off", func() bool {
		return len(s.changed(before, true)) == 1 && len(s.instances()) == 1
	})
	require.NoError(t, lab.kubevirt.EndGuest(t.Context(), s.name, "db", false))
	s.eventually("db off", func() bool {
		return s.field(kubevirt.VirtualMachines, "db", "status", "printableStatus") == "Stopped"
	})
	s.passes(time.Hour)
	s.stands(nil)
	s.jobSucceeds(s.due("-power-on"))
	s.eventually("both run", func() bool { return s.ready("db") && s.ready("app") })
	for _, name := range []string{"app", "db"} {
		kind, message = s.told(name, "PowerOnOverride")
		require.Equal(t, "Warning", kind)
		require.Equal(t, "starting it on schedule, although its schedule has not stopped it", message)
	}

	name := s.startJob("-power-off", func(string) string { return "off-now" })
	s.jobSucceeds(name)
	require.Empty(t, s.instances())
	s.stands(nil)
}

// With the run strategy Manual, a new VM stays off until its time, and so does one that fails: KubeVirt keeps its failed
// instance, which the start replaces.
func TestPowerOfManual(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "power-manual",
		"vms:\n  db: {runStrategy: Manual, power: {\"off\": 0 19 * * * UTC, \"on\": daily 07:00 UTC}}\n")
	require.Empty(t, s.instances())
	s.healthy("VirtualMachine", "db", "Stopped; power: off 0 19 * * * UTC, on daily 07:00 UTC")
	s.jobSucceeds(s.due("-power-on"))
	first := s.instances()
	require.True(t, s.ready("db"))

	require.NoError(t, lab.kubevirt.EndGuest(t.Context(), s.name, "db", true))
	s.eventually("db off", func() bool { return !s.ready("db") })
	s.passes(time.Hour)
	require.Equal(t, first, s.instances())
	s.jobSucceeds(s.due("-power-on"))
	require.Equal(t, []string{"db"}, s.changed(first, true))
	require.Equal(t, "Manual", s.field(kubevirt.VirtualMachines, "db", "spec", "runStrategy"))
	s.jobSucceeds(s.due("-power-off"))
	require.Empty(t, s.instances())
	s.stands(nil)
}

// A VM that is not ready in time holds back no others. The Job fails and names it, and an Event and status are about it
// and no other.
func TestPowerFails(t *testing.T) {
	t.Parallel()
	s := newPowered(t, "power-fails")
	s.jobSucceeds(s.due("-power-off"))
	lab.kubelet.Hurry(s.name, "15m", "1m") // which app has as well
	s.will(kubevirt.Instances, "db", kubevirt.Wait)
	job := s.due("-power-on")
	s.jobFails(job)
	require.Contains(t, s.logs(job), "db: not ready within 1m1s: waiting: ") // with the grace period
	require.True(t, s.ready("app"), "it comes after db")
	kind, message := s.told("db", "PowerFailed")
	require.Equal(t, "Warning", kind)
	require.Contains(t, message, "db: not ready within 1m1s")
	require.NotContains(t, s.events("app"), "PowerFailed")
	s.stands(map[string]string{
		"db": "failed: was not started, or is not ready on its schedule (" + offAndOn + "): the Job " + job + " has failed",
	})
	s.will(kubevirt.Instances, "db", kubevirt.Done)
	s.stands(nil)
}
