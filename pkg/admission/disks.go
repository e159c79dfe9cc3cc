package admission

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/rule"
)

// entryRules are the rules of the entries of lists.
var entryRules = struct {
	disks       []group[kubevirtv1.Disk]
	volumes     []group[kubevirtv1.Volume]
	interfaces  []group[kubevirtv1.Interface]
	networks    []group[kubevirtv1.Network]
	templates   []group[kubevirtv1.DataVolumeTemplateSpec]
	credentials []group[kubevirtv1.AccessCredential]
}{
	disks:       []group[kubevirtv1.Disk]{{nil, diskRules}, {hasDiskSettings, diskSettingRules}},
	volumes:     []group[kubevirtv1.Volume]{{nil, slices.Concat(volumeRules, boundVolumeRules)}, {isSpecial, specialVolumeRules}, {isCloudInit, cloudInitRules}},
	interfaces:  []group[nic]{{nil, interfaceRules}, {hasNICSettings, nicSettingRules}},
	networks:    []group[kubevirtv1.Network]{{nil, networkRules}},
	templates:   []group[kubevirtv1.DataVolumeTemplateSpec]{{nil, slices.Concat(templateRules, boundTemplateRules)}},
	credentials: []group[kubevirtv1.AccessCredential]{{nil, credentialRules}},
}

// The limits of disks.
const (
	longestSerial         = 256
	leastBlock, mostBlock = 512, 2 << 20
)

var diskRules = []row[kubevirtv1.Disk]{
	{
		Rule: Rule{ID: "disk-name-twice", Kind: rule.Duplicate, Problem: "duplicate name", Source: sourceDisk},
		broken: func(s *subject, d *kubevirtv1.Disk) bool {
			return isRepeated(s.Domain.Devices.Disks, d, func(o *kubevirtv1.Disk) bool { return o.Name == d.Name })
		},
	},
	{
		Rule: Rule{
			ID: "disk-name", Kind: rule.BadName, Field: "name", Source: sourceDisk,
			Problem: "invalid name %q; expected at most 63 lower case letters, digits and -",
		},
		got: func(d *kubevirtv1.Disk) string { return d.Name },
		broken: plain(func(d *kubevirtv1.Disk) bool {
			isLabel := isDomain(d.Name) && strings.IndexByte(d.Name, '.') < 0
			return !isLabel && len(validation.IsDNS1123Label(d.Name)) > 0
		}),
	},
	{
		Rule:   Rule{ID: "disk-volume", Kind: rule.Unpaired, Problem: "disk without a volume of that name", Source: sourceInstance},
		broken: func(s *subject, d *kubevirtv1.Disk) bool { return d.CDRom == nil && s.volume(d.Name) == nil },
	},
	{
		Rule: Rule{
			ID: "empty-cdrom", Kind: rule.KubeVirtVersion, Field: "cdrom", Gate: "DeclarativeHotplugVolumes", Source: sourceInstance,
			Problem: "CD-ROM drive without a medium",
		},
		broken: func(s *subject, d *kubevirtv1.Disk) bool { return d.CDRom != nil && s.volume(d.Name) == nil },
	},
	{
		Rule:   Rule{ID: "disk-targets", Kind: rule.Conflict, Problem: "KubeVirt accepts one of disk, lun and cdrom", Source: sourceDisk},
		broken: plain(func(d *kubevirtv1.Disk) bool { return count(d.Disk != nil, d.LUN != nil, d.CDRom != nil) > 1 }),
	},
}

