package e2e_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// herd is a fleet of four web servers: cattle that is rolled out two at a time.
const herd = `vms:
  web:
    replicas: 4
    disks: {root: {size: 10Gi, source: {registry: docker://registry.example.com/web, version: "1"}}}
    lifecycle: {type: cattle, maxUnavailable: 2, keepOld: 0}
`

// newImage commits another image of the herd.
func (s *scenario) newImage() string {
	s.Helper()
	s.replace("vms.yaml", `version: "1"`, `version: "2"`)
	return s.push("Another image")
}

// A new image of cattle is filled next to the disks in use while the VMs keep running.
// It is then rolled out in batches, and never more VMs are down than allowed. VMs keep
// their names, UIDs and identity, and outdated disks are deleted.
func TestRolloutInBatches(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "batches", herd)
	machines, before, old := s.machines(), s.instances(), s.disks()
	identity := s.field(kubevirt.Instances, "web-0", "spec", "domain", "firmware")
	s.will(kubevirt.DataVolumes, "", kubevirt.Wait)
	s.will(kubevirt.Instances, "", kubevirt.Wait)

	revision := s.newImage()
	s.eventually("four disks on their way", func() bool { return len(s.disks()) == 8 })
	s.eventuallyLogs("-rollout", "waiting: disk")
	require.Equal(t, before, s.instances())

	s.will(kubevirt.DataVolumes, "", kubevirt.Done)
	down := func() []string { return s.changed(before, false) }
	s.eventually("two restarted", func() bool { return len(down()) == 2 })
	for range before {
		s.eventually("one restarted", func() bool { return len(down()) > 0 })
		names := down()
		require.LessOrEqual(t, len(names), 2)
		s.will(kubevirt.Instances, names[0], kubevirt.Done)
		s.eventually(names[0]+" ready", func() bool { return !slices.Contains(down(), names[0]) })
	}
	s.wait(argo.Synced(revision))

	require.Equal(t, machines, s.machines())
	require.Len(t, s.changed(before, true), 4)
	require.Equal(t, identity, s.field(kubevirt.Instances, "web-0", "spec", "domain", "firmware"))
	s.eventually("only the new disks", func() bool { return len(s.disks()) == 4 })
	for name := range s.disks() {
		require.NotContains(t, old, name)
	}
	require.Subset(t, s.events("web-0"), []string{"RolloutRestart", "RolloutReady", "RolloutDiskRemoved"})
	s.stands(nil)
}

// A commit that does not change the VMs restarts nothing. Neither does Argo CD when it
// reverts a manual change (self-heal): it runs no Job.
func TestUnrelatedCommit(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "unrelated", herd)
	machines, instances, disks := s.machines(), s.instances(), s.disks()

	s.write("README.md", "Our web servers.\n")
	s.write("more.yaml", "vms: {other: {}}\n")
	s.wait(argo.Synced(s.push("Another VM")))
	delete(machines, "other")
	for name, uid := range machines {
		require.Equal(t, uid, s.machines()[name])
	}
	require.Empty(t, s.changed(instances, true))
	require.Subset(t, keys(s.disks()), keys(disks))

	jobs := s.names(jobsResource)
	s.change("web-0", int64(2), "spec", "template", "spec", "domain", "cpu", "sockets")
	s.eventually("the sockets of the fleet", func() bool {
		return s.field(kubevirt.VirtualMachines, "web-0", "spec", "template", "spec", "domain", "cpu", "sockets") == int64(1)
	})
	require.Equal(t, jobs, s.names(jobsResource))
	require.Empty(t, s.changed(instances, true))
	s.stands(nil)
}

