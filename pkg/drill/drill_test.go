package drill_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/drill"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// The parts of Git and clusters. The VM db has a disk, db-root.
const (
	spec = `runStrategy: Always, template: {metadata: {}, spec: {domain: {devices: {disks: [{name: root, disk: {}}]}}, ` +
		`volumes: [{name: root, persistentVolumeClaim: {claimName: db-root}}]}}`
	virtual = `
---
{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: db, namespace: prod, labels: {app: db, ` +
		`changedBlockTracking: "true"}}, spec: {` + spec + `}}`
	volume = `
---
{apiVersion: cdi.kubevirt.io/v1beta1, kind: DataVolume, metadata: {name: db-root, namespace: prod, ` +
		`labels: {app: db}}, ` +
		`spec: {source: {registry: {url: "docker://r/i"}}, storage: {resources: {requests: {storage: 30Gi}}}}}`
	claim = `
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: db-root, namespace: prod, labels: {app: db}}, ` +
		`spec: {volumeMode: Block, storageClassName: ceph}}`
	oadp = `
---
{apiVersion: oadp.openshift.io/v1alpha1, kind: DataProtectionApplication, metadata: {name: dpa, ` +
		`namespace: adp}, spec: ` +
		`{configuration: {nodeAgent: {enable: true}, velero: {defaultPlugins: [openshift, aws, csi, kubevirt]}}}}`
	base = virtual + volume
)

// schedule returns a Schedule of Velero, and the other fields of it.
func schedule(template string, more ...string) string {
	return `
---
{apiVersion: velero.io/v1, kind: Schedule, metadata: {name: nightly, namespace: adp}, spec: {template: {` + template +
		`}}` + strings.Join(append([]string{""}, more...), ", ") + `}`
}

// object returns an object with a spec.
func object(apiVersion, kind, namespace, name, spec string) string {
	return `
---
{apiVersion: ` + apiVersion + `, kind: ` + kind + `, metadata: {name: ` + name + `, ` +
		`namespace: ` + namespace + `}, spec: {` +
		spec + `}}`
}

// read returns the objects of a text.
func read(t *testing.T, text string) []manifest.Object {
	t.Helper()
	objects, err := manifest.Read(strings.NewReader(text))
	require.NoError(t, err, text)
	return objects
}

// run returns the losses of a drill, one a line: "prod/db disk [?] reason".
func run(t *testing.T, in drill.Input) (*drill.Drill, []string) {
	t.Helper()
	in.Common = catalog.Installed
	d := drill.New(in)
	lines := []string{}
	for _, list := range [][]drill.Rebuild{d.VMs, d.Objects} {
		for i := range list {
			for _, l := range list[i].Losses {
				mark := ""
				if len(l.Unknown) > 0 {
					mark = " [?]"
				}
				lines = append(lines, list[i].ID.Namespace+"/"+list[i].ID.Name+" "+l.Kind.String()+mark+" "+l.Reason)
			}
		}
	}
	return d, lines
}

const (
	lost = "prod/db disk db-root (30Gi): no backup or replica of it leaves this site"
	with = lost + ": the Schedule adp/nightly "
	open = "prod/db disk [?] db-root (30Gi): no backup or replica of it leaves this site"
)

