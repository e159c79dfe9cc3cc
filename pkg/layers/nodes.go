package layers

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// poolLabel is the label of a MachineConfig that names its pool (openshift/api,
// machineconfiguration/v1/types.go).
const poolLabel = "machineconfiguration.openshift.io/role"

// expect notes on the MachineConfigPools of a layer which MachineConfigs the other
// layers apply to them: a pool is up to date until its operator has seen a new one.
func (p *loaded) expect(l *layer, objects []manifest.Object, opts Options) error {
	for i, o := range objects {
		if o.Kind != "MachineConfigPool" {
			continue
		}
		text, err := annotated(o.JSON, p.machineConfigs(l, o.Name, opts))
		if err != nil {
			return err
		}
		objects[i].JSON = text
	}
	return nil
}

// machineConfigs returns the names of the MachineConfigs for a pool that layers other
// than l apply by themselves, sorted.
func (p *loaded) machineConfigs(l *layer, pool string, opts Options) []string {
	var names []string
	for i := range p.layers {
		other := &p.layers[i]
		if other.name == l.name || !other.automated() {
			continue
		}
		for _, o := range p.rendered(other, opts).objects {
			if o.Kind == "MachineConfig" && metadataOf(o).Labels[poolLabel] == pool {
				names = append(names, o.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// metadata is the part of an object's metadata that layers read.
type metadata struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func metadataOf(o manifest.Object) metadata {
	var head struct {
		Metadata metadata `json:"metadata"`
	}
	if json.Unmarshal(o.JSON, &head) != nil {
		return metadata{}
	}
	return head.Metadata
}

// annotated returns the JSON of a pool with annotations for the MachineConfigs.
func annotated(text []byte, names []string) ([]byte, error) {
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	meta, _ := tree["metadata"].(map[string]any)
	annotations, _ := meta["annotations"].(map[string]any)
	if annotations == nil {
		annotations = map[string]any{}
		meta["annotations"] = annotations
	}
	for i, name := range names {
		annotations[labels.MachineConfig+strconv.Itoa(i+1)] = name
	}
	return json.Marshal(tree)
}
