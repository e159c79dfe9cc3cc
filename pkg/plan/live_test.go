package plan_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
)

const (
	memory   = "spec.template.spec.domain.memory.guest"
	options  = "metadata.annotations.argocd~argoproj~io/sync-options"
	strategy = "spec.runStrategy"
)

// syncs are syncs of a commit to a cluster. The state of the cluster decides.
var syncs = []struct {
	name  string
	base  string         // file of testdata: the old side
	edit  func([]object) // to Git
	state func([]object) // how the cluster differs from the old side
	live  string         // file of testdata/live with the other objects in the cluster
	level impact.Level
	code  impact.Code // of the worst cause
	says  []string    // parts of the reasons, advice, notes and Jobs
	hides []string    // texts that must not be in them
}{
	{name: "runs and migrates", base: "pet", edit: set("8Gi", memory), live: "running", level: impact.Migrate, code: "plugged"},
	{name: "cannot migrate", base: "pet", edit: set("8Gi", memory), live: "immovable", level: impact.Restart, code: "cannot-migrate", says: []string{"DisksNotLiveMigratable says why"}},
	{name: "stopped", base: "pet", edit: set("8Gi", memory), live: "stopped", level: impact.Staged, code: "plugged"},
	{name: "needs a restart already", base: "pet", edit: set("8Gi", memory), live: "pending", level: impact.Staged, code: "held-back", says: []string{"needs a restart already: the hostname differs"}},
	{name: "needs a restart, unchanged", base: "pet", edit: nothing, live: "pending", level: impact.None, says: []string{"one VM needs a restart already, for earlier changes: prod/db"}},

	{name: "noise", base: "pet", edit: nothing, state: platform, live: "running", level: impact.None, hides: []string{"differ"}},
	{name: "label manually", base: "pet", edit: nothing, state: set("x", "metadata.labels.app"), level: impact.None, says: []string{"one object differs in the cluster"}},
	{name: "changed manually to what Git now has", base: "pet", edit: set("8Gi", memory), state: set("8Gi", memory), level: impact.None},
	{name: "stopped manually", base: "pet", edit: nothing, state: set("Halted", strategy), level: impact.Power, code: "reverted", says: []string{"virtctl stop), by virt-api; the sync reverts it"}},
	{name: "stopped manually, left so", base: "pet", edit: nothing, state: set("Halted", strategy), live: "ignoring", level: impact.None},
	{name: "plugged manually", base: "pet", edit: nothing, state: plugged, level: impact.Live, code: "reverted", says: []string{"virtctl addvolume"}},
	{name: "restored", base: "pet", edit: nothing, state: set("restore-1234-data", "spec.template.spec.volumes.1.persistentVolumeClaim.claimName"), level: impact.Recreate, code: "reverted", says: []string{"a restore in the cluster has replaced the claim"}},
	{name: "storage migrated", base: "pet", edit: nothing, state: both(set("Migration", "spec.updateVolumesStrategy"), set("db-data-new", "spec.template.spec.volumes.1.persistentVolumeClaim.claimName")), level: impact.Recreate, code: "reverted", says: []string{"storage migration"}},
	{name: "NIC unplugged", base: "absent", edit: nothing, state: unplugged, level: impact.None, hides: []string{"differ"}},

	{name: "kept in Git, owned in the cluster", base: "kept", edit: clearFirst, live: "owned", level: impact.DataLoss, code: "disk-deleted", says: []string{`Git keeps the disk "web-data", but in the cluster it still belongs`}},
	{name: "owned in the cluster, VM stays", base: "kept", edit: set("4Gi", memory), live: "owned", level: impact.Migrate, code: "plugged", says: []string{"Git keeps the disk, but in the cluster it still belongs to the VM", "kubectl patch datavolume web-data"}},
	{name: "released", base: "cattle", edit: clearFirst, live: "released", level: impact.Delete, code: "deleted"},
	{name: "protected in Git only", base: "pet", edit: remove(0, 1, 2), state: set("Delete=confirm", options), level: impact.Delete, code: "deleted"},
	{name: "protected in the cluster only", base: "cattle", edit: clearFirst, state: set("Prune=false", options), level: impact.Left, code: "left"},
	{name: "replaced for the last time", base: "cattle", edit: set("4Gi", memory), state: set("Force=true,Replace=true", options), level: impact.DataLoss, code: "disk-deleted"},

	{name: "grown manually, shrunk by Git", base: "claim", edit: in(1, set("60Gi", "spec.resources.requests.storage")), live: "grown", level: impact.Refused, code: "cannot-shrink"},
	{name: "grown manually, less in Git", base: "claim", edit: nothing, live: "grown", level: impact.Refused, code: "reverted", says: []string{"the sync tries to revert it: Kubernetes refuses to shrink a claim"}},
	{name: "may not grow", base: "claim", edit: in(1, set("60Gi", "spec.resources.requests.storage")), live: "fixed", level: impact.Refused, code: "cannot-grow"},
	{name: "import failed, another source", base: "unfilled", edit: in(1, set("docker://right", "spec.source.registry.url")), live: "unfilled", level: impact.Refused, code: "never-filled", says: []string{"the disk could not be filled yet", "set disks.NAME.revision to another number above 1", "kubectl delete datavolume"}},
	{name: "another source", base: "unfilled", edit: in(1, set("docker://right", "spec.source.registry.url")), level: impact.Refused, code: "immutable", says: []string{"CDI refuses another source", "if the disk could not be filled from it, set disks.NAME.revision"}},
	{name: "import failed, another revision", base: "unfilled", edit: anotherRevision, live: "unfilled", level: impact.Power, code: "filled-again", says: []string{"the VM starts from a new disk that is filled from its source: the disk db could not be filled", "after the sync, delete the disk db"}, hides: []string{"live migration"}},
	{name: "another revision", base: "unfilled", edit: anotherRevision, level: impact.Migrate, code: "copied"},
	{name: "gone from the cluster", base: "pet", edit: nothing, live: "others", state: clearFirst, level: impact.Create, code: "disks-found", says: []string{"the sync recreates it"}},

	{name: "in flight", base: "pet", edit: set("8Gi", memory), live: "busy", level: impact.Migrate, code: "plugged", says: []string{
		"the live migration db-m1 is Running", "the snapshot db-s1 is InProgress", "the restore db-r1 is not complete", "the disk db is being filled (ImportInProgress)", "a request to stop the VM",
	}, hides: []string{"db-m0", "db-s0"}},
	{name: "in flight, unchanged", base: "pet", edit: nothing, live: "busy", level: impact.None, hides: []string{"db-m1"}},
	{name: "quota", base: "pet", edit: set("8Gi", memory), live: "quota", level: impact.Restart, code: "no-room", says: []string{"now it cannot: the ResourceQuota team has 6Gi of requests.memory left, and a second pod needs 8Gi or more"}},
	{name: "one node", base: "pet", edit: set("8Gi", memory), live: "node", level: impact.Restart, code: "no-room", says: []string{"the cluster has one node"}},
	{name: "no other node", base: "pet", edit: set("8Gi", memory), live: "nodes", level: impact.Restart, code: "no-room", says: []string{"no node except a1 can run the VM"}},
	{name: "no second node needed", base: "pet", edit: set("b", "spec.template.spec.nodeSelector.zone"), live: "nodes", level: impact.Live, code: "placement", hides: []string{"no node"}},

	{name: "syncing", base: "pet", edit: set("8Gi", memory), live: "syncing", level: impact.Migrate, code: "plugged", says: []string{
		"the Application shop has been syncing revision 0123456789ab since 2026-11-22T03:00:00Z (waiting for the Job)", "argocd app terminate-op shop",
	}, hides: []string{"Application other"}},
	{name: "self-heal against a controller", base: "pet", edit: nothing, live: "fighting", level: impact.None, says: []string{
		"the Application shop has reverted changes in the cluster 7 times in a row, most recently of Service db, VirtualMachine db", "ignoreDifferences of the Application",
	}, hides: []string{"Application calm"}},
	{name: "snapshot of an earlier change", base: "snapshots", edit: both(set("bbbb", "metadata.annotations.vmrender~io/content"), set("Manual", strategy), in(1, set([]any{"snapshot", "db=bbbb"}, "spec.template.spec.containers.0.args"))), live: "snapshots", level: impact.Metadata, code: "power-same", says: []string{"db-pre-bbbb-1, taken 6 days before the export; the Job takes another one"}},

	{name: "rollout", base: "cattle", edit: root("web-root-2222"), live: "rollout", level: impact.Recreate, code: "new-disk", says: []string{
		"the rollout then deletes the old root disks web-root-0000", "web-root-1111 stays for going back", "stopped at web-9", "the Job shop-rollout-1 of an earlier sync is running",
	}},
	{name: "rollout back to a disk that exists", base: "cattle", edit: root("web-root-0000"), live: "rollout", level: impact.Recreate, code: "new-disk", says: []string{`the disk "web-root-0000" exists and is not filled again`}},
	{name: "pruned by the way", base: "pet", edit: set("8Gi", memory), live: "tracked", level: impact.Migrate, code: "plugged", says: []string{"neither side of Git has the VM, but the Application shop tracks it"}},
}

