package e2e_test

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// A pet is changed in place: it keeps its UID and its disks, and keeps running. Memory is
// plugged into one that can be migrated. Changes that cannot be made while it runs are
// shown as RestartRequired, not forced.
func TestPetChanged(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "changed-pet", `vms:
  db: {cpu: {cores: 2}, memory: 4Gi, disks: {root: {accessMode: ReadWriteMany}, data: {size: 10Gi, accessMode: ReadWriteMany}}}
  bound: {memory: 4Gi, disks: {data: 10Gi}}
`)
	machines, instances, disks := s.machines(), s.instances(), s.disks()
	s.hasMemory("db", "4Gi")
	s.hasMemory("bound", "4Gi")

	s.replace("vms.yaml", "memory: 4Gi", "memory: 6Gi")
	s.wait(argo.Synced(s.push("More memory")))
	s.hasMemory("db", "6Gi")
	require.False(t, s.asksForRestart("db"))
	s.eventually("RestartRequired", func() bool { return s.asksForRestart("bound") })
	s.hasMemory("bound", "4Gi")

	s.replace("vms.yaml", "cores: 2", "cores: 4")
	s.wait(argo.Synced(s.push("More cores")))
	s.eventually("RestartRequired", func() bool { return s.asksForRestart("db") })
	require.Equal(t, machines, s.machines())
	require.Equal(t, instances, s.instances())
	require.Equal(t, disks, s.disks())
	s.stands(map[string]string{"db": "restart", "bound": "restart"})
}

// setMemory sets the memory of all VMs in vms.yaml.
func (s *scenario) setMemory(memory string) {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(s.repository.Dir, "vms.yaml"))
	require.NoError(s, err)
	s.write("vms.yaml", memories.ReplaceAllString(string(text), "memory: "+memory))
}

var memories = regexp.MustCompile(`memory: \w+`)

// hasMemory waits until the guest of a VM has an amount of memory, which its node reports some time after its start.
func (s *scenario) hasMemory(machine, want string) {
	s.Helper()
	s.eventually("memory of "+want+" in "+machine, func() bool {
		return s.field(kubevirt.Instances, machine, "status", "memory", "guestCurrent") == want
	})
}

// asksForRestart reports whether KubeVirt asks for a restart of the VM.
func (s *scenario) asksForRestart(machine string) bool {
	s.Helper()
	return hasCondition(s.object(kubevirt.VirtualMachines, machine), "RestartRequired")
}

// CDI refuses another size of a disk that is kept. The sync fails and names the disk,
// which stays as it is. Everything else in its wave is synced.
func TestKeptDiskRefused(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "disk-refused", "vms:\n  db: {disks: {data: 20Gi}}\n  web: {memory: 4Gi}\n")
	disk := s.object(kubevirt.DataVolumes, "db-data")
	s.replace("vms.yaml", "20Gi", "10Gi")
	s.replace("vms.yaml", "4Gi", "6Gi")
	s.push("A smaller disk, and more memory of another VM")
	s.wait(func(status *argo.Status) error {
		if message := status.ComparisonError(); message != "" {
			return errors.New(message)
		}
		return syncFailed(status)
	})
	require.Equal(t, "6Gi", s.field(kubevirt.VirtualMachines, "web", "spec", "template", "spec", "domain", "memory", "guest"))
	require.Equal(t, disk.Object["spec"], s.object(kubevirt.DataVolumes, "db-data").Object["spec"])
	require.Equal(t, disk.GetUID(), s.object(kubevirt.DataVolumes, "db-data").GetUID())
	status, err := s.app.Status(t.Context())
	require.NoError(t, err)
	require.Contains(t, status.Refusal("DataVolume", "db-data"), "Cannot update DataVolume Spec")
	s.stands(map[string]string{"db": "not-synced: DataVolume db-data is not synced yet: disks", "web": "restart: waits for a restart: memory"})
}

