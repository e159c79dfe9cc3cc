package plan_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
)

// openshift is a cluster with HyperConverged's settings.
var openshift = cluster.Settings{KubeVirt: "1.9", OpenShift: true}

// edits are changes of one or a few fields, with the level and the code of the worst cause.
var edits = []struct {
	name    string
	base    string // file of testdata
	edit    func(objects []object)
	cluster func(*cluster.Settings)
	level   impact.Level
	code    impact.Code
}{
	{name: "nothing", base: "pet", edit: func([]object) {}, level: impact.None},
	{name: "another spelling of a quantity", base: "pet", edit: set("4096Mi", "spec.template.spec.domain.memory.guest"), level: impact.None},
	{name: "label", base: "pet", edit: set("x", "metadata.labels.team"), level: impact.Metadata, code: "metadata"},
	{name: "pod label", base: "pet", edit: set("x", "spec.template.metadata.labels.team"), level: impact.Staged, code: "template-metadata"},
	{name: "protection lost", base: "pet", edit: set("Prune=true", "metadata.annotations.argocd~argoproj~io/sync-options"), level: impact.Metadata, code: "unprotected"},
	{name: "replace gained", base: "cattle", edit: set("Force=true,Replace=true", "metadata.annotations.argocd~argoproj~io/sync-options"), level: impact.DataLoss, code: "disk-deleted"},

	{name: "sockets up", base: "pet", edit: set(4, "spec.template.spec.domain.cpu.sockets"), level: impact.Migrate, code: "plugged"},
	{name: "sockets up without a method", base: "pet", edit: set(4, "spec.template.spec.domain.cpu.sockets"), cluster: plain, level: impact.Staged, code: "never-migrates"},
	{name: "sockets up with Stage", base: "pet", edit: set(4, "spec.template.spec.domain.cpu.sockets"), cluster: stage, level: impact.Restart, code: "restart-required"},
	{name: "sockets up, cannot migrate", base: "pet", edit: set(4, "spec.template.spec.domain.cpu.sockets"), cluster: immovable, level: impact.Staged, code: "never-migrates"},
	{name: "sockets far up", base: "pet", edit: set(9, "spec.template.spec.domain.cpu.sockets"), level: impact.Restart, code: "above-maximum"},
	{name: "sockets down", base: "pet", edit: set(1, "spec.template.spec.domain.cpu.sockets"), level: impact.Restart, code: "cannot-shrink"},
	{name: "sockets up, evicted", base: "pet", edit: set(4, "spec.template.spec.domain.cpu.sockets"), cluster: evicting, level: impact.Power, code: "evicted"},
	{name: "sockets and cores up, not evicted", base: "pet", edit: both(set(4, "spec.template.spec.domain.cpu.sockets"), set(2, "spec.template.spec.domain.cpu.cores")), cluster: evicting, level: impact.Restart, code: "restart-required"},
	{name: "sockets up, evacuated", base: "pet", edit: set(4, "spec.template.spec.domain.cpu.sockets"), cluster: evacuating, level: impact.Migrate, code: "plugged"},
	{name: "sockets up, evicted if it cannot migrate", base: "pet", edit: set(4, "spec.template.spec.domain.cpu.sockets"), cluster: evictingOrNot, level: impact.Power, code: "evicted"},
	{name: "sockets up, eviction refused", base: "pet", edit: set(4, "spec.template.spec.domain.cpu.sockets"), cluster: held, level: impact.Staged, code: "never-migrates"},
	{name: "sockets up with their maximum", base: "pet", edit: both(set(9, "spec.template.spec.domain.cpu.sockets"), set(9, "spec.template.spec.domain.cpu.maxSockets")), level: impact.Restart, code: "restart-required"},
	{name: "cores", base: "pet", edit: set(2, "spec.template.spec.domain.cpu.cores"), level: impact.Restart, code: "restart-required"},
	{name: "memory up", base: "pet", edit: set("8Gi", "spec.template.spec.domain.memory.guest"), level: impact.Migrate, code: "plugged"},
	{name: "memory up, cannot migrate", base: "pet", edit: set("8Gi", "spec.template.spec.domain.memory.guest"), cluster: immovable, level: impact.Restart, code: "cannot-migrate"},
	{name: "memory far up", base: "pet", edit: set("20Gi", "spec.template.spec.domain.memory.guest"), level: impact.Restart, code: "above-maximum"},
	{name: "memory and cores", base: "pet", edit: both(set("8Gi", "spec.template.spec.domain.memory.guest"), set(2, "spec.template.spec.domain.cpu.cores")), level: impact.Restart, code: "restart-required"},
	{name: "memory up with its maximum", base: "pet", edit: both(set("20Gi", "spec.template.spec.domain.memory.guest"), set("20Gi", "spec.template.spec.domain.memory.maxGuest")), level: impact.Restart, code: "above-maximum"},
	{name: "memory above its maximum", base: "pet", edit: both(set("20Gi", "spec.template.spec.domain.memory.guest"), set("10Gi", "spec.template.spec.domain.memory.maxGuest")), level: impact.Refused, code: "above-maximum"},
	{name: "memory above its maximum with Stage", base: "pet", edit: both(set("20Gi", "spec.template.spec.domain.memory.guest"), set("10Gi", "spec.template.spec.domain.memory.maxGuest")), cluster: stage, level: impact.Restart, code: "restart-required"},
	{name: "empty resources", base: "pet", edit: set(object{}, "spec.template.spec.domain.resources"), level: impact.None},
	{name: "descheduler", base: "pet", edit: set("true", "spec.template.metadata.annotations.descheduler~alpha~kubernetes~io/evict"), level: impact.Live, code: "synced-annotation"},
	{name: "node selector", base: "pet", edit: set("b", "spec.template.spec.nodeSelector.zone"), level: impact.Live, code: "placement"},
	{name: "grace period", base: "pet", edit: set(60, "spec.template.spec.terminationGracePeriodSeconds"), level: impact.Restart, code: "restart-required"},
	{name: "UUID", base: "pet", edit: set("00000000-0000-4000-8000-000000000000", "spec.template.spec.domain.firmware.uuid"), level: impact.Restart, code: "identity"},

	{name: "stop", base: "pet", edit: set("Halted", "spec.runStrategy"), level: impact.Power, code: "stops"},
	{name: "manually", base: "pet", edit: set("Manual", "spec.runStrategy"), level: impact.Metadata, code: "power-same"},

	{name: "user data", base: "pet", edit: set("#cloud-config\n", "spec.template.spec.volumes.3.cloudInitNoCloud.userData"), level: impact.Restart, code: "cloud-init"},
	{name: "another claim", base: "pet", edit: set("other", "spec.template.spec.volumes.1.persistentVolumeClaim.claimName"), level: impact.Recreate, code: "other-disk"},
	{name: "disk of another name", base: "pet", edit: renamedDisk, level: impact.Recreate, code: "other-disk"},
	{name: "another claim under a running guest", base: "pet", edit: set("other", "spec.template.spec.volumes.2.persistentVolumeClaim.claimName"), level: impact.Recreate, code: "swapped-live"},
	{name: "bus", base: "pet", edit: set("scsi", "spec.template.spec.domain.devices.disks.1.disk.bus"), level: impact.Restart, code: "restart-required"},
	{name: "bus of a hotpluggable disk", base: "pet", edit: set("virtio", "spec.template.spec.domain.devices.disks.2.disk.bus"), level: impact.Staged, code: "not-compared"},
	{name: "copied to another claim", base: "pet", edit: both(set("Migration", "spec.updateVolumesStrategy"), set("other", "spec.template.spec.volumes.1.persistentVolumeClaim.claimName")), level: impact.Migrate, code: "copied"},
	{name: "copied, without a method", base: "pet", edit: both(set("Migration", "spec.updateVolumesStrategy"), set("other", "spec.template.spec.volumes.1.persistentVolumeClaim.claimName")), cluster: plain, level: impact.Recreate, code: "never-migrates"},
	{name: "copied, evicted", base: "pet", edit: both(set("Migration", "spec.updateVolumesStrategy"), set("other", "spec.template.spec.volumes.1.persistentVolumeClaim.claimName")), cluster: evicting, level: impact.Recreate, code: "evicted"},
	{name: "order of disks", base: "pet", edit: swapDisks, level: impact.Staged, code: "order"},

	{name: "NIC down", base: "pet", edit: set("down", "spec.template.spec.domain.devices.interfaces.1.state"), level: impact.Live, code: "link-state"},
	{name: "NIC absent", base: "pet", edit: set("absent", "spec.template.spec.domain.devices.interfaces.1.state"), level: impact.Migrate, code: "unplugged"},
	{name: "NIC absent, evicted", base: "pet", edit: set("absent", "spec.template.spec.domain.devices.interfaces.1.state"), cluster: evicting, level: impact.Power, code: "evicted"},
	{name: "pod NIC absent", base: "pet", edit: set("absent", "spec.template.spec.domain.devices.interfaces.0.state"), level: impact.Refused, code: "invalid"},
	{name: "MAC address", base: "pet", edit: set("02:a1:b2:00:00:02", "spec.template.spec.domain.devices.interfaces.1.macAddress"), level: impact.Restart, code: "identity"},
	{name: "another network", base: "pet", edit: set("default/vlan8", "spec.template.spec.networks.1.multus.networkName"), level: impact.Migrate, code: "moved-network"},
	{name: "another network, evicted", base: "pet", edit: set("default/vlan8", "spec.template.spec.networks.1.multus.networkName"), cluster: evicting, level: impact.Power, code: "evicted"},
	{name: "another network without a method", base: "pet", edit: set("default/vlan8", "spec.template.spec.networks.1.multus.networkName"), cluster: plain, level: impact.Staged, code: "never-migrates"},
	{name: "another network, older KubeVirt", base: "pet", edit: set("default/vlan8", "spec.template.spec.networks.1.multus.networkName"), cluster: older, level: impact.Restart, code: "restart-required"},

	{name: "disk's source", base: "pet", edit: in(1, set("centos", "spec.sourceRef.name")), level: impact.Refused, code: "immutable"},
	{name: "disk removed from Git", base: "pet", edit: remove(2), level: impact.Left, code: "left"},

	{name: "new root disk", base: "cattle", edit: both(set("web-root-2222", "spec.dataVolumeTemplates.0.metadata.name"), set("web-root-2222", "spec.template.spec.volumes.0.dataVolume.name")), level: impact.Recreate, code: "new-disk"},
	{name: "size of an owned disk", base: "cattle", edit: set("9Gi", "spec.dataVolumeTemplates.1.spec.storage.resources.requests.storage"), level: impact.None, code: "template-ignored"},
	{name: "disk of a volume that is swapped", base: "pet", edit: both(dropScratch, set("other", "spec.template.spec.volumes.2.persistentVolumeClaim.claimName")), level: impact.Refused, code: "no-disk"},
	{name: "disk of a volume that stays", base: "pet", edit: dropScratch, level: impact.Staged, code: "not-compared"},
	{name: "cattle removed", base: "cattle", edit: remove(0), level: impact.DataLoss, code: "disk-deleted"},
	{name: "pet removed", base: "pet", edit: remove(0, 1, 2), level: impact.Left, code: "left"},
}