// shields are objects of backups and replicas next to the VM db, in the cluster and in Git, and what is lost of its
// disk; "" for nothing.
var shields = []struct {
	name, objects, want string
}{
	{"none that is seen", "", open},
	{"all of a namespace", oadp + schedule(`includedNamespaces: [prod], snapshotMoveData: true`), ""},
	{"all namespaces", oadp + schedule(`snapshotMoveData: true`), ""},
	{"a pattern", oadp + schedule(`includedNamespaces: ["pr*"], snapshotMoveData: true`), ""},
	{"another namespace", oadp + schedule(`includedNamespaces: [dev], snapshotMoveData: true`), lost},
	{"not this namespace", oadp + schedule(`excludedNamespaces: [prod], snapshotMoveData: true`), lost},
	{"no server", schedule(`snapshotMoveData: true`), ""},
	{
		"the label of the VM", oadp + schedule(`labelSelector: {matchLabels: {changedBlockTracking: "true"}}, `+
			`snapshotMoveData: true`), "",
	},
	{
		"one of two selectors", oadp + schedule(`orLabelSelectors: [{matchLabels: {app: x}}, {matchLabels: {app: db}}], `+
			`snapshotMoveData: true`), "",
	},
	{"another label", oadp + schedule(`labelSelector: {matchLabels: {app: x}}, snapshotMoveData: true`), lost},
	{
		"the label of the VM without OADP",
		schedule(`labelSelector: {matchLabels: {changedBlockTracking: "true"}}, snapshotMoveData: true`), open,
	},
	{
		"no plugin", strings.ReplaceAll(oadp, ", kubevirt", "") +
			schedule(`labelSelector: {matchLabels: {changedBlockTracking: "true"}}, snapshotMoveData: true`),
		with + "selects the VM, but OADP does not have the plugin kubevirt, which adds its disks",
	},
	{
		"no pods", oadp + schedule(`labelSelector: {matchLabels: {changedBlockTracking: "true"}}, excludedResources: [po], `+
			`snapshotMoveData: true`), with + "leaves out pods, so KubeVirt's plugin refuses VMs that run",
	},
	{
		"no claims", oadp + schedule(`excludedResources: [persistentvolumeclaims], snapshotMoveData: true`),
		with + "leaves out persistentvolumeclaims",
	},
	{
		"only Secrets", oadp + schedule(`includedNamespaceScopedResources: [secrets], snapshotMoveData: true`),
		with + "leaves out persistentvolumeclaims",
	},
	{"some resources", oadp + schedule(`includedResources: [pvc, VirtualMachine], snapshotMoveData: true`), ""},
	{
		"snapshots", oadp + schedule(""), with + "takes snapshots that stay at this site: `snapshotMoveData` is not true",
	},
	{"snapshots of an unknown server", schedule(""), open},
	{
		"moved by default", strings.Replace(oadp, "velero: {", "velero: {defaultSnapshotMoveData: true, "+
			"", 1) + schedule(""), "",
	},
	{
		"no volumes", oadp + schedule(`snapshotVolumes: false, snapshotMoveData: true`),
		with + "takes no snapshots of volumes (`snapshotVolumes: false`)",
	},
	{
		"no node agent", strings.Replace(oadp, "enable: true", "enable: false", 1) + schedule(`snapshotMoveData: true`),
		with + "cannot move data: OADP runs no node agent (`nodeAgent.enable`)",
	},
	{
		"no csi", strings.Replace(oadp, " csi,", "", 1) + schedule(`snapshotMoveData: true`),
		with + "takes no snapshots: OADP does not have the plugin csi",
	},
	{"files", oadp + schedule(`defaultVolumesToFsBackup: true`), open},
	{
		"paused", strings.Replace(oadp+schedule(`snapshotMoveData: true`), "spec: {template", "spec: {paused: true, "+
			"template", 1),
		with + "is paused",
	},
	{
		"invalid", oadp + schedule(`snapshotMoveData: true`, `status: {phase: FailedValidation}`),
		with + "is invalid, so it takes no backups",
	},
	{"no backup yet", oadp + schedule(`snapshotMoveData: true`, `status: {phase: Enabled}`), open},
	{"a last backup", oadp + schedule(`snapshotMoveData: true`, `status: {lastBackup: "2026-11-22T03:00:00Z"}`), ""},
	{"a backup", oadp + object("velero.io/v1", "Backup", "adp", "b", "snapshotMoveData: true"), ""},
	{
		"a policy that skips", oadp + schedule(`snapshotMoveData: true, resourcePolicy: {kind: configmap, `+
			`name: p}`) + policies(
			`[{conditions: {storageClass: [nfs]}, action: {type: snapshot}}, {conditions: {pvcLabels: {app: db}}, `+
				`action: {type: skip}}]`), open,
	},
	{
		"a policy for all", oadp + schedule(`snapshotMoveData: true, resourcePolicy: {kind: configmap, name: p}`) +
			policies(`[{conditions: {}, action: {type: skip}}]`), with + "skips it by its volume policy",
	},
	{"an unknown policy", oadp + schedule(`snapshotMoveData: true, resourcePolicy: {kind: configmap, name: p}`), open},
	{
		"Ramen",
		object("ramendr.openshift.io/v1alpha1", "DRPlacementControl", "prod", "p", `pvcSelector: {matchLabels: {app: db}}`),
		"",
	},
	{
		"Ramen elsewhere",
		object("ramendr.openshift.io/v1alpha1", "DRPlacementControl", "ops", "p", `pvcSelector: {matchLabels: {app: db}}`),
		lost,
	},
	{
		"Ramen in named namespaces", object("ramendr.openshift.io/v1alpha1", "DRPlacementControl", "ops", "p",
			`protectedNamespaces: [prod], pvcSelector: {}`), "",
	},
	{
		"Ramen by a recipe", object("ramendr.openshift.io/v1alpha1", "DRPlacementControl", "prod", "p",
			`pvcSelector: {}, kubeObjectProtection: {recipeRef: {name: own}}`), open,
	},
	{
		"Ramen by the recipe of VMs", object("ramendr.openshift.io/v1alpha1", "DRPlacementControl", "prod", "p",
			`pvcSelector: {}, kubeObjectProtection: {recipeRef: {name: vm-recipe}, `+
				`recipeParameters: {PVC_RESOURCE_SELECTOR: [x]}}`),
		lost,
	},
	{
		"a group of Ramen", object("ramendr.openshift.io/v1alpha1", "VolumeReplicationGroup", "prod", "p",
			`replicationState: primary, pvcSelector: {matchLabels: {app: db}}`), "",
	},
	{
		"a group of Ramen that receives", object("ramendr.openshift.io/v1alpha1", "VolumeReplicationGroup", "prod", "p",
			`replicationState: secondary, pvcSelector: {matchLabels: {app: db}}`), lost,
	},
	{
		"a replication", object("replication.storage.openshift.io/v1alpha1", "VolumeReplication", "prod", "r",
			`replicationState: primary, dataSource: {kind: PersistentVolumeClaim, name: db-root}`), "",
	},
	{
		"a replication that receives", object("replication.storage.openshift.io/v1alpha1", "VolumeReplication", "prod", "r",
			`replicationState: secondary, dataSource: {kind: PersistentVolumeClaim, name: db-root}`),
		lost + ": the VolumeReplication prod/r is secondary, so it sends nothing",
	},
	{
		"a replication of a group", object("replication.storage.openshift.io/v1alpha1", "VolumeGroupReplication", "prod", "r",
			`replicationState: primary, source: {selector: {matchLabels: {app: db}}}`), "",
	},
	{"VolSync", object("volsync.backube/v1alpha1", "ReplicationSource", "prod", "s", `sourcePVC: db-root, `+
		`restic: {}`), ""},
	{
		"VolSync that is paused",
		object("volsync.backube/v1alpha1", "ReplicationSource", "prod", "s", `sourcePVC: db-root, paused: true, restic: {}`),
		lost + ": the ReplicationSource prod/s is paused",
	},
	{
		"VolSync that receives",
		object("volsync.backube/v1alpha1", "ReplicationDestination", "prod", "s", `rsyncTLS: {destinationPVC: db-root}`),
		open,
	},
	{
		"snapshots of KubeVirt and storage", schedule(`includedNamespaces: [dev]`) +
			object("snapshot.storage.k8s.io/v1", "VolumeSnapshot", "prod", "s", `source: {persistentVolumeClaimName: db-root}`) +
			object("snapshot.kubevirt.io/v1beta1", "VirtualMachineSnapshot", "prod", "s", `source: {name: db}`), lost,
	},
}