// A disk grows with `expandTo`: its claim requests the new size. Claim and DataVolume
// remain the same, even when the key is removed again.
func TestDiskGrows(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "grows", "vms:\n  db: {disks: {data: {size: 10Gi}}}\n")
	claims, disks, instances := s.names(kubevirt.Claims), s.disks(), s.instances()
	spec := s.object(kubevirt.DataVolumes, "db-data").Object["spec"]

	s.replace("vms.yaml", "size: 10Gi", "size: 10Gi, expandTo: 20Gi")
	s.wait(argo.Synced(s.push("A larger disk")))
	s.eventually("20Gi", func() bool {
		return s.field(kubevirt.Claims, "db-data", "status", "capacity", "storage") == "20Gi"
	})
	require.Equal(t, claims, s.names(kubevirt.Claims))
	require.Equal(t, disks, s.disks())
	require.Equal(t, spec, s.object(kubevirt.DataVolumes, "db-data").Object["spec"])
	require.Equal(t, instances, s.instances())

	s.replace("vms.yaml", "expandTo: 20Gi", "expandTo: 30Gi")
	s.wait(argo.Synced(s.push("A still larger disk")))
	require.Equal(t, "30Gi", s.field(kubevirt.Claims, "db-data", "spec", "resources", "requests", "storage"))

	s.replace("vms.yaml", ", expandTo: 30Gi", "")
	s.wait(argo.Synced(s.push("No word of its size")))
	require.Equal(t, claims, s.names(kubevirt.Claims))
	require.Nil(t, s.object(kubevirt.Claims, "db-data").GetDeletionTimestamp())
	s.stands(nil)
}

// A disk may have `expandTo` from the first installation on. Its claim is not changed
// before it exists, so that no sync fails.
func TestDiskGrowsAtOnce(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "grows-at-once", "vms:\n  db: {disks: {data: {size: 10Gi, expandTo: 20Gi}}}\n")
	status, err := s.app.Status(t.Context())
	require.NoError(t, err)
	require.Zero(t, status.Operation.RetryCount)
	s.eventually("20Gi", func() bool {
		return s.field(kubevirt.Claims, "db-data", "status", "capacity", "storage") == "20Gi"
	})
	s.stands(nil)
}

// A VM that depends on another one is created when that one is ready.
func TestWaves(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "in-waves")
	s.will(kubevirt.Instances, "db", kubevirt.Wait)
	s.write("fleet.yaml", lifecycleFleet)
	s.write("vms.yaml", "vms:\n  app: {dependsOn: [db]}\n  db: {}\n")
	revision := s.push("A fleet")
	s.wait(waitsFor("kubevirt.io/VirtualMachine/db"))
	require.Equal(t, []string{"db"}, keys(s.machines()))
	require.Equal(t, []string{"db"}, keys(s.disks()))
	s.will(kubevirt.Instances, "db", kubevirt.Done)
	s.wait(argo.Synced(revision))
	require.Equal(t, []string{"app", "db"}, keys(s.machines()))
	s.stands(nil)
}

// waitsFor is done when a sync waits until an object is healthy.
func waitsFor(object string) func(*argo.Status) error {
	return func(s *argo.Status) error {
		if s.Operation.Phase != "Running" || s.Operation.Message != "waiting for healthy state of "+object {
			return errors.New("the sync does not wait for " + object)
		}
		return nil
	}
}

// Waves continue if a VM is stopped, and if a disk waits for its first consumer; hooks
// run after them.
func TestWavesWithStopped(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "waves", `vms:
  idle: {runStrategy: Halted, disks: {data: {size: 1Gi, storageClass: local}}}
  byhand: {runStrategy: Manual, dependsOn: [idle]}
  app: {dependsOn: [byhand], lifecycle: cattle}
`)
	require.Equal(t, []string{"app"}, keys(s.instances()))
	require.Equal(t, "WaitForFirstConsumer", s.field(kubevirt.DataVolumes, "idle-data", "status", "phase"))
	require.Len(t, s.pods("-rollout"), 1)
	s.stands(nil)
}