func TestEdits(t *testing.T) {
	for _, test := range edits {
		t.Run(test.name, func(t *testing.T) {
			old := load(t, test.base)
			edited := load(t, test.base)
			test.edit(edited)
			cluster := openshift
			if test.cluster != nil {
				test.cluster(&cluster)
			}
			p := plan.New(encode(t, old), encode(t, edited), plan.Options{Cluster: cluster})
			require.Len(t, p.VMs, 1)
			require.Empty(t, p.Objects)
			require.Equal(t, test.level, p.VMs[0].Level, "%+v", p.VMs[0].Causes)
			var worst impact.Code
			for _, c := range p.VMs[0].Causes {
				require.NotContains(t, c.Old+c.New, "s3cret")
				require.Contains(t, plan.Codes(), c.Code)
				if worst == "" {
					worst = c.Code
				}
			}
			require.Equal(t, test.code, worst)
		})
	}
}

// Every VM under another name has one verdict, with the former name. A level is approximate if unknown facts
// about one of its causes, even a milder one, could change it.
func TestApproximate(t *testing.T) {
	sockets := set(4, "spec.template.spec.domain.cpu.sockets")
	restart := set("other", "spec.template.spec.domain.firmware.uuid")
	copied := both(set("Migration", "spec.updateVolumesStrategy"), set("other", "spec.template.spec.volumes.1.persistentVolumeClaim.claimName"))
	for name, test := range map[string]struct {
		edit    func([]object)
		cluster func(*cluster.Settings)
		level   impact.Level
		want    bool
	}{
		"migrates or not":                     {edit: sockets, level: impact.Migrate, want: true},
		"held back, migrates or not":          {edit: both(sockets, restart), level: impact.Restart},
		"known not to migrate":                {edit: sockets, cluster: immovable, level: impact.Staged},
		"restarts, so that nothing is copied": {edit: both(copied, restart), level: impact.Recreate},
		"restarts":                            {edit: restart, level: impact.Restart},
		"a label and nothing uncertain":       {edit: set("x", "metadata.labels.team"), level: impact.Metadata},
	} {
		old, edited, cluster := load(t, "pet"), load(t, "pet"), openshift
		test.edit(edited)
		if test.cluster != nil {
			test.cluster(&cluster)
		}
		p := plan.New(encode(t, old), encode(t, edited), plan.Options{Cluster: cluster})
		require.Equal(t, test.level, p.VMs[0].Level, "%s: %+v", name, p.VMs[0].Causes)
		require.Equal(t, test.want, p.VMs[0].Approximate, "%s: %+v", name, p.VMs[0].Causes)
	}
}