// policies returns the ConfigMap p with volume policies.
func policies(list string) string {
	return `
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: p, namespace: adp}, data: {policies.yaml: '{version: v1, ` +
		`volumePolicies: ` +
		list + `}'}}`
}

func TestShields(t *testing.T) {
	for _, c := range shields {
		t.Run(c.name, func(t *testing.T) {
			for where, in := range map[string]drill.Input{
				"in both":        {Git: read(t, base+c.objects), Live: read(t, base+c.objects)},
				"in the cluster": {Git: read(t, base), Live: read(t, base+c.objects)},
			} {
				want := []string{}
				if c.want != "" {
					want = append(want, c.want)
				}
				d, got := run(t, in)
				require.Equal(t, want, got, where)
				require.Equal(t, len(want) == 0, d.Score.Whole == 1, where)
				require.Equal(t, c.want == open, d.Score.Unknown == 1, where)
			}
		})
	}
}

// A Schedule in Git counts as soon as it is there; without objects of its kind in the cluster, only what it keeps is
// known for certain.
func TestShieldsInGit(t *testing.T) {
	git := base + oadp + schedule(`snapshotMoveData: true`)
	d, got := run(t, drill.Input{Git: read(t, git), Live: read(t, base)})
	require.Empty(t, got)
	require.Equal(t, []string{"the Schedule adp/nightly keeps one disk elsewhere"}, d.Notes)
	require.Equal(t, 100, d.Score.Percent())
	d, got = run(t, drill.Input{Git: read(t, base), Live: read(t, base), IsWhole: true})
	require.Equal(t, []string{lost}, got)
	require.Equal(t, 0, d.Score.Percent())
}

