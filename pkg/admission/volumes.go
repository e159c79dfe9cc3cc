package admission

import (
	"encoding/base64"
	"strings"

	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/rule"
)

// longestInline is the most bytes of inline user or network data (KubeVirt v1.8.4, cloudInitUserMaxLen).
const longestInline = 2048

var volumeRules = []row[kubevirtv1.Volume]{
	{
		Rule: Rule{ID: "volume-name-twice", Kind: rule.Duplicate, Problem: "duplicate name", Source: sourceInstance},
		broken: func(s *subject, v *kubevirtv1.Volume) bool {
			return isRepeated(s.Volumes, v, func(o *kubevirtv1.Volume) bool { return o.Name == v.Name })
		},
	},
	{
		Rule: Rule{
			ID: "volume-source", Kind: rule.Refused, Source: sourceInstance,
			Problem: "expected exactly one source, such as persistentVolumeClaim or containerDisk",
		},
		broken: plain(func(v *kubevirtv1.Volume) bool { return countSources(v) != 1 }),
	},
	required("data-volume", "dataVolume.name", func(v *kubevirtv1.Volume) bool { return v.DataVolume != nil && v.DataVolume.Name == "" }),
	{
		Rule: Rule{
			ID: "gate-EnableVirtioFsStorageVolumes", Kind: rule.KubeVirtVersion, From: "1.5",
			Gate:    "EnableVirtioFsStorageVolumes",
			Problem: "claim as a file system", Source: sourceInstance,
		},
		broken: func(s *subject, v *kubevirtv1.Volume) bool {
			return (v.PersistentVolumeClaim != nil || v.DataVolume != nil) && hasFilesystem(s, v.Name)
		},
	},
}

// specialVolumeRules are about volumes that are not claims.
var specialVolumeRules = []row[kubevirtv1.Volume]{
	required("config-map", "configMap.name", func(v *kubevirtv1.Volume) bool { return v.ConfigMap != nil && v.ConfigMap.Name == "" }),
	required("secret", "secret.secretName", func(v *kubevirtv1.Volume) bool { return v.Secret != nil && v.Secret.SecretName == "" }),
	required("service-account", "serviceAccount.serviceAccountName", func(v *kubevirtv1.Volume) bool {
		return v.ServiceAccount != nil && v.ServiceAccount.ServiceAccountName == ""
	}),
	required("host-disk", "hostDisk.path", func(v *kubevirtv1.Volume) bool { return v.HostDisk != nil && v.HostDisk.Path == "" }),
	{
		Rule: Rule{
			ID: "gate-HostDisk", Kind: rule.KubeVirtVersion, Field: "hostDisk", Gate: "HostDisk", Problem: "disk on the host",
			Source: sourceInstance,
		},
		broken: plain(func(v *kubevirtv1.Volume) bool { return v.HostDisk != nil }),
	},
	{
		Rule: Rule{
			ID: "gate-DownwardMetrics-volume", Kind: rule.KubeVirtVersion, Field: "downwardMetrics", Gate: "DownwardMetrics",
			Problem: "downward metrics", Source: sourceInstance,
		},
		broken: plain(func(v *kubevirtv1.Volume) bool { return v.DownwardMetrics != nil }),
	},
	{
		Rule: Rule{
			ID: "gate-ContainerPathVolumes", Kind: rule.KubeVirtVersion, Field: "containerPath", Gate: "ContainerPathVolumes",
			Problem: "container paths", Starts: true, Source: "KubeVirt v1.8.4, pkg/virt-controller/watch/vmi/lifecycle.go",
		},
		broken: plain(func(v *kubevirtv1.Volume) bool { return v.ContainerPath != nil }),
	},
	enum(Rule{ID: "host-disk-type", Kind: rule.Refused, Field: "hostDisk.type", Source: sourceInstance}, "type",
		func(v *kubevirtv1.Volume) string {
			if v.HostDisk == nil {
				return ""
			}
			return string(v.HostDisk.Type)
		}, "Disk", "DiskOrCreate"),
	{
		Rule: Rule{
			ID: "host-disk-capacity", Kind: rule.Conflict, Field: "hostDisk.capacity", Source: sourceInstance,
			Problem: "only the type DiskOrCreate accepts a capacity",
		},
		broken: plain(func(v *kubevirtv1.Volume) bool {
			return v.HostDisk != nil && v.HostDisk.Type == kubevirtv1.HostDiskExists && !v.HostDisk.Capacity.IsZero()
		}),
	},
	{
		Rule: Rule{
			ID: "container-disk-path", Kind: rule.Refused, Field: "containerDisk.path", Source: sourceDisk,
			Problem: "expected the absolute path of a file",
		},
		broken: plain(func(v *kubevirtv1.Volume) bool {
			return v.ContainerDisk != nil && !isFile(strings.TrimSuffix(v.ContainerDisk.Path, "/"))
		}),
	},
}