// diskSettingRules are about disks that are not plain ones on the bus virtio.
var diskSettingRules = []row[kubevirtv1.Disk]{
	{
		Rule: Rule{
			ID: "lun-volume", Kind: rule.Conflict, Field: "lun", Source: sourceInstance,
			Problem: "a LUN needs a volume of a persistentVolumeClaim or a dataVolume",
		},
		broken: func(s *subject, d *kubevirtv1.Disk) bool {
			v := s.volume(d.Name)
			return d.LUN != nil && v != nil && v.PersistentVolumeClaim == nil && v.DataVolume == nil
		},
	},
	{
		Rule: Rule{
			ID: "metrics-disk", Kind: rule.Conflict, Source: sourceInstance,
			Problem: "downward metrics need a disk on the bus virtio",
		},
		broken: func(s *subject, d *kubevirtv1.Disk) bool {
			v := s.volume(d.Name)
			return v != nil && v.DownwardMetrics != nil && (d.Disk == nil || d.Disk.Bus != "virtio" && d.Disk.Bus != "")
		},
	},
	{
		Rule: Rule{
			ID: "gate-PersistentReservation", Kind: rule.KubeVirtVersion, Field: "lun.reservation", Gate: "PersistentReservation",
			Before: "1.9", Problem: "persistent reservation of a LUN", Source: sourceInstance,
		},
		broken: plain(func(d *kubevirtv1.Disk) bool { return d.LUN != nil && d.LUN.Reservation }),
	},
	{
		Rule:   Rule{ID: "disk-boot-order", Kind: rule.Refused, Field: "bootOrder", Problem: "expected at least 1", Source: sourceDisk},
		broken: plain(func(d *kubevirtv1.Disk) bool { return d.BootOrder != nil && *d.BootOrder < 1 }),
	},
	enum(Rule{ID: "disk-bus", Kind: rule.Refused, Source: sourceDisk}, "bus", busOf, "sata", "scsi", "usb", "virtio"),
	{
		Rule: Rule{
			ID: "cdrom-bus", Kind: rule.Conflict, Field: "cdrom.bus", Source: sourceDisk,
			Problem: "there is no CD-ROM drive on the bus virtio; accepted: sata, scsi, usb",
		},
		broken: plain(func(d *kubevirtv1.Disk) bool { return d.CDRom != nil && d.CDRom.Bus == "virtio" }),
	},
	{
		Rule: Rule{
			ID: "sata-read-only", Kind: rule.Conflict, Field: "disk.readonly", Source: sourceDisk,
			Problem: "disks on the bus sata cannot be read-only; use another bus",
		},
		broken: plain(func(d *kubevirtv1.Disk) bool { return d.Disk != nil && d.Disk.Bus == "sata" && d.Disk.ReadOnly }),
	},
	{
		Rule: Rule{
			ID: "disk-io-thread", Kind: rule.Conflict, Field: "dedicatedIOThread", Source: sourceDisk,
			Problem: "only disks on the bus virtio have I/O threads",
		},
		broken: plain(func(d *kubevirtv1.Disk) bool {
			return isTrue(d.DedicatedIOThread) && busOf(d) != "virtio" && busOf(d) != ""
		}),
	},
	{
		Rule: Rule{
			ID: "disk-pci-address", Kind: rule.Conflict, Field: "disk.pciAddress", Source: sourceDisk,
			Problem: "expected an address such as 0000:81:01.0, of a disk on the bus virtio",
		},
		broken: func(s *subject, d *kubevirtv1.Disk) bool {
			isVirtio := d.Disk != nil && (d.Disk.Bus == "virtio" || d.Disk.Bus == "" && s.vm.Spec.Preference != nil)
			return d.Disk != nil && d.Disk.PciAddress != "" && (!isVirtio || !isPCI(d.Disk.PciAddress))
		},
	},
	{
		Rule: Rule{
			ID: "disk-serial", Kind: rule.Refused, Field: "serial", Source: sourceDisk,
			Problem: "invalid serial number; expected at most 256 letters, digits, _, ., + and -",
		},
		broken: plain(func(d *kubevirtv1.Disk) bool {
			return len(d.Serial) > longestSerial || strings.ContainsFunc(d.Serial, isNotSerial)
		}),
	},
	enum(Rule{ID: "disk-cache", Kind: rule.Refused, Field: "cache", Source: sourceDisk}, "cache mode",
		func(d *kubevirtv1.Disk) string { return string(d.Cache) }, "none", "writethrough", "writeback"),
	enum(Rule{ID: "disk-io", Kind: rule.Refused, Field: "io", Source: sourceDisk}, "I/O mode",
		func(d *kubevirtv1.Disk) string { return string(d.IO) }, "native", "threads"),
	enum(Rule{ID: "disk-error-policy", Kind: rule.Refused, Field: "errorPolicy", Source: sourceDisk}, "policy",
		func(d *kubevirtv1.Disk) string { return textOfPointer(d.ErrorPolicy) }, "stop", "ignore", "report", "enospace"),
	{
		Rule: Rule{
			ID: "disk-block-size", Kind: rule.Refused, Field: "blockSize", Source: sourceDisk,
			Problem: "invalid sizes; expected custom ones without matchVolume, powers of 2 from 512 to 2097152, " +
				"logical at most physical, and 512 for logical on the bus sata",
		},
		broken: plain(func(d *kubevirtv1.Disk) bool { return !hasBlocks(d) }),
	},
}

func hasDiskSettings(_ *subject, d *kubevirtv1.Disk) bool {
	t := d.Disk
	return t == nil || t.Bus != "" && t.Bus != "virtio" || t.ReadOnly || t.PciAddress != "" || d.LUN != nil || d.CDRom != nil || d.BootOrder != nil ||
		d.Serial != "" || d.Cache != "" || d.IO != "" || d.ErrorPolicy != nil || d.BlockSize != nil || d.DedicatedIOThread != nil
}

// busOf returns the bus of a disk, or "" if it has none of its own.
func busOf(d *kubevirtv1.Disk) string {
	switch {
	case d.Disk != nil:
		return string(d.Disk.Bus)
	case d.LUN != nil:
		return string(d.LUN.Bus)
	case d.CDRom != nil:
		return string(d.CDRom.Bus)
	}
	return ""
}

func isNotSerial(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_.+-", r)
}

// hasBlocks reports whether KubeVirt accepts the sizes of a disk's blocks.
func hasBlocks(d *kubevirtv1.Disk) bool {
	if d.BlockSize == nil || d.BlockSize.Custom == nil {
		return true
	}
	c := d.BlockSize.Custom
	isMatched := d.BlockSize.MatchVolume != nil && isOn(d.BlockSize.MatchVolume.Enabled)
	return !isMatched && isBlock(c.Logical) && isBlock(c.Physical) && c.Logical <= c.Physical &&
		(busOf(d) != "sata" || c.Logical == leastBlock)
}

func isBlock(n uint) bool { return n >= leastBlock && n <= mostBlock && n&(n-1) == 0 }

// isPCI reports whether a text is the address of a PCI device: domain, bus, slot and function (KubeVirt v1.8.4,
// pkg/util/hardware/hw_utils.go).
func isPCI(text string) bool {
	const form = "xxxx:xx:xx.7"
	if len(text) != len(form) {
		return false
	}
	for i, want := range []byte(form) {
		c := text[i]
		isHex := c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
		switch {
		case want == 'x' && !isHex, want == '7' && (c < '0' || c > '7'), want == ':' && c != ':', want == '.' && c != '.':
			return false
		}
	}
	return true
}
