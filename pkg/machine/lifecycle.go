package machine

import (
	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// Lifecycle specifies what happens after a change, with all values resolved.
type Lifecycle struct {
	Strategy       values.Strategy // [values.InPlace] for pets
	KeepDisks      bool
	Removal        values.Removal // empty for the default
	Unprotected    bool           // whether nothing protects the VM from deletion, or checks that it is protected
	Protect        bool
	SnapshotBefore bool         // of pets
	Ansible        *Ansible     // of pets; nil if there is no job
	Maintenance    *Maintenance // of pets; nil if there is none
	Snapshots      *Snapshots   // of pets, on a schedule; nil if there are none
	Power          *Power       // of pets; nil if only users start and stop the VM
	// RestoreFrom is a restore of a pet, with the token only if there is one; nil if there is none.
	RestoreFrom    *approval.Restore
	MaxUnavailable values.IntOrPercent
	// ProgressDeadlineSeconds limits each step of a rollout; 0 if it is not set.
	ProgressDeadlineSeconds int
	KeepOld                 int   // number of root disks of earlier revisions to keep
	Replicas                int32 // of a pool

	// Parts of KubeVirt's pool, as written, or nil if unset.
	ScaleInStrategy, Autohealing, UpdateStrategy *source.Node
}

// Ansible is a job that runs after a change: a job template of Ansible
// Automation Platform, or an image with a playbook.
type Ansible struct {
	Template        string
	Image, Playbook string
	Secret          string
	ExtraVars       map[string]any // values as in JSON
	Schedule        *Times         // nil if it runs after changes only
}

// Patches reports whether a CronJob of Ansible belongs to the VM.
func (lc *Lifecycle) Patches() bool { return lc.Ansible != nil && lc.Ansible.Schedule != nil }

// Cattle reports whether the VM is recreated instead of updated in place.
func (lc *Lifecycle) Cattle() bool { return !lc.Strategy.Traits().Pet }

// Restores reports whether the VM is restored from a snapshot.
func (lc *Lifecycle) Restores() bool { return lc.RestoreFrom != nil && lc.RestoreFrom.Token != "" }

// Hooks reports whether a Job with vmrender's own image belongs to the VM.
func (lc *Lifecycle) Hooks() bool {
	return lc.Strategy.Traits().Job || lc.SnapshotBefore || lc.Maintenance != nil || lc.Snapshots != nil ||
		lc.Power != nil || lc.Restores()
}