func TestRenamed(t *testing.T) {
	old, edited := load(t, "pet"), load(t, "pet")
	for _, o := range edited {
		o["metadata"].(object)["namespace"] = "stage"
	}
	p := plan.New(encode(t, old), encode(t, edited), plan.Options{Cluster: openshift})
	require.Len(t, p.VMs, 1)
	require.Equal(t, impact.Recreate, p.VMs[0].Level)
	require.Equal(t, "stage", p.VMs[0].ID.Namespace)
	require.NotNil(t, p.VMs[0].Was)
	require.Equal(t, "prod", p.VMs[0].Was.Namespace)
}

// A disk that moves between a VM's templates and an object of its own may change its owner or keep it. Both are
// dangerous later.
func TestOwnership(t *testing.T) {
	owned, kept := load(t, "cattle"), keepData(load(t, "cattle"))
	for _, test := range []struct {
		old, new []object
		code     impact.Code
	}{{owned, kept, "still-owned"}, {kept, owned, "adopted"}} {
		p := plan.New(encode(t, test.old), encode(t, test.new), plan.Options{Cluster: openshift})
		require.Len(t, p.VMs, 1)
		require.Empty(t, p.Objects)
		require.Equal(t, 1, p.Summary.Warnings)
		require.Equal(t, impact.Restart, p.VMs[0].Level)
		require.True(t, slices.ContainsFunc(p.VMs[0].Causes, func(c impact.Cause) bool { return c.Warning && c.Code == test.code }))
	}
}

