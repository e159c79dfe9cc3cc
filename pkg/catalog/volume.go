package catalog

import (
	"fmt"

	"github.com/vmrender/vmrender/pkg/source"
)

// keysOfVolumes are the keys for the volumes of KubeVirt that have one.
var keysOfVolumes = map[string]string{
	"cloudInitConfigDrive": "cloudInit", "cloudInitNoCloud": "cloudInit", "configMap": "configMap",
	"containerDisk": "containerDisk", "dataVolume": "dataVolume", "downwardMetrics": "downwardMetrics",
	"emptyDisk": "emptyDisk", "persistentVolumeClaim": "claim", "secret": "secret", "serviceAccount": "serviceAccount",
	"sysprep": "sysprep",
}

// volumeProblem returns what is wrong with a volume that is in the form of KubeVirt, except for unknown keys, or "".
func volumeProblem(n *source.Node) string {
	if !n.IsSet() {
		return ""
	}
	if len(n.Fields) != 1 {
		return "expected exactly one kind of volume, such as hostDisk or ephemeral"
	}
	if key, ok := keysOfVolumes[n.Fields[0].Key]; ok {
		return fmt.Sprintf("%s has a key of its own; write `source: {%s: …}`", n.Fields[0].Key, key)
	}
	return ""
}
