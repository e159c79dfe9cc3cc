package values

import (
	"fmt"
	"time"

	"github.com/vmrender/vmrender/internal/lazyregexp"
)

// Migrate moves a VM from VMware vSphere with the Migration Toolkit for Virtualization, also known as forklift. VMs of
// a namespace with the same `plan` move together. Their keys must be equal, except `vm`, `disks`, `cancel` and `done`;
// a VM can also omit `hooks`. See [migrate.md](../how-to/migrate.md) for all steps of a migration.
//
// The keys correspond to PlanSpec and MigrationSpec of kubev2v/forklift (v2.12.5,
// pkg/apis/forklift/v1beta1/plan.go and migration.go).
type Migrate struct {
	// VM in vSphere: its managed object ID, such as `vm-1234`, its name, or its path in the inventory. Without it,
	// nothing is migrated, so that a higher level can set the other keys for many VMs. A template.
	VM string `json:"vm,omitempty"`
	// Provider object for vSphere, as `namespace/name`, or the name of one in forklift's own namespace: `openshift-mtv`
	// on OpenShift, otherwise `konveyor-forklift`. The VMs move to the provider `host` next to it.
	Provider string `json:"provider,omitempty"`
	// Name of the Plan. Defaults to the name of the VM, which then moves alone.
	Plan string `json:"plan,omitempty" format:"name"`
	// Whether disks are copied while the VM still runs in vSphere, and only the changes since then at `cutover`. Needs
	// Changed Block Tracking in vSphere. Otherwise the VM is shut down first.
	Warm *bool `json:"warm,omitempty"`
	// Number of the migration run: 1 starts the migration, and 2 starts it again for the VMs that failed. Defaults to
	// 0: the Plan exists and is checked, but nothing moves. When all VMs are `done`, the Plan is removed.
	Run *int `json:"run,omitempty" minimum:"0" maximum:"20"`
	// With `warm`: time at which the VMs are shut down and the remaining changes are copied, as `2026-12-05T22:00:00Z`.
	Cutover string `json:"cutover,omitempty" format:"time"`
	// Power state after the migration. Defaults to the one in vSphere.
	PowerState string `json:"powerState,omitempty" enum:"on,off"`
	// Whether the guest keeps its static IP addresses. Defaults to true.
	PreserveStaticIPs *bool `json:"preserveStaticIPs,omitempty"`
	// Network for the copies of disks: a network of the catalog, or `namespace/nad`. Defaults to the pod network.
	TransferNetwork string `json:"transferNetwork,omitempty"`
	// Names of the disks in the order of vSphere: by controller (SATA, IDE, SCSI, NVMe), then by unit. Defaults to the
	// order of `disks`, root first. The Plan is not ready as long as vSphere has more of them.
	Disks []string `json:"disks,omitempty" example:"[root, logs, data]"`
	// Hooks that forklift runs before and after the VM moves.
	Hooks *Hooks `json:"hooks,omitempty"`
	// Whether the last run no longer includes the VM.
	Cancel *bool `json:"cancel,omitempty"`
	// Whether the VM has moved. Its VirtualMachine is then rendered from Git, with the disks that the migration
	// created. Before, only the objects of the migration are rendered.
	Done *bool `json:"done,omitempty"`
}

// Hooks sets the images that forklift runs before and after a VM moves, in the namespace of its Plan. The VMs of a plan
// share one hook for each step, or have none. The playbook reads the name of its VM from /tmp/hook/workload.yml.
type Hooks struct {
	// Hook at the start of a run, while the VM still runs in vSphere. With `warm`, this is before the first copy, and
	// not at `cutover`.
	Pre *Hook `json:"pre,omitempty"`
	// Hook after the VirtualMachine is created.
	Post *Hook `json:"post,omitempty"`
}

// Hook is an image that forklift runs in a Job, once for each VM and run. If it fails, so does the migration of the VM.
//
// The keys correspond to HookSpec of kubev2v/forklift (v2.12.5, pkg/apis/forklift/v1beta1/hook.go).
type Hook struct {
	// Container image, with /bin/entrypoint and ansible-runner if there is a `playbook`. Required.
	Image string `json:"image,omitempty" example:"quay.io/konveyor/hook-runner:latest"`
	// Text of the Ansible playbook that the image runs. Not a template: text in braces is for Ansible.
	Playbook string `json:"playbook,omitempty"`
	// ServiceAccount of the Job, in the namespace of the VM. Defaults to the one that forklift is configured with.
	ServiceAccount string `json:"serviceAccount,omitempty" format:"name"`
	// Time in seconds after which the hook has failed. Defaults to no limit.
	Deadline *int `json:"deadline,omitempty" minimum:"1"`
}

// managedObject matches the ID that vSphere gives a VM.
var managedObject = lazyregexp.New(`^vm-[0-9]+$`)

// IsManagedObject reports whether the name of a VM in vSphere is its managed object ID.
func IsManagedObject(vm string) bool { return managedObject().MatchString(vm) }

// timeProblem returns what is wrong with a time (RFC 3339), or "" if nothing is.
func timeProblem(text string) string {
	if _, err := time.Parse(time.RFC3339, text); err != nil {
		return fmt.Sprintf("invalid time %q; expected a time such as \"2026-12-05T22:00:00Z\"", text)
	}
	return ""
}
