package values

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/vmrender/vmrender/internal/sizes"
	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/source"
)

// VM contains the keys of a virtual machine, or those that one level of
// inheritance sets. Only `os` is required, on any level.
type VM struct {
	// Operating system: a name in the catalog. Sets image, firmware, buses, NIC model, Hyper-V features, clock,
	// inputs, grace period, and the minimum cpu and memory.
	OS string `json:"os,omitempty" names:"os"`
	// Size: a name in the catalog. Expands to `cpu` and `memory` at the level that sets it.
	Flavor string `json:"flavor,omitempty" names:"flavors"`
	// Virtual CPUs: a number, or the long form.
	CPU *CPU `json:"cpu,omitempty"`
	// Guest memory: a quantity such as `16Gi`, or the long form.
	Memory *Memory `json:"memory,omitempty"`
	// KubeVirt instance type, by name (cluster-wide) or in the long form. Excludes `cpu`, `memory` and
	// `flavor`.
	Instancetype *Matcher `json:"instancetype,omitempty"`
	// KubeVirt preference, by name (cluster-wide) or in the long form. Settings that a preference owns are not
	// rendered.
	Preference *Matcher `json:"preference,omitempty"`
	// Resources of the VM's pod, instead of those that KubeVirt computes from `cpu` and `memory`.
	Resources *Resources `json:"resources,omitempty"`

	// Disks by name. A quantity is short for `{size: QUANTITY}`. `root` is the boot disk, whose source and size default
	// to those of the operating system. With `root: null`, the VM has no disk of its own, and boots from the network or
	// from a kernel in `overrides`.
	Disks map[string]*Disk `json:"disks,omitempty" example:"{data: 20Gi}"`
	// Whether data disks are hotpluggable that do not say it themselves, so that a new one is plugged in while the VM
	// runs. It is for the disks of pets that have a claim and the bus virtio or scsi, their own or that of the operating
	// system, except `root` and CD-ROMs. They keep their bus; that of a preference does not count. A disk that a VM
	// already has costs nothing: it is hotpluggable from the next start on. From KubeVirt 1.6.3.
	Hotpluggable *bool `json:"hotpluggable,omitempty"`
	// CD-ROM with the virtio drivers for Windows: true for the image of KubeVirt (on OpenShift, that of OpenShift
	// Virtualization), or the name of another container image. An error for Linux, which includes the drivers.
	DriversDisk *DriversDisk `json:"driversDisk,omitempty"`
	// Labels of the DataVolumes of all disks, which CDI copies to their claims, so that backups can select the claims.
	// They are for new disks: CDI does not change the labels of a claim that exists. Values are templates.
	DiskLabels map[string]string `json:"diskLabels,omitempty" example:"{backup: gold}"`
	// Directories of the cluster that the guest mounts with virtiofs, by their mount tag: `mount -t virtiofs NAME
	// /mnt`. Windows needs the drivers and WinFsp.
	Filesystems map[string]*Filesystem `json:"filesystems,omitempty"`
	// NICs. A name is short for `{network: NAME}`. `pod` is the pod network. Defaults to one NIC on the pod network.
	NICs []NIC `json:"nics,omitempty" example:"[pod, vlan2003]"`

	// First-boot configuration of Linux guests, and of Windows guests with cloudbase-init.
	CloudInit *CloudInit `json:"cloudInit,omitempty" example:"{user: admin, packages: [nginx]}"`
	// Answer file of Windows guests. An error for Linux.
	Sysprep *Sysprep `json:"sysprep,omitempty" example:"{secret: NAME}"`

	// Firmware: `bios`, `efi`, `secureboot`, or the long form.
	Firmware *Firmware `json:"firmware,omitempty"`
	// Virtual TPM: true, false, or the long form.
	TPM *TPM `json:"tpm,omitempty"`
	// GPUs, by device name.
	GPUs []Device `json:"gpus,omitempty" example:"[nvidia.com/GA102GL_A10]"`
	// Host devices, by device name.
	HostDevices []Device `json:"hostDevices,omitempty" example:"[example.com/device]"`

	// Machine type, such as `pc-q35-rhel9.6.0`. Defaults to that of the cluster.
	MachineType string `json:"machineType,omitempty"`
	// CPU architecture. Defaults to `target.arch` of fleet.yaml, then to amd64.
	Arch string `json:"arch,omitempty" enum:"amd64,arm64,s390x"`
	// Host name of the guest. Defaults to the name of the VM. A template.
	Hostname string `json:"hostname,omitempty"`
	// Labels of the VirtualMachine and its pods. Values are templates.
	Labels map[string]string `json:"labels,omitempty" example:"{tier: web}"`
	// Annotations of the VirtualMachine. Values are templates.
	Annotations map[string]string `json:"annotations,omitempty" example:"{team: web}"`
	// Labels of the VM's pods only, which Services, network policies and affinities select. For a key that `labels` has
	// as well, the pods have this value. For labels of the VirtualMachine only, use `overrides`. Values are templates.
	PodLabels map[string]string `json:"podLabels,omitempty" example:"{tier: web}"`
	// Annotations of the VM's pods, which service meshes, networks, the descheduler and backup tools read. Values are
	// templates.
	PodAnnotations map[string]string `json:"podAnnotations,omitempty"`
	// Whether KubeVirt tracks which blocks of the disks change, for incremental backups: the VM gets the label
	// `changedBlockTracking: "true"`, which `changedBlockTrackingLabelSelectors` of HyperConverged or KubeVirt select,
	// with the feature gate IncrementalBackup. It takes effect at the next start of the VM. From KubeVirt 1.7.
	Backup *bool `json:"backup,omitempty"`
	// Workload type: server, desktop or highperformance.
	Workload string `json:"workload,omitempty"`
	// Namespace. Defaults to that of the Application (or `--namespace`).
	Namespace string `json:"namespace,omitempty"`

	// Whether the VM was made elsewhere and is taken over as it is: it gets only what its values say. The traits of its
	// operating system do not count; `cpu`, `memory` and `nics` are as written, also without some or all of them, and
	// what is a rule for new VMs is a warning. `vmrender import` sets it.
	Adopted *bool `json:"adopted,omitempty"`
	// Whether the VM and its pods have the labels and annotations that consoles and metrics show: the pod labels
	// `kubevirt.io/domain` and `kubevirt.io/size`, and the pod annotations `vm.kubevirt.io/os`, `flavor` and `workload`.
	// Defaults to true, and to false if the VM is `adopted`. A Service of a VM without them selects its pod by the label
	// `vm.kubevirt.io/name`, which KubeVirt sets.
	ConsoleLabels *bool `json:"consoleLabels,omitempty"`

	// Run strategy. Defaults to Always, and with `power` to RerunOnFailure. `WaitAsReceiver` is for a VM that another
	// cluster migrates into.
	RunStrategy string `json:"runStrategy,omitempty" enum:"Always,Halted,Manual,RerunOnFailure,Once,WaitAsReceiver"`
	// Older form of `runStrategy`, which a VM can have instead: true for Always, false for Halted. For `adopted` VMs.
	Running *bool `json:"running,omitempty"`
	// Eviction strategy for drains of the node. Defaults to that of the cluster.
	EvictionStrategy string `json:"evictionStrategy,omitempty" enum:"LiveMigrate,LiveMigrateIfPossible,None,External"`
	// Node labels that the VM requires.
	NodeSelector map[string]string `json:"nodeSelector,omitempty" keys:"label" example:"{zone: a}"`
	// Kubernetes tolerations.
	Tolerations *source.Node `json:"tolerations,omitempty" ref:"tolerations"`
	// Kubernetes affinity. Its selectors, and those of `topologySpreadConstraints`, see the labels of pods: `labels`
	// and `podLabels` of their VMs, and on the VMs of `replicas` also `vmrender.io/group` with the name of the entry. See
	// [spread.md](../how-to/spread.md).
	Affinity *source.Node `json:"affinity,omitempty" ref:"affinity"`
	// Kubernetes topology spread constraints.
	TopologySpreadConstraints *source.Node `json:"topologySpreadConstraints,omitempty" ref:"topologySpreadConstraints"`
	// Priority class of the VM's pod.
	PriorityClassName string `json:"priorityClassName,omitempty" format:"name"`
	// Time in seconds for the guest to shut down.
	TerminationGracePeriodSeconds *int64 `json:"terminationGracePeriodSeconds,omitempty" minimum:"0"`
	// KubeVirt readiness probe.
	ReadinessProbe *source.Node `json:"readinessProbe,omitempty" ref:"readinessProbe"`
	// KubeVirt liveness probe.
	LivenessProbe *source.Node `json:"livenessProbe,omitempty" ref:"livenessProbe"`
	// KubeVirt access credentials, in addition to those of `cloudInit`.
	AccessCredentials *source.Node `json:"accessCredentials,omitempty" ref:"accessCredentials"`

	// Services by name, one Kubernetes Service each. A port number is short for `{port: NUMBER}`. A Service reaches the
	// VM over the pod network: without a NIC on it, publish the address of the VLAN instead.
	Services map[string]*Service `json:"services,omitempty" example:"{http: 80}"`
	// Further namespaced objects by name, as Kubernetes manifests: a Route, an Ingress, an ExternalSecret, a
	// NetworkPolicy. They are in the VM's namespace and wave, and are deleted with it. Each of `replicas` has its own,
	// and a pool has one. Strings are templates. `metadata.name` defaults to `<vm>-<name>`. Kinds with keys of their
	// own (VirtualMachine, DataVolume, PersistentVolumeClaim, Service …), cluster-wide kinds and Secrets for tokens of
	// ServiceAccounts are errors, and so are finalizers, owner references and annotations for Argo CD. Workloads and
	// permissions (Deployment, Job, Pod, Role, ServiceAccount …), and all kinds of KubeVirt, CDI, Multus, snapshots,
	// backups, migrations, autoscaling, quotas, storage and leases are also errors, unless `policy.objects` of
	// fleet.yaml lists them. Levels merge by key.
	Objects map[string]*source.Node `json:"objects,omitempty" ref:"manifest" source:"secret"`

	// Reaction to changes: `pet` (updated in place, the default), `cattle` (recreated), or the long form.
	Lifecycle *Lifecycle `json:"lifecycle,omitempty"`
	// Migration from VMware vSphere: the VM there, or the long form. See [migrate.md](../how-to/migrate.md).
	Migrate *Migrate `json:"migrate,omitempty"`
	// Approval of a change, under `policy.approve`: the token that `vmrender plan` prints for the risk of a restart, or
	// the long form for each risk. See [gate.md](../how-to/gate.md).
	Approve *Approve `json:"approve,omitempty"`
	// Whether a change that needs a restart is applied without `approve: {restart: TOKEN}`, and takes effect at the
	// next start of the VM. For pets.
	Stage *bool `json:"stage,omitempty"`
	// Restart of a pet in a weekly window, for changes that wait for it: the window, or the long form. See
	// [maintenance.md](../how-to/maintenance.md).
	Maintenance *Maintenance `json:"maintenance,omitempty"`
	// Snapshots of a pet on a schedule: the schedule, or the long form. See [snapshots.md](../how-to/snapshots.md).
	Snapshots *Snapshots `json:"snapshots,omitempty"`
	// Times at which a pet is stopped and started. See [power.md](../how-to/power.md).
	Power *Power `json:"power,omitempty" example:"{off: daily 19:00 UTC, on: Mon-Fri 07:00 UTC}"`
	// Restore of a pet from a snapshot, once: the name of the snapshot, or the long form with the token that
	// `vmrender plan` prints. See [restore.md](../how-to/restore.md). From KubeVirt 1.6.
	RestoreFrom *RestoreFrom `json:"restoreFrom,omitempty"`
	// Sync wave. Defaults to one more than the highest wave of `dependsOn`, or to 0.
	Wave *int `json:"wave,omitempty" minimum:"-1000000" maximum:"1000000"`
	// VMs that must be up before this one, by name or `namespace/name`.
	DependsOn []string `json:"dependsOn,omitempty" example:"[db]"`
	// Number of VMs to create, named `<name>-0` and so on. In templates, `{{ .ordinal }}` is the number of the
	// VM.
	Replicas *int `json:"replicas,omitempty" minimum:"0" maximum:"10000"`
	// Arbitrary values for templates, as `{{ .vars.NAME }}`.
	Vars map[string]*source.Node `json:"vars,omitempty" example:"{stage: prod}"`

	// Merge patch (RFC 7386), applied to the rendered VirtualMachine: null removes a key, lists are replaced. It can
	// also remove labels and annotations of the VM and its pods, except those of the lifecycle, and the pod label that
	// `services` select.
	Overrides *source.Node `json:"overrides,omitempty" ref:"VirtualMachine"`
	// RFC 6902 operations, applied to the VirtualMachine after `overrides`.
	Patches []patch.Operation `json:"patches,omitempty" example:"[{op: remove, path: /spec/template/spec/hostname}]"`
}

