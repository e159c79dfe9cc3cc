package values

import (
	"strconv"

	"github.com/vmrender/vmrender/pkg/source"
)

// Lifecycle is the long form of `lifecycle`. See [lifecycle.md](lifecycle.md)
// for the effects of each choice.
type Lifecycle struct {
	// `pet` is updated in place, `cattle` is recreated. Defaults to pet.
	Type string `json:"type,omitempty" enum:"pet,cattle"`
	// Strategy for recreating cattle. Defaults to rollout.
	Strategy Strategy `json:"strategy,omitempty" enum:"rollout,replace,blue-green,pool"`
	// Maximum number or percentage of cattle that can be down at the same time, with the strategies rollout and pool.
	// VMs that `replicas` of one entry creates have their own maximum. All VMs of a namespace without `replicas` that
	// have the same `maxUnavailable` are counted together. Defaults to 1.
	MaxUnavailable *IntOrPercent `json:"maxUnavailable,omitempty"`
	// With `strategy: pool`: which VMs are deleted when `replicas` is lowered, and whether their disks stay. Needs
	// KubeVirt 1.6.
	ScaleInStrategy *source.Node `json:"scaleInStrategy,omitempty" ref:"VirtualMachinePool"`
	// With `strategy: pool`: when a VM that does not start is replaced. Needs KubeVirt 1.7.
	Autohealing *source.Node `json:"autohealing,omitempty" ref:"VirtualMachinePool"`
	// With `strategy: pool`: whether a change restarts VMs (`{proactive: {}}`, the default, in the order of their
	// numbers), or waits until they restart (`{opportunistic: {}}`). Needs KubeVirt 1.7.
	UpdateStrategy *source.Node `json:"updateStrategy,omitempty" ref:"VirtualMachinePool"`
	// Time in seconds after which a rollout stops because a VM is not ready after its restart, or because the
	// import of its disk makes no progress. Defaults to 900 plus `terminationGracePeriodSeconds`.
	ProgressDeadlineSeconds *int `json:"progressDeadlineSeconds,omitempty" minimum:"1"`
	// Number of root disks of earlier revisions that a rollout keeps for each VM, the most recently used first.
	// Defaults to 1.
	KeepOld *int `json:"keepOld,omitempty" minimum:"0"`
	// Whether disks survive their VM, as separate DataVolumes. Defaults to true for pets and false for cattle.
	// Root disks of cattle are always recreated, except with `strategy: replace`.
	KeepDisks *bool `json:"keepDisks,omitempty"`
	// Effect of removing the VM from Git. `denied`: it stays, and keeps running. `approved`: it is deleted. `confirm`:
	// Argo CD 2.14 and later requires confirmation, and syncs nothing else of the Application until then. Defaults to
	// denied for pets and approved for cattle.
	Removal Removal `json:"removal,omitempty" enum:"denied,approved,confirm"`
	// Whether Argo CD protects the VM from deletion as described in [lifecycle.md](lifecycle.md): `full` or `none`.
	// With `none`, annotations, overrides and patches can also remove the protection. Defaults to full.
	Protection string `json:"protection,omitempty" enum:"full,none"`
	// Whether the cluster rejects the deletion of the VM (OpenShift delete-protection label). Not with the strategies
	// that delete VMs.
	Protect *bool `json:"protect,omitempty"`
	// Whether to take a snapshot of a pet before a change.
	SnapshotBefore *bool `json:"snapshotBefore,omitempty"`
	// Ansible job to run after a change of a pet.
	Ansible *Ansible `json:"ansible,omitempty"`
}

// Removal is what happens to a VM that is removed from Git.
type Removal string

// The kinds of removal.
const (
	Denied   Removal = "denied"
	Approved Removal = "approved"
	Confirm  Removal = "confirm"
)

// Ansible is a job that runs after a change, and on a schedule if there is one: a job template of Ansible
// Automation Platform or, without that platform, an image that runs a
// playbook.
type Ansible struct {
	// Job template of Ansible Automation Platform, which must prompt for variables on launch.
	Template string `json:"template,omitempty"`
	// Container image with ansible-runner, and with the playbook and its inventory in /runner.
	Image string `json:"image,omitempty"`
	// Path of the playbook below /runner/project of the image.
	Playbook string `json:"playbook,omitempty"`
	// Secret in the VM's namespace. With `template`, it contains the `host` and `token` of the platform; with
	// `image`, the files that ansible-runner reads from /runner/env, such as `ssh_key`.
	Secret string `json:"secret,omitempty"`
	// Extra variables, in addition to `vm_name` and `vm_namespace`. With `template`, none may begin with `ansible_`.
	ExtraVars map[string]*source.Node `json:"extraVars,omitempty"`
	// Times at which the job also runs while nothing changes, as `DAYS HH:MM ZONE` or a cron expression and a zone, as
	// in `snapshots`. A CronJob of the VM runs it, with `target.image`.
	Schedule string `json:"schedule,omitempty" format:"schedule" example:"Sun 03:00 Europe/Berlin"`
}

// IntOrPercent is a number from 1 or a percentage such as `25%`.
type IntOrPercent struct {
	Int     int
	Percent bool
}

// String returns the number or percentage as Kubernetes writes it.
func (v IntOrPercent) String() string {
	if v.Percent {
		return strconv.Itoa(v.Int) + "%"
	}
	return strconv.Itoa(v.Int)
}
