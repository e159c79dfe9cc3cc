package versions

// Sources of the table.
const (
	// cdiTypes is of both versions around the change.
	cdiTypes = "containerized-data-importer-api, pkg/apis/core/v1beta1/types.go"
	notes    = "kubevirt/user-guide, docs/release_notes.md"
	crds     = "pkg/virt-operator/resource/generate/components/validations_generated.go"
	scaleIn  = "KubeVirt v1.5.0 and v1.6.0, pkg/virt-controller/watch/pool/pool.go"
	inPools  = "KubeVirt v1.6.0 and v1.7.0, pkg/virt-controller/watch/pool/pool.go"
	vmSpec   = "spec.template.spec."
	template = "spec.dataVolumeTemplates[].spec."
)

// Fields of DataVolumes. KubeVirt's definitions contain a copy of an older definition of CDI, so that the API server
// drops newer fields from a VirtualMachine, and CDI never sees them.
const (
	checksum       = "source.http.checksum"
	unverified     = "source.http.insecureSkipVerify"
	unverifiedIO   = "source.imageio.insecureSkipVerify"
	vddkAuthority  = "source.vddk.certConfigMap"
	serviceAccount = "serviceAccountName"
)

// Names of features that a VM has without a key of its own.
const (
	// RegistryPlatform is the field that chooses among the architectures of a container image.
	RegistryPlatform = "platform of a registry source"
	// InTemplate follows the name of a field of a DataVolume, for the same field in a VirtualMachine.
	InTemplate = " in a template of a disk"
)

// features are sorted by product, version and name.
var features = []Feature{
	{
		Name: "confirmation of deletions", Product: ArgoCD, Since: "2.14",
		Source: "argo-cd v2.14, docs/user-guide/sync-options.md",
	},
	{Name: "snapshots as sources", Product: CDI, Since: "1.56", Source: cdiTypes + ", DataVolumeSourceSnapshot"},
	{Name: "volume populators as sources", Product: CDI, Since: "1.56", Source: cdiTypes + ", StorageSpec.DataSourceRef"},
	{Name: "Google Cloud Storage as source", Product: CDI, Since: "1.57", Source: cdiTypes + ", DataVolumeSourceGCS"},
	dvField("1.63", RegistryPlatform, "source.registry.platform"),
	dvField("1.65", "checksum of an HTTP source", checksum),
	dvField("1.65", "service account of an importer", serviceAccount),
	dvField("1.66", "HTTP source without verification", unverified),
	dvField("1.66", "certificate authority of a VDDK source", vddkAuthority),
	{Name: "memory hotplug", Product: KubeVirt, Since: "1.1", Source: notes},
	{Name: "network binding plugins", Product: KubeVirt, Since: "1.1", Source: notes},
	{Name: "architecture s390x", Product: KubeVirt, Since: "1.3", Source: notes},
	{Name: "NIC model igb", Product: KubeVirt, Since: "1.4", Source: notes},
	vmField("1.5", "I/O threads of their own number", "domain.ioThreads", ""),
	{Name: "link state", Product: KubeVirt, Since: "1.5", Source: notes},
	{Name: "storage migration", Product: KubeVirt, Since: "1.5", Source: notes},
	vmField("1.5", "watchdog diag288", "domain.devices.watchdog.diag288", ""), // from 1.5.1 on
	vmField("1.6", "ACPI table MSDM", "domain.firmware.acpi.msdmNameRef", ""),
	{
		Name: "CD-ROM drive without a medium", Product: KubeVirt, Since: "1.6", Gate: "DeclarativeHotplugVolumes",
		Source: notes,
	},
	vmField("1.6", "claims of devices (DRA)", "resourceClaims", "GPUsWithDRA"),
	vmField("1.6", "GPU of a resource claim", "domain.devices.gpus[].claimName", "GPUsWithDRA"),
	vmField("1.6", "host device of a resource claim", "domain.devices.hostDevices[].claimName", "HostDevicesWithDRA"),
	vmField("1.6", "panic devices", "domain.devices.panicDevices", "PanicDevices"),
	{
		Name: "receiver of a migration", Product: KubeVirt, Since: "1.6", Gate: "DecentralizedLiveMigration",
		Source: "KubeVirt v1.5.0 and v1.6.0, pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go",
	},
	{Name: "scale-in of pools", Product: KubeVirt, Since: "1.6", Source: scaleIn},
	vmField("1.6", "video devices", "domain.devices.video", "VideoConfig"),
	vmField("1.7", "AMD SEV-SNP", "domain.launchSecurity.snp", "WorkloadEncryptionSEV"),
	vmField("1.7", "Intel TDX", "domain.launchSecurity.tdx", "WorkloadEncryptionTDX"),
	{Name: "autohealing of pools", Product: KubeVirt, Since: "1.7", Source: inPools},
	vmField("1.7", "changed block tracking", "domain.devices.disks[].changedBlockTracking", "IncrementalBackup"),
	vmField("1.7", "granularity of discards", "domain.devices.disks[].blockSize.custom.discardGranularity", ""),
	{Name: "update strategy of pools", Product: KubeVirt, Since: "1.7", Source: inPools},
	templateField("1.7", "arguments of a VDDK source in a template of a disk", "source.vddk.extraArgs"),
	templateField("1.7", RegistryPlatform+InTemplate, "source.registry.platform"),
	vmField("1.8", "binding passt of KubeVirt's own", "domain.devices.interfaces[].passtBinding", "PasstBinding"),
	vmField("1.8", "container paths", "volumes[].containerPath", "ContainerPathVolumes"),
	vmField("1.8", "direct flush of the TLB", "domain.features.hyperv.tlbflush.direct", ""),
	vmField("1.8", "extended flush of the TLB", "domain.features.hyperv.tlbflush.extended", ""),
	vmField("1.8", "reboot policy", "domain.rebootPolicy", "RebootPolicy"),
	vmField("1.8", "reserved overhead of memory", "domain.memory.reservedOverhead", "ReservedOverheadMemlock"),
	templateField("1.8", "ImageIO source without verification in a template of a disk", unverifiedIO),
	vmField("1.8", "utility volumes", "utilityVolumes", "UtilityVolumes"),
	vmField("1.9", "network of a resource claim", "networks[].resourceClaim", "NetworkDevicesWithDRA"),
	vmField("1.9", "ranges of ports", "domain.devices.interfaces[].portRanges", "PortRangesSpec"),
	vmField("1.9", "service account of the pod", "serviceAccountName", ""),
	templateField("", "checksum of an HTTP source in a template of a disk", checksum),
	templateField("", "service account of an importer in a template of a disk", serviceAccount),
	templateField("", "HTTP source without verification in a template of a disk", unverified),
	templateField("", "certificate authority of a VDDK source in a template of a disk", vddkAuthority),
}