// When a pet has changed, an Ansible job runs: once for each change, including a revert,
// and not for a change of another VM. The sync does not wait for it. A failed job shows
// on the Application until it is deleted, and then runs again.
func TestAnsible(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "ansible")
	definition, err := cluster.Objects([]byte(ansibleDefinition))
	require.NoError(t, err)
	require.NoError(t, lab.cluster.Install(t.Context(), definition))
	s.write("fleet.yaml", lifecycleFleet)
	s.write("vms.yaml", "vms:\n  db: {memory: 4Gi, lifecycle: {ansible: {template: patch, secret: aap, extraVars: {stage: prod}}}}\n")
	revision := s.push("A fleet")
	job := s.ansibleJob(nil)
	require.Equal(t, map[string]any{"stage": "prod", "vm_name": "db", "vm_namespace": s.name}, s.field(ansibleJobs, job, "spec", "extra_vars"))
	s.wait(appliedWith(revision, "Progressing"))
	s.finish(job, "successful")
	s.wait(argo.Synced(revision))

	done := s.names(ansibleJobs)
	s.write("more.yaml", "vms: {other: {}}\n")
	s.wait(argo.Synced(s.push("Another VM")))
	require.Equal(t, done, s.names(ansibleJobs))

	for _, memory := range []string{"6Gi", "4Gi", "6Gi"} {
		s.setMemory(memory)
		revision = s.push("Memory " + memory)
		job = s.ansibleJob(done)
		s.wait(appliedWith(revision, "Progressing"))
		s.finish(job, "successful")
		s.wait(argo.Synced(revision))
		done = s.names(ansibleJobs)
		require.Len(t, done, 1, "the one before is deleted")
	}

	s.setMemory("8Gi")
	revision = s.push("More memory")
	job = s.ansibleJob(done)
	s.finish(job, "failed")
	s.wait(appliedWith(revision, "Degraded"))
	failed := s.names(ansibleJobs)
	s.write("more.yaml", "vms: {other: {}, another: {}}\n")
	revision = s.push("A third VM")
	s.wait(appliedWith(revision, "Degraded"))
	require.Equal(t, failed, s.names(ansibleJobs))
	require.NoError(t, lab.cluster.Resource(ansibleJobs).Namespace(s.name).Delete(t.Context(), job, metav1.DeleteOptions{}))
	s.finish(s.ansibleJob(failed), "successful")
	s.wait(argo.Synced(revision))
	s.stands(map[string]string{"db": "restart: waits for a restart: memory"})
}

// appliedWith is done when a revision has been synced and the Application has a health.
func appliedWith(revision, health string) func(*argo.Status) error {
	return func(s *argo.Status) error {
		if s.Operation.Phase != "Succeeded" || s.Operation.SyncResult.Revision != revision || s.Health.Status != health {
			return errors.New("not synced, or not " + health)
		}
		return nil
	}
}

// Without Ansible Automation Platform, the playbook runs in a Job, with the VM's name and
// the variables, which are not visible in the Job.
func TestPlaybook(t *testing.T) {
	t.Parallel()
	runner := filepath.Join(lab.argo.Programs(), "ansible-runner")
	require.NoError(t, os.WriteFile(runner, []byte("#!/bin/sh\necho \"ran: $*\"\n"), 0o755)) //nolint:gosec // a program
	s := newLifecycle(t, "playbook", "vms:\n  db: {lifecycle: {ansible: {image: registry.example.com/runner:1, playbook: patch.yaml, extraVars: {stage: prod}}}}\n")
	jobs := s.names(jobsResource)
	require.Len(t, jobs, 1)
	job := keys(jobs)[0]
	s.eventuallyLogs(job, "--playbook patch.yaml")
	s.eventuallyLogs(job, "--extra-vars @/runner/vmrender/extravars.json")
	vars, err := base64.StdEncoding.DecodeString(s.field(secretsResource, job, "data", "extravars.json").(string)) //nolint:forcetypeassert // as the schema says
	require.NoError(t, err)
	require.JSONEq(t, `{"stage": "prod", "vm_name": "db", "vm_namespace": "playbook"}`, string(vars))

	s.write("more.yaml", "vms: {other: {}}\n")
	s.wait(argo.Synced(s.push("Another VM")))
	require.Equal(t, jobs, s.names(jobsResource), "it runs once for each change")

	s.write("vms.yaml", "vms:\n  db: {lifecycle: {ansible: {image: registry.example.com/runner:1, playbook: patch.yaml, extraVars: {stage: test}}}}\n")
	s.wait(argo.Synced(s.push("Other variables")))
	s.eventually("another Job in its place", func() bool {
		now := s.names(jobsResource)
		return len(now) == 1 && now[job] == ""
	})
	s.stands(nil)
}