// CPU is the long form of `cpu`. The number of virtual CPUs is sockets × cores × threads, and at most 4096.
type CPU struct {
	// Sockets, the only part of the topology that KubeVirt can hotplug.
	Sockets uint32 `json:"sockets,omitempty" minimum:"1" maximum:"4096"`
	// Cores per socket.
	Cores uint32 `json:"cores,omitempty" minimum:"1" maximum:"4096"`
	// Threads per core.
	Threads uint32 `json:"threads,omitempty" minimum:"1" maximum:"4096"`
	// Model, such as `host-model`, `host-passthrough` or `Cascadelake-Server`.
	Model string `json:"model,omitempty"`
	// Maximum number of sockets for hotplug.
	MaxSockets uint32 `json:"maxSockets,omitempty" minimum:"1" maximum:"4096"`
	// Whether to use dedicated physical CPUs.
	Dedicated *bool `json:"dedicated,omitempty"`
	// Whether the emulator thread gets a dedicated physical CPU.
	IsolateEmulator *bool `json:"isolateEmulator,omitempty"`
	// Whether to pass the NUMA topology of the host through; needs `dedicated` and hugepages.
	NUMA *bool `json:"numa,omitempty"`
	// Enables real-time scheduling; needs `dedicated`.
	Realtime *bool `json:"realtime,omitempty"`
	// CPU features.
	Features []CPUFeature `json:"features,omitempty"`

	// VCPUs is the short form: a number of virtual CPUs whose topology depends on the operating system.
	VCPUs uint32 `json:"-" source:"short" minimum:"1" maximum:"4096"`
}