// keepData makes the data disk of the cattle a separate object.
func keepData(objects []object) []object {
	vm := objects[0]
	templates := at(vm, "spec").(object)["dataVolumeTemplates"].([]any)
	at(vm, "spec").(object)["dataVolumeTemplates"] = templates[:1]
	setIn(vm, splitPath("spec.template.spec.volumes.1"), object{"name": "data", "persistentVolumeClaim": object{"claimName": "web-data"}})
	return append(objects, object{
		"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "DataVolume",
		"metadata": object{
			"name": "web-data", "namespace": "prod", "labels": object{"app": "web", "app.kubernetes.io/managed-by": "vmrender"},
			"annotations": object{"argocd.argoproj.io/sync-options": "Prune=false,Delete=false"},
		},
		"spec": at(templates[1], "spec"),
	})
}

// A summary counts every VM once.
func TestSummary(t *testing.T) {
	old := encode(t, append(load(t, "pet"), load(t, "cattle")...))
	p := plan.New(old, old, plan.Options{})
	require.Equal(t, map[impact.Level]int{impact.None: 2}, p.Summary.VMs)
	require.Equal(t, impact.None, p.Worst())
	p = plan.New(old, nil, plan.Options{})
	require.Equal(t, map[impact.Level]int{impact.Left: 1, impact.DataLoss: 1}, p.Summary.VMs)
}