// dvField returns a feature that is a field of the spec of a DataVolume.
func dvField(since, name, field string) Feature {
	return Feature{
		Name: name, Product: CDI, Since: since, Kind: "DataVolume", Field: "spec." + field, Source: cdiTypes,
	}
}

// templateField returns a feature that is a field of the DataVolumes in the spec of a VirtualMachine.
func templateField(since, name, field string) Feature {
	return Feature{
		Name: name, Product: KubeVirt, Since: since, Kind: "VirtualMachine", Field: template + field,
		Instead: "the API server would drop it: remove it, or set `keep: true` on the disk",
		Source:  "KubeVirt v1.4.1 to v1.9.0, " + crds,
	}
}

// vmField returns a feature that is a field of the spec of a VirtualMachine's template.
func vmField(since, name, field, gate string) Feature {
	return Feature{
		Name: name, Product: KubeVirt, Since: since, Kind: "VirtualMachine", Field: vmSpec + field, Gate: gate,
		Source: "KubeVirt v" + since + " and the version before, " + crds,
	}
}

// gates are KubeVirt's feature gates by name. From 1.9 on, those that are beta are on by default. Source: KubeVirt
// v1.4.0 to v1.9.0, pkg/virt-config/feature-gates.go, and active.go and inactive.go in pkg/virt-config/featuregate.
var gates = []Gate{
	{"AlignCPUs", "", ""},
	{"CPUManager", "", ""},
	{"ContainerPathVolumes", "1.8", ""},
	{"CrossArchitectureVirtualization", "1.9", ""},
	{"DecentralizedLiveMigration", "1.6", ""},
	{"DeclarativeHotplugVolumes", "1.6", "1.9"},
	{"DownwardMetrics", "", ""},
	{"EnableVirtioFsStorageVolumes", "1.5", ""},
	{"ExpandDisks", "", "1.9"},
	{"ExperimentalIgnitionSupport", "", ""},
	{"ExternalNetResourceInjection", "1.8", "1.9"},
	{"FirmwareAutoSelection", "1.9", ""},
	{"GPUsWithDRA", "1.6", "1.9"},
	{"HostDevices", "", ""},
	{"HostDevicesWithDRA", "1.6", "1.9"},
	{"HostDisk", "", ""},
	{"HypervStrictCheck", "", ""},
	{"ImageVolume", "1.6", "1.9"},
	{"IncrementalBackup", "1.7", ""},
	{"LibvirtHooksServerAndClient", "1.8", "1.9"},
	{"LiveUpdateNADRef", "1.8", "1.9"},
	{"MigrationPriorityQueue", "1.7", "1.9"},
	{"NetworkDevicesWithDRA", "1.9", ""},
	{"NodeRestriction", "", "1.9"},
	{"PanicDevices", "1.6", "1.9"},
	{"PasstBinding", "1.8", "1.9"},
	{"PersistentReservation", "", "1.9"},
	{"PodSecondaryInterfaceNamingUpgrade", "1.8", "1.9"},
	{"PortRangesSpec", "1.9", ""},
	{"RebootPolicy", "1.8", "1.9"},
	{"ReservedOverheadMemlock", "1.8", ""},
	{"SecureExecution", "1.6", "1.9"},
	{"Sidecar", "", ""},
	{"Snapshot", "", "1.9"},
	{"Template", "1.8", "1.9"},
	{"UtilityVolumes", "1.8", ""},
	{"VMExport", "", "1.9"},
	{"VSOCK", "", ""},
	{"VideoConfig", "1.6", "1.9"},
	{"VmiMemoryOverheadReport", "1.8", "1.9"},
	{"WorkloadEncryptionSEV", "", "1.9"},
	{"WorkloadEncryptionTDX", "1.7", ""},
}