// CPUFeature is one CPU feature; a name is short for `{name: NAME}`.
type CPUFeature struct {
	// Name of the feature, such as `vmx`.
	Name string `json:"name" required:"true"`
	// Requirement on the host. Defaults to require.
	Policy string `json:"policy,omitempty" enum:"force,require,optional,disable,forbid"`
}

// Memory is the long form of `memory`.
type Memory struct {
	// Guest memory, for example `16Gi`, at most `4Pi`.
	Guest string `json:"guest,omitempty" format:"quantity" form:"memory"`
	// Maximum memory for hotplug, at most `4Pi`.
	Max string `json:"max,omitempty" format:"quantity" form:"memory"`
	// Page size of hugepages, such as `2Mi` or `1Gi`.
	Hugepages string `json:"hugepages,omitempty" format:"quantity" form:"memory"`
}

// Matcher names an instance type or a preference, or the disk whose image names it.
type Matcher struct {
	// Name of the object. Required without `inferFrom`.
	Name string `json:"name,omitempty"`
	// Kind of the object. Defaults to the cluster-wide kind.
	Kind string `json:"kind,omitempty"`
	// Disk, such as `root`, whose labels contain the name of the object: those of its DataVolume, PVC or DataSource, as
	// on the images of OpenShift Virtualization. KubeVirt replaces the key with the name when it creates the VM. Argo CD
	// must not revert that: use the Application that `vmrender app` prints.
	InferFrom string `json:"inferFrom,omitempty"`
}