func TestLive(t *testing.T) {
	for _, test := range syncs {
		t.Run(test.name, func(t *testing.T) {
			was, now, state := load(t, test.base), load(t, test.base), load(t, test.base)
			test.edit(now)
			tracked(state)
			if test.state != nil {
				test.state(state)
			}
			live := encode(t, state)
			if test.live != "" {
				live = merged(live, read(t, test.live))
			}
			p := plan.New(encode(t, was), encode(t, now), plan.Options{Cluster: openshift, Live: live})
			v := verdictOf(t, p)
			require.Equal(t, test.level, v.Level, "%+v", v.Causes)
			if test.level > impact.None {
				require.Equal(t, test.code, v.Causes[0].Code)
			}
			said := told(p)
			for _, part := range test.says {
				require.Contains(t, said, part)
			}
			for _, part := range test.hides {
				require.NotContains(t, said, part)
			}
			for _, c := range v.Causes {
				require.Contains(t, plan.Codes(), c.Code)
			}
		})
	}
}

// anotherRevision sets another revision of the disk of a pet, and so another name.
func anotherRevision(objects []object) {
	both(
		set("db-root-2", "spec.template.spec.volumes.0.persistentVolumeClaim.claimName"),
		in(1, set("db-root-2", "metadata.name")), in(1, set("docker://right", "spec.source.registry.url")),
	)(objects)
}

