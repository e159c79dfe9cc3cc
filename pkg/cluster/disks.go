package cluster

import (
	"slices"
	"strconv"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// IsUnfilled reports whether the import of a DataVolume has failed, or fails again and again (CDI
// v1.66, core/v1beta1/types.go, DataVolumeStatus).
func IsUnfilled(disk manifest.Tree) bool {
	restarts, _ := strconv.Atoi(manifest.Compact(manifest.At(disk, "status", "restartCount")))
	phase := manifest.Text(disk, "status", "phase")
	return phase == "Failed" || phase != "" && phase != "Succeeded" && restarts > 0
}

// IsSingleNode reports whether a DataVolume or claim is ReadWriteOnce.
func IsSingleNode(disk manifest.Tree) bool {
	for _, path := range [][]string{{"spec", "storage"}, {"spec", "pvc"}, {"spec"}} {
		modes := manifest.List(disk, append(path, "accessModes")...)
		if len(modes) > 0 && !slices.Contains(modes, any("ReadWriteMany")) {
			return true
		}
	}
	return false
}

// IsHotpluggable reports whether a volume is one that KubeVirt plugs in and out.
func IsHotpluggable(volume any) bool {
	for _, kind := range []string{"dataVolume", "persistentVolumeClaim"} {
		if on, _ := manifest.At(volume, kind, "hotpluggable").(bool); on {
			return true
		}
	}
	return false
}