type object = map[string]any

func plain(c *cluster.Settings) { c.OpenShift = false }

func stage(c *cluster.Settings) { c.VMRolloutStrategy = "Stage" }

func immovable(c *cluster.Settings) { c.LiveMigratable = new(bool) }

func evicting(c *cluster.Settings) {
	c.WorkloadUpdateMethods, c.EvictionStrategy = []string{"Evict"}, "None"
}

// evacuating is a cluster in which evicting a VM's pod is a migration.
func evacuating(c *cluster.Settings) { c.WorkloadUpdateMethods = []string{"Evict"} }

func evictingOrNot(c *cluster.Settings) {
	c.WorkloadUpdateMethods, c.EvictionStrategy, c.LiveMigratable = []string{"Evict"}, "LiveMigrateIfPossible", new(bool)
}

func held(c *cluster.Settings) {
	c.WorkloadUpdateMethods, c.LiveMigratable = []string{"Evict"}, new(bool)
}

func older(c *cluster.Settings) { c.KubeVirt = "1.7" }

func load(t testing.TB, base string) []object {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", base+".yaml"))
	require.NoError(t, err)
	objects, err := manifest.Read(bytes.NewReader(text))
	require.NoError(t, err)
	out := make([]object, len(objects))
	for i, o := range objects {
		require.NoError(t, yaml.Unmarshal(o.JSON, &out[i]))
	}
	return out
}

func encode(t testing.TB, objects []object) []manifest.Object {
	t.Helper()
	var out []manifest.Object
	for _, o := range objects {
		if len(o) == 0 {
			continue
		}
		text, err := json.Marshal(o)
		require.NoError(t, err)
		meta := o["metadata"].(object)
		out = append(out, manifest.Object{JSON: text, ID: manifest.ID{
			APIVersion: o["apiVersion"].(string), Kind: o["kind"].(string),
			Namespace: meta["namespace"].(string), Name: meta["name"].(string),
		}})
	}
	return out
}

// set sets a field of the first object. A tilde in the path stands for a dot.
func set(value any, path string) func([]object) {
	return in(0, func(objects []object) { setIn(objects[0], splitPath(path), value) })
}

// in applies an edit to an object other than the first.
func in(i int, edit func([]object)) func([]object) {
	return func(objects []object) { edit(objects[i:]) }
}

func both(all ...func([]object)) func([]object) {
	return func(objects []object) {
		for _, edit := range all {
			edit(objects)
		}
	}
}

func remove(indexes ...int) func([]object) {
	return func(objects []object) {
		for _, i := range indexes {
			clear(objects[i])
		}
	}
}