// cloudInitRules are about cloud-init volumes.
var cloudInitRules = []row[kubevirtv1.Volume]{
	{
		Rule: Rule{
			ID: "cloud-init-source", Kind: rule.Conflict, Source: sourceInstance,
			Problem: "expected user data or network data, each once: inline, in base64 or in a Secret",
		},
		broken: plain(func(v *kubevirtv1.Volume) bool {
			c := guestData(v)
			return c != nil && (c.user.count() > 1 || c.network.count() > 1 || c.user.count()+c.network.count() == 0)
		}),
	},
	{
		Rule: Rule{
			ID: "cloud-init-size", Kind: rule.Refused, Source: sourceInstance,
			Problem: "more than 2048 bytes of inline user or network data, or invalid base64; use a Secret",
		},
		broken: plain(func(v *kubevirtv1.Volume) bool {
			c := guestData(v)
			return c != nil && (!c.user.isShort() || !c.network.isShort())
		}),
	},
}

func isSpecial(_ *subject, v *kubevirtv1.Volume) bool {
	return v.ConfigMap != nil || v.Secret != nil || v.ServiceAccount != nil || v.HostDisk != nil || v.DownwardMetrics != nil ||
		v.ContainerPath != nil || v.ContainerDisk != nil
}

func isCloudInit(_ *subject, v *kubevirtv1.Volume) bool {
	return v.CloudInitNoCloud != nil || v.CloudInitConfigDrive != nil
}

// required returns the rule that a source of a volume has a name.
func required(name, field string, missing func(*kubevirtv1.Volume) bool) row[kubevirtv1.Volume] {
	return row[kubevirtv1.Volume]{
		Rule:   Rule{ID: name + "-name", Kind: rule.MissingKey, Field: field, Problem: "missing", Source: sourceInstance},
		broken: plain(missing),
	}
}

// countSources returns the number of sources of a volume.
func countSources(v *kubevirtv1.Volume) int {
	return count(v.HostDisk != nil, v.PersistentVolumeClaim != nil, v.CloudInitNoCloud != nil, v.CloudInitConfigDrive != nil,
		v.Sysprep != nil, v.ContainerDisk != nil, v.Ephemeral != nil, v.EmptyDisk != nil, v.DataVolume != nil, v.ConfigMap != nil,
		v.Secret != nil, v.DownwardAPI != nil, v.ServiceAccount != nil, v.DownwardMetrics != nil, v.MemoryDump != nil,
		v.ContainerPath != nil)
}

func hasFilesystem(s *subject, name string) bool {
	for i := range s.Domain.Devices.Filesystems {
		if s.Domain.Devices.Filesystems[i].Name == name {
			return true
		}
	}
	return false
}

// cloudInit is the data of a cloud-init volume.
type cloudInit struct{ user, network guestText }

// guestText is data for the guest, in one of three forms.
type guestText struct {
	secret         *corev1.LocalObjectReference
	inline, base64 string
}

func (t guestText) count() int {
	return count(t.secret != nil && t.secret.Name != "", t.inline != "", t.base64 != "")
}

// isShort reports whether inline data can be read, and has at most [longestInline] bytes.
func (t guestText) isShort() bool {
	decoded, err := base64.StdEncoding.DecodeString(t.base64)
	return err == nil && len(decoded) <= longestInline && len(t.inline) <= longestInline
}

// guestData returns the data of a cloud-init volume, or nil for another volume.
func guestData(v *kubevirtv1.Volume) *cloudInit {
	switch {
	case v.CloudInitNoCloud != nil:
		c := v.CloudInitNoCloud
		return &cloudInit{
			guestText{c.UserDataSecretRef, c.UserData, c.UserDataBase64},
			guestText{c.NetworkDataSecretRef, c.NetworkData, c.NetworkDataBase64},
		}
	case v.CloudInitConfigDrive != nil:
		c := v.CloudInitConfigDrive
		return &cloudInit{
			guestText{c.UserDataSecretRef, c.UserData, c.UserDataBase64},
			guestText{c.NetworkDataSecretRef, c.NetworkData, c.NetworkDataBase64},
		}
	}
	return nil
}