// verdictOf returns the verdict of the only VM in Git.
func verdictOf(t *testing.T, p *plan.Plan) plan.Verdict {
	t.Helper()
	i := slices.IndexFunc(p.VMs, func(v plan.Verdict) bool { return v.ID.Name == "db" || v.ID.Name == "web" })
	require.GreaterOrEqual(t, i, 0)
	return p.VMs[i]
}

// told returns all texts of a plan, as lines.
func told(p *plan.Plan) string {
	lines := slices.Clone(p.Notes)
	for _, v := range slices.Concat(p.VMs, p.Objects) {
		for _, c := range v.Causes {
			lines = append(lines, c.Reason, c.Advice, c.Approximate)
		}
	}
	for _, j := range p.Jobs {
		lines = append(lines, j.Does)
	}
	return strings.Join(lines, "\n")
}

// read reads an export.
func read(t *testing.T, name string) []manifest.Object {
	t.Helper()
	objects, err := manifest.ReadFiles(filepath.Join("testdata", "live", name+".yaml"))
	require.NoError(t, err)
	return objects
}

// merged returns objects in which those of an export replace those with the same
// identity.
func merged(objects, export []manifest.Object) []manifest.Object {
	has := func(id manifest.ID) bool {
		return slices.ContainsFunc(export, func(o manifest.Object) bool { return o.ID == id })
	}
	return append(slices.DeleteFunc(objects, func(o manifest.Object) bool { return has(o.ID) }), export...)
}

func nothing([]object) {}

func clearFirst(objects []object) { clear(objects[0]) }

// tracked makes the objects part of the Application shop, last changed by virt-api.
func tracked(objects []object) {
	for _, o := range objects {
		meta := o["metadata"].(object)
		group, _, found := strings.Cut(o["apiVersion"].(string), "/")
		if !found {
			group = ""
		}
		annotations, _ := meta["annotations"].(object)
		if annotations == nil {
			annotations = object{}
			meta["annotations"] = annotations
		}
		annotations["argocd.argoproj.io/tracking-id"] = "shop:" + group + "/" + o["kind"].(string) + ":prod/" + meta["name"].(string)
		meta["managedFields"] = []any{
			object{"manager": "virt-api", "operation": "Update", "time": "2026-11-22T03:00:00Z", "fieldsV1": object{"f:spec": object{"f:runStrategy": object{}}}},
			object{"manager": "argocd-controller", "operation": "Update", "time": "2026-11-22T04:00:00Z", "fieldsV1": object{"f:spec": object{"f:runStrategy": object{}}}},
		}
	}
}

// platform adds the fields that KubeVirt, its webhooks and kubemacpool write into a VM.
func platform(objects []object) {
	vm := objects[0]
	setIn(vm, splitPath("metadata.annotations.kubevirt~io/latest-observed-api-version"), "v1")
	setIn(vm, splitPath("spec.template.spec.domain.machine"), object{"type": "pc-q35-rhel9.6.0"})
	setIn(vm, splitPath("spec.template.spec.domain.resources"), object{})
	setIn(vm, splitPath("spec.template.spec.domain.devices.interfaces.0.macAddress"), "02:00:00:00:00:07")
	setIn(vm, splitPath(memory), "4096Mi")
	setIn(vm, splitPath("status"), object{"printableStatus": "Running", "created": true})
}

// plugged adds a volume as virtctl addvolume --persist does.
func plugged(objects []object) {
	instance := at(objects[0], "spec", "template", "spec").(object)
	instance["volumes"] = append(instance["volumes"].([]any), object{"name": "extra", "persistentVolumeClaim": object{"claimName": "extra", "hotpluggable": true}})
	devices := at(instance, "domain", "devices").(object)
	devices["disks"] = append(devices["disks"].([]any), object{"name": "extra", "disk": object{"bus": "scsi"}})
}

// unplugged removes the NIC with `state: absent`.
func unplugged(objects []object) {
	instance := at(objects[0], "spec", "template", "spec").(object)
	devices := at(instance, "domain", "devices").(object)
	devices["interfaces"] = devices["interfaces"].([]any)[:1]
	instance["networks"] = instance["networks"].([]any)[:1]
}

// root makes the cattle boot from another root disk.
func root(name string) func([]object) {
	return both(set(name, "spec.dataVolumeTemplates.0.metadata.name"), set(name, "spec.template.spec.volumes.0.dataVolume.name"))
}