// Resources sets requests and limits of a VM's pod.
type Resources struct {
	// Requests of the pod, by resource: `cpu`, `memory`, `ephemeral-storage`, or a device such as
	// `devices.kubevirt.io/kvm`. Less memory than that of the guest overcommits the node.
	Requests map[string]Amount `json:"requests,omitempty"`
	// Limits of the pod, by resource. `memory` must not be less than that of the guest.
	Limits map[string]Amount `json:"limits,omitempty"`
	// Whether the pod requests no memory for the overhead of KubeVirt.
	OvercommitGuestOverhead *bool `json:"overcommitGuestOverhead,omitempty"`
}

// Amount is an amount of any resource, such as `500m`, 2 or `4Gi`.
type Amount string

// Firmware is the long form of `firmware`.
type Firmware struct {
	// Firmware type.
	Type string `json:"type,omitempty" enum:"bios,efi,secureboot"`
	// Whether to keep EFI variables across restarts.
	Persistent *bool `json:"persistent,omitempty"`
	// UUID of the VM. Defaults to one derived from its name.
	UUID string `json:"uuid,omitempty" format:"uuid"`
	// Serial number of the VM. Defaults to one derived from its name.
	Serial string `json:"serial,omitempty"`
}

// TPM is the long form of `tpm`.
type TPM struct {
	// Whether to keep the TPM state across restarts.
	Persistent *bool `json:"persistent,omitempty"`

	// Enabled is the short form.
	Enabled *bool `json:"-" source:"short"`
}

