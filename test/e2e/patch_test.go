package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// Ansible patches a pet on its schedule: after a snapshot, and not while the VM is stopped. Argo CD neither prunes the
// job nor runs it again. A snapshot that fails ends the run before the job. A failed run shows on the Application and
// in the status, until the next one succeeds.
func TestPatchOnSchedule(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "patch")
	definition, err := cluster.Objects([]byte(ansibleDefinition))
	require.NoError(t, err)
	require.NoError(t, lab.cluster.Install(t.Context(), definition))
	const entry = "vms:\n  db:\n    lifecycle:\n      snapshotBefore: true\n" +
		"      ansible: {template: patch, secret: aap, schedule: daily 01:30 Europe/Berlin, extraVars: {stage: prod}}\n"
	s.write("fleet.yaml", lifecycleFleet)
	s.write("vms.yaml", entry)
	revision := s.push("A fleet")
	s.finish(s.ansibleJob(nil), "successful") // that of the first installation
	s.wait(argo.Synced(revision))

	before := s.names(ansibleJobs)
	run := s.patchRun()
	job := s.ansibleJob(before)
	require.True(t, strings.HasPrefix(job, "db-patch-"), job)
	require.Equal(t, map[string]any{"stage": "prod", "vm_name": "db", "vm_namespace": s.name}, s.field(ansibleJobs, job, "spec", "extra_vars"))
	require.Len(t, s.patchSnapshots(), 1)
	s.finish(job, "successful")
	s.jobSucceeds(run)
	require.Contains(t, s.logs(run), "db: patched and ready\n")
	s.wait(argo.Synced(revision))
	require.Contains(t, s.names(ansibleJobs), job)
	s.stands(nil)

	before = s.names(ansibleJobs)
	run = s.patchRun()
	s.finish(s.ansibleJob(before), "failed")
	s.jobFails(run)
	s.wait(degradedSchedule(revision))
	s.stands(map[string]string{"db": "failed: was not patched on its schedule (daily 01:30 Europe/Berlin): the Job " + run + " has failed"})

	before = s.names(ansibleJobs)
	run = s.patchRun()
	s.finish(s.ansibleJob(before), "successful")
	s.jobSucceeds(run)
	s.wait(argo.Synced(revision))
	s.stands(nil)

	s.write("vms.yaml", strings.Replace(entry, "  db:\n", "  db:\n    runStrategy: Halted\n", 1))
	before = s.names(ansibleJobs)
	revision = s.push("Stop it")
	s.finish(s.ansibleJob(before), "successful")
	s.wait(argo.Synced(revision))
	before = s.names(ansibleJobs)
	run = s.patchRun()
	s.jobSucceeds(run)
	require.Contains(t, s.logs(run), "db: not patched: it does not run\n")
	require.Subset(t, keys(before), keys(s.names(ansibleJobs)), "no other job; Kubernetes deletes that of the run before last")
	s.stands(nil)
}

// patchRun begins the next run of the schedule of db, and returns its Job.
func (s *scenario) patchRun() string {
	s.Helper()
	job, started := s.late("-patch", 0)
	require.True(s, started)
	return job
}

// patchSnapshots returns the snapshots that were taken before db was patched.
func (s *scenario) patchSnapshots() []string {
	s.Helper()
	return slices.DeleteFunc(keys(s.names(kubevirt.Snapshots)), func(name string) bool {
		return !strings.HasPrefix(name, "db-pre-patch-")
	})
}