func swapDisks(objects []object) {
	devices := at(objects[0], "spec", "template", "spec", "domain", "devices").(object)
	slices.Reverse(devices["disks"].([]any))
}

// renamedDisk replaces the disk data by one of another name, with a claim of its own.
func renamedDisk(objects []object) {
	set("logs", "spec.template.spec.domain.devices.disks.1.name")(objects)
	set("logs", "spec.template.spec.volumes.1.name")(objects)
	set("db-logs", "spec.template.spec.volumes.1.persistentVolumeClaim.claimName")(objects)
}

func dropScratch(objects []object) {
	devices := at(objects[0], "spec", "template", "spec", "domain", "devices").(object)
	devices["disks"] = slices.Delete(devices["disks"].([]any), 2, 3)
}

func at(v any, path ...string) any {
	for _, p := range path {
		v = v.(object)[p]
	}
	return v
}

// A VM that boots from the network has no root disk, so every disk may contain data.
func TestDisklessLosesEveryDisk(t *testing.T) {
	diskless := both(
		set("scratch", "spec.template.spec.domain.devices.disks.0.name"), set("scratch", "spec.template.spec.volumes.0.name"),
		set([]any{object{"name": "default", "bootOrder": 1}}, "spec.template.spec.domain.devices.interfaces"))
	old, edited := load(t, "cattle"), load(t, "cattle")
	diskless(old)
	diskless(edited)
	set("Force=true,Replace=true", "metadata.annotations.argocd~argoproj~io/sync-options")(edited)
	p := plan.New(encode(t, old), encode(t, edited), plan.Options{Cluster: openshift})
	var lost []string
	for _, c := range p.VMs[0].Causes {
		if c.Code == "disk-deleted" {
			lost = append(lost, c.Path)
		}
	}
	require.Equal(t, []string{"spec.dataVolumeTemplates[web-data]", "spec.dataVolumeTemplates[web-root-1111]"}, lost)
}

// A new revision of a disk gives it another claim. The effect depends on whether the VM runs, and on how many
// nodes can mount the disks that keep their claims.
func TestRevisionOfDisk(t *testing.T) {
	const volume, modes = "spec.template.spec.volumes.1", "spec.storage.accessModes"
	moved := both(
		set(nil, volume+".persistentVolumeClaim"), set(object{"name": "db-data-2"}, volume+".dataVolume"),
		set("Migration", "spec.updateVolumesStrategy"))
	halted := set("Halted", "spec.runStrategy")
	one := []any{"ReadWriteOnce"}
	grow := in(2, set("200Gi", "spec.storage.resources.requests.storage"))
	next := object{
		"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "DataVolume", "metadata": object{"name": "db-data-2", "namespace": "prod"},
		"spec": object{"storage": object{"resources": object{"requests": object{"storage": "100Gi"}}}},
	}
	for name, test := range map[string]struct {
		before func([]object) // applied to both sides
		level  impact.Level
		code   impact.Code
	}{
		"running":                {func([]object) {}, impact.Migrate, "copied"},
		"stopped":                {halted, impact.Recreate, "not-copied"},
		"the disk is for a node": {in(2, set(one, modes)), impact.Migrate, "copied"},
		"another is for a node":  {in(1, set(one, modes)), impact.Recreate, "other-disk"},
		"the claim is smaller":   {grow, impact.Refused, "cannot-shrink"},
	} {
		t.Run(name, func(t *testing.T) {
			old, edited := load(t, "pet"), load(t, "pet")
			test.before(old)
			test.before(edited)
			moved(edited)
			edited = append(edited, next)
			p := plan.New(encode(t, old), encode(t, edited), plan.Options{Cluster: openshift})
			require.Equal(t, test.level, p.VMs[0].Level, "%+v", p.VMs[0].Causes)
			require.Equal(t, test.code, p.VMs[0].Causes[0].Code)
		})
	}
}
