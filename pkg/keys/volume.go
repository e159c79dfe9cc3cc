package keys

import (
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/node"
)

// SetVolume writes the volume of a disk, unless it has the data of cloud-init or the answer file (see [SetCloudInit]),
// or is in the form of KubeVirt, which is decoded elsewhere.
//
// For a disk that survives its VM it names the PVC: virt-controller waits until
// the PVC exists and is filled (watch/vmi/datavolumes.go, v1.8.4), and a restore
// may replace the PVC without the DataVolume. For a disk that the VM owns it names
// the DataVolume, as KubeVirt requires for dataVolumeTemplates. For a disk that is
// copied to another claim, too: only then KubeVirt waits with the copy until CDI does
// not write to the claim (watch/volume-migration/volume-migration.go, ValidateVolumes,
// v1.8.4).
func SetVolume(to *kubevirtv1.VolumeSource, d *machine.Disk) {
	switch {
	case d.Kind == machine.DiskContainerDisk:
		to.ContainerDisk = &kubevirtv1.ContainerDiskSource{
			Image: d.Source.ContainerDisk, ImagePullSecret: d.Source.Secret,
			ImagePullPolicy: corev1.PullPolicy(d.Source.PullPolicy), Path: d.Source.Path,
		}
	case d.Kind == machine.DiskFiles:
		SetFiles(to, &d.Source)
	case d.Kind == machine.DiskEmpty:
		to.EmptyDisk = &kubevirtv1.EmptyDiskSource{Capacity: Quantity(d.Size)}
	case d.Source.DataVolume != "" || d.Kind == machine.DiskDataVolume && (!d.Keep || d.Revision > 1):
		to.DataVolume = &kubevirtv1.DataVolumeSource{Name: d.Claim, Hotpluggable: d.Hotpluggable}
	default:
		setClaim(to, d.Claim, d.Hotpluggable)
	}
}

// GetVolume sets what [SetVolume] writes, and what is in the form of KubeVirt: keys of `source`, and of the disk.
func GetVolume(disk, from *node.Map, v *kubevirtv1.VolumeSource) {
	switch {
	case v.DataVolume != nil:
		from.Set("dataVolume", v.DataVolume.Name)
	case v.PersistentVolumeClaim != nil:
		from.Set("claim", v.PersistentVolumeClaim.ClaimName)
	case v.ContainerDisk != nil:
		from.Set("containerDisk", v.ContainerDisk.Image)
		from.Set("secret", v.ContainerDisk.ImagePullSecret)
		from.Set("pullPolicy", string(v.ContainerDisk.ImagePullPolicy))
		from.Set("path", v.ContainerDisk.Path)
	case v.EmptyDisk != nil:
		disk.Set("size", v.EmptyDisk.Capacity.String())
		from.Set("emptyDisk", true)
	case v.CloudInitNoCloud != nil || v.CloudInitConfigDrive != nil:
		from.Set("cloudInit", true)
	case v.Sysprep != nil:
		from.Set("sysprep", true)
	default:
		getFiles(from, v)
	}
	if from.IsEmpty() {
		from.Set("volume", v)
	}
}

// SetFiles writes the reference to files that the guest gets as a disk, or as a directory.
func SetFiles(to *kubevirtv1.VolumeSource, s *catalog.Source) {
	switch {
	case s.ConfigMap != "":
		to.ConfigMap = &kubevirtv1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: s.ConfigMap}, VolumeLabel: s.VolumeLabel,
		}
	case s.ServiceAccount != "":
		to.ServiceAccount = &kubevirtv1.ServiceAccountVolumeSource{ServiceAccountName: s.ServiceAccount}
	case s.DownwardMetrics:
		to.DownwardMetrics = &kubevirtv1.DownwardMetricsVolumeSource{}
	default:
		to.Secret = &kubevirtv1.SecretVolumeSource{SecretName: s.Secret, VolumeLabel: s.VolumeLabel}
	}
}

// getFiles sets what [SetFiles] writes.
func getFiles(to *node.Map, v *kubevirtv1.VolumeSource) {
	switch {
	case v.ConfigMap != nil:
		to.Set("configMap", v.ConfigMap.Name)
		to.Set("volumeLabel", v.ConfigMap.VolumeLabel)
	case v.Secret != nil:
		to.Set("secret", v.Secret.SecretName)
		to.Set("volumeLabel", v.Secret.VolumeLabel)
	case v.ServiceAccount != nil:
		to.Set("serviceAccount", v.ServiceAccount.ServiceAccountName)
	case v.DownwardMetrics != nil:
		to.Set("downwardMetrics", true)
	}
}

// SetFilesystem writes the volume of a directory that the guest mounts.
func SetFilesystem(to *kubevirtv1.VolumeSource, f *machine.Filesystem) {
	if f.Claim != "" {
		setClaim(to, f.Claim, false)
		return
	}
	SetFiles(to, &catalog.Source{ConfigMap: f.ConfigMap, Secret: f.Secret, ServiceAccount: f.ServiceAccount})
}

// GetFilesystem sets what [SetFilesystem] writes.
func GetFilesystem(to *node.Map, v *kubevirtv1.VolumeSource) {
	switch {
	case v.PersistentVolumeClaim != nil:
		to.Set("claim", v.PersistentVolumeClaim.ClaimName)
	case v.ConfigMap != nil:
		to.Set("configMap", v.ConfigMap.Name)
	case v.Secret != nil:
		to.Set("secret", v.Secret.SecretName)
	case v.ServiceAccount != nil:
		to.Set("serviceAccount", v.ServiceAccount.ServiceAccountName)
	}
}

func setClaim(to *kubevirtv1.VolumeSource, name string, hotpluggable bool) {
	to.PersistentVolumeClaim = &kubevirtv1.PersistentVolumeClaimVolumeSource{
		PersistentVolumeClaimVolumeSource: corev1.PersistentVolumeClaimVolumeSource{ClaimName: name},
		Hotpluggable:                      hotpluggable,
	}
}

// IsHotpluggable reports whether the disk of a volume is `hotpluggable`.
func IsHotpluggable(v *kubevirtv1.Volume) bool {
	return v.DataVolume != nil && v.DataVolume.Hotpluggable ||
		v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.Hotpluggable
}
