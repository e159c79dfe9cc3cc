package drill

import (
	"fmt"
	"slices"
)

// Kind is a kind of losses: a higher one is worse.
type Kind uint8

// The kinds of losses, mildest first.
const (
	Nothing      Kind = iota // the VM comes back whole
	Drift                    // a change in the cluster that Git does not have
	Identity                 // the UUID or serial number that the guest sees
	Address                  // a MAC or IP address
	Clash                    // an address or identity that two VMs have
	Config                   // a ConfigMap
	InstanceType             // an instance type or a preference
	Secret                   // a Secret
	Network                  // a NetworkAttachmentDefinition or user-defined network
	Image                    // what a disk is filled from
	State                    // the state of a TPM, or the variables of EFI
	Disk                     // the content of a disk
	NotInGit                 // the VM itself
)

// kindRow is what is known of a kind of losses.
type kindRow struct {
	name, meaning string
	// advice closes the gap.
	advice string
}

// kindRows are in the order of kinds.
var kindRows = []kindRow{
	{"nothing", "comes back whole", ""},
	{
		"drift", "a change in the cluster that Git does not have",
		"put the change into Git (`vmrender import --merge`), or sync to revert it",
	},
	{
		"identity", "the UUID or serial number that the guest sees",
		"set `uuid` and `serial` of the VM to what it has; licenses and inventories depend on them",
	},
	{
		"address", "a MAC or IP address that Git does not set",
		"set `mac` of the NIC, and a static address, or reserve the address in the DHCP server of the other site",
	},
	{
		"clash", "an address, UUID or serial number that two VMs in Git have",
		"give one of the VMs another one: both cannot run at the same time",
	},
	{
		"configmap", "a ConfigMap that Git does not render",
		"put it into Git: under `objects` of the VM, or as a manifest (--with)",
	},
	{
		"instancetype", "an instance type or preference that is only in the cluster",
		"put it into Git: in the layer `images` of the platform, or as a manifest (--with)",
	},
	{
		"secret", "a Secret that Git does not create",
		"put it into Git as an ExternalSecret or SealedSecret, and check that the other site can read its source",
	},
	{
		"network", "a network that Git does not render",
		"put the NetworkAttachmentDefinition or user-defined network into Git: in the layer `network` of the platform, " +
			"or as a manifest (--with)",
	},
	{
		"image", "an image that is gone, or only in the cluster",
		"use an image of a registry or web server, or put its DataSource and DataImportCron into Git",
	},
	{
		"state", "the state of a TPM, or the variables of EFI",
		"back up the claim persistent-state-for-NAME with the VM, and keep the recovery keys of BitLocker and LUKS elsewhere",
	},
	{
		"disk", "the content of a disk",
		"add the disk to a backup that moves its data (Velero with `snapshotMoveData: true`) or to a replication " +
			"(Ramen, VolumeReplication, VolSync); see examples/drill",
	},
	{
		"not-in-git", "a VM that only the cluster has",
		"import it (`vmrender import`), or delete it",
	},
}

// Kinds returns all kinds, mildest first.
func Kinds() []Kind {
	out := make([]Kind, len(kindRows))
	for i := range out {
		out[i] = Kind(i) //nolint:gosec // there are few
	}
	return out
}

// String returns the name, such as "instancetype".
func (k Kind) String() string { return kindRows[k].name }

// Meaning returns what is lost, in a few words.
func (k Kind) Meaning() string { return kindRows[k].meaning }

// Advice returns what closes the gap; "" for [Nothing].
func (k Kind) Advice() string { return kindRows[k].advice }

// MarshalText returns the name, as in [Kind.String].
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads a name.
func (k *Kind) UnmarshalText(text []byte) error {
	i := slices.IndexFunc(kindRows, func(r kindRow) bool { return r.name == string(text) })
	if i < 0 {
		return fmt.Errorf("unknown kind of loss %q", text)
	}
	*k = Kind(i) //nolint:gosec // there are few
	return nil
}