// A rollout whose Job is killed halfway resumes where it was: VMs that have been
// restarted are not restarted again.
func TestRolloutKilled(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "killed", herd)
	before := s.instances()
	s.will(kubevirt.Instances, "", kubevirt.Wait)

	revision := s.newImage()
	s.eventually("two restarted", func() bool { return len(s.changed(before, false)) == 2 })
	restarted, names := s.instances(), s.changed(before, false)
	first := s.pods("-rollout")
	s.eventually("one pod", func() bool { first = s.pods("-rollout"); return len(first) == 1 })
	lab.kubelet.Kill(first[0].GetUID())
	s.eventually("another pod", func() bool { return len(s.pods("-rollout")) == 2 })

	s.will(kubevirt.Instances, "", kubevirt.Done)
	s.wait(argo.Synced(revision))
	require.Len(t, s.changed(before, true), 4)
	for _, name := range names {
		require.Equal(t, restarted[name], s.instances()[name], name)
	}
	s.stands(nil)
}

// VMs that do not come back end the rollout: the Application is degraded, and all
// others keep running. An unrelated commit does not resume it. Reverting the commit
// restores the old disks.
func TestRolloutStops(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "stops", herd)
	before, disks := s.instances(), s.disks()
	s.will(kubevirt.Instances, "", kubevirt.Wait)

	s.replace("vms.yaml", "keepOld: 0", "keepOld: 0, progressDeadlineSeconds: 60")
	revision := s.newImage()
	s.eventually("two restarted", func() bool { return len(s.changed(before, false)) == 2 })
	down := s.changed(before, false)
	s.eventuallyLogs("-rollout", "not ready within 1m0s")
	s.wait(degraded(revision))
	for name, stands := range s.status() {
		if slices.Contains(down, name) {
			require.Contains(t, stands, "a rollout has stopped at it (Lease ")
		} else {
			require.Contains(t, stands, "waits for a restart: disks")
		}
	}
	jobs := s.names(jobsResource)
	s.will(kubevirt.Instances, "other", kubevirt.Done)
	s.write("more.yaml", "vms: {other: {lifecycle: cattle}}\n")
	revision = s.push("Another VM")
	s.eventually("another Job", func() bool { return len(common(jobs, s.names(jobsResource))) == 0 && s.instances()["other"] != "" })
	s.eventuallyLogs("-rollout", "an earlier rollout of this revision has stopped")
	s.wait(degraded(revision))
	require.Equal(t, down, s.changed(before, false))
	for name, uid := range before {
		if !slices.Contains(down, name) {
			require.Equal(t, uid, s.instances()[name], name)
			require.True(t, s.ready(name), name)
		}
	}
	require.Contains(t, slices.Concat(s.events(down[0]), s.events(down[1])), "RolloutFailed")
	require.Equal(t, keys(disks), common(disks, s.disks()))

	s.will(kubevirt.Instances, "", kubevirt.Done)
	s.replace("vms.yaml", "keepOld: 0, progressDeadlineSeconds: 60", "keepOld: 0")
	s.imageAgain("2", "1")
	for name := range disks {
		require.Equal(t, disks[name], s.disks()[name])
	}
	require.Equal(t, down, s.changed(before, true))
	s.stands(nil)
}

// imageAgain changes the version of the herd's image, and waits until all VMs run from
// it.
func (s *scenario) imageAgain(from, to string) {
	s.Helper()
	s.replace("vms.yaml", `version: "`+from+`"`, `version: "`+to+`"`)
	s.wait(argo.Synced(s.push("Image " + to)))
}

// A revert is picked up while the rollout runs, although its VMs do not become ready.
// They get their old disks back, and all others are never restarted.
func TestRolloutReverted(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "reverted", herd)
	before, disks, root := s.instances(), s.disks(), s.rootDisk("web-0")
	s.will(kubevirt.Instances, "", kubevirt.Wait)
	s.newImage()
	s.eventually("two restarted", func() bool { return len(s.changed(before, false)) == 2 })
	down := s.changed(before, false)
	require.NotEqual(t, root, s.rootDisk(down[0]))

	s.replace("vms.yaml", `version: "2"`, `version: "1"`)
	revision := s.push("Back to the old image")
	s.eventually("the old disks", func() bool {
		return len(s.instances()) == len(before) && len(s.changed(before, false)) == 2 &&
			disks[s.runsFrom(down[0])] != "" && disks[s.runsFrom(down[1])] != ""
	})
	s.will(kubevirt.Instances, "", kubevirt.Done)
	s.wait(argo.Synced(revision))
	require.Equal(t, down, s.changed(before, true))
	require.Equal(t, disks, s.disks())
	s.stands(nil)
}

