package rule

// Sizes, disks and NICs
const (
	// BelowMinimum is CPU, memory, a root disk or a TPM below what the operating system, or any guest, needs.
	BelowMinimum ID = "below-minimum"
	// BadUUID is an invalid firmware UUID.
	BadUUID ID = "bad-uuid"
	// Firmware is an existing root disk with the default firmware of the operating system, which can differ from that of
	// the guest on the disk.
	Firmware ID = "firmware"
	// MachineType is a machine type that the QEMU of a later KubeVirt does not have.
	MachineType ID = "machine-type"
	// NoHeadroom is a size that is all that a limit for growth leaves.
	NoHeadroom ID = "no-headroom"
	// NoRoot is a VM whose root disk is removed, and that has nothing else to boot from.
	NoRoot ID = "no-root"
	// BadSource is an invalid source of a disk, such as a URL with credentials.
	BadSource ID = "bad-source"
	// Shrinks is an `expandTo` below the disk's `size`.
	Shrinks ID = "shrinks"
	// VolatileRoot is a root disk that loses what the guest writes, in a VM that is kept.
	VolatileRoot ID = "volatile-root"
	// NotMigratable is a disk that prevents live migration, in a VM that must migrate when its node is drained.
	NotMigratable ID = "not-migratable"
	// BadMAC is an invalid MAC address, or an invalid prefix for generated ones.
	BadMAC ID = "bad-mac"
	// BadIP is an invalid address of a NIC, a gateway, a name server or a route, or one outside its network.
	BadIP ID = "bad-ip"
	// PodAnnotation is an annotation of the VirtualMachine that has an effect only on pods.
	PodAnnotation ID = "pod-annotation"
	// CloudConfig is a key under `cloudInit.extra`, or the type of its value, that cloud-init ignores.
	CloudConfig ID = "cloud-config"
	// Unreachable is a Service, a Route, an Ingress or a port for a VM that the pod network does not reach.
	Unreachable ID = "unreachable"
	// NoMatch is a selector of anti-affinity or `topologySpreadConstraints` that selects the pod of no VM.
	NoMatch ID = "no-match"
	// PlatformNetwork is a network that no layer of the platform.yaml next to the fleet defines.
	PlatformNetwork ID = "platform-network"
	// GuestAgent is a key that needs the guest agent, of a VM whose image lacks it and whose user data does not install
	// it.
	GuestAgent ID = "guest-agent"
	// InlineSecret is a password or private key that is written in Git.
	InlineSecret ID = "inline-secret"
)