var secretsResource = corev1.SchemeGroupVersion.WithResource("secrets")

// A VM that never becomes ready blocks a sync no longer than the limit of the plugin's
// installation. Then the fix that was pushed in the meantime is synced automatically.
// Other tests do not run at the same time, because the limit applies to all syncs.
func TestSyncIsBounded(t *testing.T) {
	require.NoError(t, lab.argo.Limit(t.Context(), 15*time.Second))
	t.Cleanup(func() { require.NoError(t, lab.argo.Limit(context.Background(), syncLimit)) })
	s := newScenario(t, "bounded")
	s.will(kubevirt.Instances, "db", kubevirt.Wait)
	s.write("fleet.yaml", lifecycleFleet)
	s.write("vms.yaml", "vms:\n  app: {dependsOn: [db]}\n  db: {}\n")
	s.push("A fleet")
	s.wait(waitsFor("kubevirt.io/VirtualMachine/db"))
	s.replace("vms.yaml", "dependsOn: [db]", "")
	s.push("No dependency, while the sync waits")
	s.eventually("the other VM", func() bool { return len(s.machines()) == 2 })
	s.stands(map[string]string{"db": "down: runs, but is not ready"})
}

// A pet that becomes cattle boots a new root disk. Its old root disk and the data disks
// stay. The data disks now belong to the VM, unless they are kept.
func TestPetBecomesCattle(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "becomes", "vms:\n  db: {disks: {data: 10Gi}}\n  kept: {disks: {data: 10Gi}}\n")
	machines, disks := s.machines(), s.disks()
	s.write("vms.yaml", "vms:\n  db: {disks: {data: 10Gi}, lifecycle: cattle}\n  kept: {disks: {data: 10Gi}, lifecycle: {type: cattle, keepDisks: true}}\n")
	revision := s.push("Cattle now")
	s.eventually("new root disks", func() bool { return len(s.disks()) == 6 })
	s.wait(func(status *argo.Status) error {
		if status.Operation.Phase != "Succeeded" || status.Operation.SyncResult.Revision != revision {
			return errors.New("not synced")
		}
		return nil
	})
	require.Equal(t, machines, s.machines())
	left := s.disks()
	for name, uid := range disks {
		require.Equal(t, uid, left[name], name)
	}
	require.True(t, s.owned("db-data"))
	require.False(t, s.owned("kept-data"))
	require.False(t, s.owned("db"))
	s.stands(nil)
}