// The disk that is kept for a revert is the one that the VMs ran from last.
func TestRolloutKeepsTheWayBack(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "way-back", strings.Replace(herd, "keepOld: 0", "keepOld: 1", 1))
	first := s.rootDisk("web-0")
	s.imageAgain("1", "2")
	second := s.rootDisk("web-0")
	s.imageAgain("2", "1")
	require.Equal(t, first, s.rootDisk("web-0"))
	s.imageAgain("1", "3")
	s.eventually("no second disk", func() bool { return s.disks()[second] == "" })
	require.Contains(t, s.disks(), first)
	s.stands(nil)
}

// A disk that cannot be filled ends the rollout before anything is restarted.
func TestRolloutWithoutDisk(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "no-disk", herd)
	before := s.instances()
	s.will(kubevirt.DataVolumes, "", kubevirt.Fail)
	s.wait(degraded(s.newImage()))
	s.eventuallyLogs("-rollout", "no other VirtualMachine is restarted")
	require.Equal(t, before, s.instances())
	for name := range before {
		require.True(t, s.ready(name), name)
	}
	want := map[string]string{}
	for name := range before {
		want[name] = "disk: the disk " + name + "-root-"
	}
	s.stands(want)
}

// If the storage class does not fill a disk before it is used, the new disk is filled
// during the restart. A stopped VM is left alone.
func TestRolloutOnWaitingStorage(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "waiting", `vms:
  web:
    replicas: 2
    disks: {root: {size: 10Gi, storageClass: local, source: {registry: docker://registry.example.com/web, version: "1"}}}
    lifecycle: cattle
  idle:
    runStrategy: Halted
    disks: {root: {size: 10Gi, storageClass: local, source: {registry: docker://registry.example.com/web, version: "1"}}}
    lifecycle: cattle
`)
	before, disks := s.instances(), s.disks()
	require.Len(t, before, 2)
	s.wait(argo.Synced(s.newImage()))
	require.Len(t, s.changed(before, true), 2)
	require.Len(t, s.instances(), 2)
	require.Subset(t, keys(s.disks()), keys(disks), "one old disk of each is kept, as the way back")
	s.stands(nil)
}

// Changed cloud-init data is rolled out like a new image, even if only a Secret
// changes: with new disks, on which cloud-init runs again. A pet is left alone: it has had its first boot.
func TestRolloutOfUserData(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "user-data", `vms:
  web:
    replicas: 2
    cloudInit: {store: secret, packages: [nginx]}
    lifecycle: {type: cattle, keepOld: 0}
  db: {cloudInit: {store: secret, packages: [nginx]}}
`)
	machines, before, disks := s.machines(), s.instances(), s.disks()
	s.write("vms.yaml", strings.ReplaceAll(s.read("vms.yaml"), "[nginx]", "[nginx, php]"))
	s.wait(argo.Synced(s.push("Another package")))
	require.Equal(t, machines, s.machines())
	require.Equal(t, []string{"web-0", "web-1"}, s.changed(before, true))
	require.Equal(t, before["db"], s.instances()["db"])
	require.False(t, hasCondition(s.object(kubevirt.VirtualMachines, "db"), "RestartRequired"))
	require.Empty(t, s.status())
	s.eventually("new disks of cattle only", func() bool {
		return len(s.disks()) == 3 && slices.Equal([]string{"db"}, common(disks, s.disks()))
	})
}

// read reads a file in the repository.
func (s *scenario) read(name string) string {
	s.Helper()
	content, err := os.ReadFile(s.repository.Path(name))
	require.NoError(s, err)
	return string(content)
}
