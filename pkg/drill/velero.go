package drill

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// The kinds of Velero, and that of OADP with the settings of its Velero.
const (
	kindSchedule = "Schedule.velero.io"
	kindBackup   = "Backup.velero.io"
	kindOADP     = "DataProtectionApplication.oadp.openshift.io"
)

// The labels of Velero (v1.16, pkg/apis/velero/v1/labels_annotations.go).
const (
	labelSchedule = "velero.io/schedule-name"
	labelExclude  = "velero.io/exclude-from-backup"
)

// velero is what one backup takes (Velero v1.16, pkg/apis/velero/v1/backup_types.go, BackupSpec), with the settings of
// its server.
type velero struct {
	d         *driller
	namespace string // of the server
	spec      manifest.Tree
	server    manifest.Tree // DataProtectionApplication; nil if unknown
	state     answer        // of the backup as a whole: fails and doubts
	policies  []any         // of volumes, in their order
	// unread is what is unknown if the ConfigMap with the policies is neither in Git nor in the cluster.
	unread []string
}

func (d *driller) velero(e cluster.Entity, spec any) *velero {
	b := &velero{d: d, namespace: e.ID.Namespace, spec: tree(spec), state: kept}
	for _, state := range []*cluster.State{d.git, d.Live} {
		for _, s := range state.Of(kindOADP, e.ID.Namespace) {
			b.server = s.Object
		}
	}
	b.readPolicies()
	return b
}

// schedule reads a Schedule.
func (d *driller) schedule(e cluster.Entity) func(*claim) answer {
	b := d.velero(e, manifest.At(e.Object, "spec", "template"))
	status := manifest.At(e.Object, "status")
	switch {
	case manifest.At(e.Object, "spec", "paused") == true:
		b.state = fails("is paused")
	case manifest.Text(status, "phase") == "FailedValidation":
		b.state = fails("is invalid, so it takes no backups")
	case status != nil && manifest.Text(status, "lastBackup") == "":
		b.state = doubts("whether the " + named(e.ID) + " has taken a backup: its status has none")
	default:
		b.state = d.lastBackups(e)
	}
	return b.covers
}

// lastBackups returns whether one of the backups of a Schedule is complete.
func (d *driller) lastBackups(e cluster.Entity) answer {
	isAny := false
	for _, backup := range d.Live.Of(kindBackup, e.ID.Namespace) {
		if manifest.Text(backup.Object, "metadata", "labels", labelSchedule) != e.ID.Name {
			continue
		}
		if manifest.Text(backup.Object, "status", "phase") == "Completed" {
			return kept
		}
		isAny = true
	}
	if isAny {
		return doubts("what the backups of the " + named(e.ID) + " contain: none of them is Completed")
	}
	return kept
}

// backupPhases are the phases of backups that are not complete and can contain a disk, or not yet. One without a phase
// is in Git alone.
var backupPhases = []string{
	"New", "InProgress", "WaitingForPluginOperations", "WaitingForPluginOperationsPartiallyFailed", "Finalizing",
	"FinalizingPartiallyFailed", "PartiallyFailed",
}

// backup reads a Backup. Those of a Schedule count with it.
func (d *driller) backup(e cluster.Entity) func(*claim) answer {
	by := manifest.Text(e.Object, "metadata", "labels", labelSchedule)
	if by != "" && d.either(kindSchedule, e.ID.Namespace, by) != nil {
		return nil
	}
	b := d.velero(e, manifest.At(e.Object, "spec"))
	switch phase := manifest.Text(e.Object, "status", "phase"); {
	case slices.Contains(backupPhases, phase):
		b.state = doubts("what the " + named(e.ID) + " contains: it is " + phase)
	case phase != "" && phase != "Completed":
		b.state = fails("is " + phase)
	}
	started := manifest.Text(e.Object, "status", "startTimestamp")
	return func(c *claim) answer {
		a := b.covers(c)
		if a.selects && started != "" && cluster.Created(c.object) > started { // both in RFC 3339, in UTC
			return fails("is older than the disk")
		}
		return a
	}
}

// covers returns what the backup does for a disk.
func (b *velero) covers(c *claim) answer {
	route := b.selects(c)
	switch {
	case route == nil || !b.hasNamespace(c.namespace):
		return answer{}
	case b.state.fails != "":
		return b.state
	case c.labels[labelExclude] == "true":
		return fails("leaves it out, because of its label " + labelExclude)
	}
	for _, resource := range route {
		if !b.hasResource(resource) {
			return fails("leaves out " + resource + resourceRole[resource])
		}
	}
	moved := b.moves(c)
	if len(route) > 1 {
		moved = moved.and(b.plugin())
	}
	return moved.and(b.state)
}

// and returns the answer of a shield that needs two things.
func (a answer) and(other answer) answer {
	if a.fails != "" {
		return a
	}
	if other.fails != "" {
		return other
	}
	return doubts(slices.Concat(a.doubts, other.doubts)...)
}

// config returns a setting of OADP (v1.4, api/v1alpha1/dataprotectionapplication_types.go), or nil.
func (b *velero) config(path ...string) any {
	return manifest.At(b.server, append([]string{"spec", "configuration"}, path...)...)
}

// plugin returns whether the server has the plugin of KubeVirt.
func (b *velero) plugin() answer {
	if b.server == nil {
		return doubts("whether the Velero of " + b.namespace + " has KubeVirt's plugin: it has no DataProtectionApplication")
	}
	plugins := manifest.List(b.config("velero"), "defaultPlugins")
	if slices.Contains(plugins, any("kubevirt")) || len(manifest.List(b.config("velero"), "customPlugins")) > 0 {
		return kept
	}
	return fails("selects the VM, but OADP does not have the plugin kubevirt, which adds its disks")
}