// Device is a host device; a device name is short for `{device: NAME}`.
type Device struct {
	// Name inside the VM. Defaults to `gpu0`, `hostdevice0` and so on.
	Name string `json:"name,omitempty"`
	// Resource name that the cluster permits, such as `nvidia.com/GA102GL_A10`.
	Device string `json:"device" required:"true" format:"resource"`
}

// Approve is the long form of `approve`. No risk includes another. A token is FROM-TO: hashes of the VM before and
// after the change, so that it is valid for one change.
type Approve struct {
	// Token for changes from `live` to `power`: of a running VM, up to a restart or a start or stop.
	Restart string `json:"restart,omitempty" format:"token"`
	// Token for changes of the levels `recreate` and `delete`. To remove a VM from Git, set `lifecycle: {removal:
	// approved}` instead.
	Delete string `json:"delete,omitempty" format:"token"`
	// Token for changes of the level `data-loss`.
	Data string `json:"data,omitempty" format:"token"`
	// Token for a gate that becomes less strict: a milder `policy.approve` or `policy.maxImpact`.
	Gate string `json:"gate,omitempty" format:"token"`
}

// Key returns the key that users write for a field of these structs, or "" if
// there is none.
func Key(f reflect.StructField) string {
	tag, _ := source.SplitTag(f.Tag)
	name, _, _ := strings.Cut(tag, ",")
	if name == "-" {
		return ""
	}
	return name
}

// IsKey reports whether a name is that of a VM key.
func IsKey(name string) bool { return vmKeys()[name] }

var vmKeys = sync.OnceValue(func() map[string]bool {
	keys := map[string]bool{}
	for f := range reflect.TypeFor[VM]().Fields() {
		keys[Key(f)] = true
	}
	return keys
})

// Count returns the number of virtual CPUs.
func (c *CPU) Count() uint64 { return uint64(c.Sockets) * uint64(c.Cores) * uint64(c.Threads) }

// CountProblem returns what is wrong with the number of virtual CPUs that sockets, cores and threads make, or that
// maxSockets can make while the VM runs, or "".
func (c *CPU) CountProblem() string {
	n := uint64(max(c.Sockets, c.MaxSockets, 1)) * uint64(max(c.Cores, 1)) * uint64(max(c.Threads, 1))
	if n > sizes.MostCPUs {
		return fmt.Sprintf("%d vCPU are more than a VM can have; expected at most %d", n, sizes.MostCPUs)
	}
	return ""
}

// IsZero reports whether nothing is set.
func (c *CPU) IsZero() bool { return reflect.ValueOf(c).Elem().IsZero() }

// IsTrue reports whether an optional key is set, and true.
func IsTrue(b *bool) bool { return b != nil && *b }