// A disk that is now kept still belongs to its VM, so the Application is degraded. If it
// is released, it survives the VM, with its claim; a disk that is not released does not.
func TestCattleBecomesPet(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "kept-later", "vms:\n  db: {disks: {data: 10Gi}, lifecycle: cattle}\n  lost: {disks: {data: 10Gi}, lifecycle: cattle}\n")
	machines, disks := s.machines(), s.disks()
	s.write("vms.yaml", "vms:\n  db: {disks: {data: 10Gi}}\n  lost: {disks: {data: 10Gi}, lifecycle: {type: cattle, keepDisks: true}}\n")
	s.push("Kept now")
	s.wait(stillOwned)
	require.Equal(t, machines, s.machines())
	require.True(t, s.owned("db-data"))

	s.releaseDisk("db-data")
	s.write("vms.yaml", "vms:\n  db: {disks: {data: 10Gi}, lifecycle: {removal: approved}}\n  other: {}\n")
	s.push("The database may go")
	s.eventually("no lost", func() bool { return s.machines()["lost"] == "" })
	s.eventually("the end of the disk that was not released", func() bool { return s.disks()["lost-data"] == "" })
	require.False(t, s.owned("db-data"))

	s.write("vms.yaml", "vms:\n  other: {}\n")
	s.wait(argo.Synced(s.push("No database")))
	s.eventually("no db", func() bool { return s.machines()["db"] == "" })
	s.eventually("the end of the root disk of cattle", func() bool { return len(s.disks()) == 3 })
	require.Equal(t, disks["db-data"], s.disks()["db-data"])
	for _, kind := range []schema.GroupVersionResource{kubevirt.DataVolumes, kubevirt.Claims} {
		require.Nil(t, s.object(kind, "db-data").GetDeletionTimestamp())
	}
	s.stands(nil)
}

// stillOwned is done when a fleet is synced and something in it is degraded.
func stillOwned(s *argo.Status) error {
	if s.Sync.Status != "Synced" || s.Health.Status != "Degraded" {
		return errors.New("no disk is shown to be owned")
	}
	return nil
}

// releaseDisk makes a disk belong to no VM.
func (s *scenario) releaseDisk(disk string) {
	s.Helper()
	release := []byte(`{"metadata":{"ownerReferences":null}}`)
	disks := lab.cluster.Resource(kubevirt.DataVolumes).Namespace(s.name)
	_, err := disks.Patch(s.Context(), disk, types.MergePatchType, release, metav1.PatchOptions{})
	require.NoError(s, err)
}

// owned reports whether a disk is deleted with its VM.
func (s *scenario) owned(disk string) bool {
	s.Helper()
	return metav1.GetControllerOf(s.object(kubevirt.DataVolumes, disk)) != nil
}

var ansibleJobs = schema.GroupVersionResource{Group: "tower.ansible.com", Version: "v1alpha1", Resource: "ansiblejobs"}

// ansibleDefinition is the part of the operator's definition that the API server needs
// (ansible/awx-resource-operator, config/crd/bases).
const ansibleDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ansiblejobs.tower.ansible.com}
spec:
  group: tower.ansible.com
  names: {kind: AnsibleJob, listKind: AnsibleJobList, plural: ansiblejobs, singular: ansiblejob}
  scope: Namespaced
  versions:
    - name: v1alpha1
      served: true
      storage: true
      subresources: {status: {}}
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

// ansibleJob waits for an Ansible job that is not in old, and returns its name.
func (s *scenario) ansibleJob(old map[string]types.UID) string {
	s.Helper()
	var found string
	s.eventually("an Ansible job", func() bool {
		for name, uid := range s.names(ansibleJobs) {
			if old[name] != uid {
				found = name
				return true
			}
		}
		return false
	})
	return found
}

// finish plays Ansible Automation Platform: it sets the status of the job.
func (s *scenario) finish(job, status string) {
	s.Helper()
	object := s.object(ansibleJobs, job)
	result := map[string]any{"status": status, "url": "https://ansible.example.com/jobs/1"}
	require.NoError(s, unstructured.SetNestedMap(object.Object, map[string]any{"ansibleJobResult": result}, "status"))
	_, err := lab.cluster.Resource(ansibleJobs).Namespace(s.name).UpdateStatus(s.Context(), object, metav1.UpdateOptions{})
	require.NoError(s, err)
}

// underWay is done while a sync runs.
func underWay(s *argo.Status) error {
	if s.Operation.Phase != "Running" {
		return errors.New("no sync goes on")
	}
	return nil
}