// Backups that a Schedule has taken decide whether it has taken one; other backups count for themselves.
func TestBackups(t *testing.T) {
	backup := func(labels, phase string) string {
		return `
---
{apiVersion: velero.io/v1, kind: Backup, metadata: {name: b` + phase + `, namespace: adp, labels: {` + labels + `}}, ` +
			`spec: {snapshotMoveData: true}, status: {phase: ` + phase + `}}`
	}
	const of = "velero.io/schedule-name: nightly"
	nightly := oadp + schedule(`snapshotMoveData: true`, `status: {lastBackup: "2026-11-22T03:00:00Z"}`)
	for name, c := range map[string]struct{ objects, want string }{
		"complete":          {nightly + backup(of, "Completed") + backup(of, "Failed"), ""},
		"failed":            {nightly + backup(of, "Failed"), open},
		"of no Schedule":    {oadp + backup("", "Completed"), ""},
		"of one that ended": {oadp + backup(of, "Completed"), ""},
		"partly":            {oadp + backup("", "PartiallyFailed"), open},
		"Failed":            {oadp + backup("", "Failed"), lost + ": the Backup adp/bFailed is Failed"},
	} {
		want := []string{}
		if c.want != "" {
			want = append(want, c.want)
		}
		_, got := run(t, drill.Input{Git: read(t, base), Live: read(t, base+c.objects)})
		require.Equal(t, want, got, name)
	}
}

// Of a disk that a backup of files copies, the mode of its volume and whether the VM runs decide.
func TestBackupOfFiles(t *testing.T) {
	files := oadp + schedule(`defaultVolumesToFsBackup: true`)
	_, got := run(t, drill.Input{Git: read(t, base), Live: read(t, base+claim+files)})
	require.Equal(t, []string{
		"prod/db disk db-root: no backup or replica of it leaves this site: the Schedule adp/nightly copies files, " +
			"and the disk is a block device",
	}, got)
	fs := strings.Replace(claim, "Block", "Filesystem", 1)
	_, got = run(t, drill.Input{Git: read(t, base), Live: read(t, base+fs+files)})
	require.Empty(t, got)
	stopped := strings.Replace(virtual, "}}}}", "}}}, status: {printableStatus: Stopped}}", 1) + volume
	_, got = run(t, drill.Input{Git: read(t, base), Live: read(t, stopped+fs+files)})
	require.Len(t, got, 1)
	require.Contains(t, got[0], "and the VM does not run")
}

// A Backup has no disk that is newer than it.
func TestBackupsBeforeADisk(t *testing.T) {
	const backup = `
---
{apiVersion: velero.io/v1, kind: Backup, metadata: {name: b, namespace: adp}, spec: {snapshotMoveData: true}, ` +
		`status: {phase: Completed, startTimestamp: "2026-11-22T03:00:00Z"}}`
	for created, want := range map[string][]string{
		"2026-11-21T00:00:00Z": {},
		"2026-11-23T00:00:00Z": {lost + ": the Backup adp/b is older than the disk"},
	} {
		live := virtual + strings.Replace(volume, "labels:", `creationTimestamp: "`+created+`", labels:`, 1)
		_, got := run(t, drill.Input{Git: read(t, base), Live: read(t, live+oadp+backup)})
		require.Equal(t, want, got, created)
	}
}
