package draft

import (
	"github.com/vmrender/vmrender/pkg/keys"
	"github.com/vmrender/vmrender/pkg/node"
)

// guest sets cloud-init and the answer file.
func (e *Entry) guest() {
	spec := e.Live.Spec()
	for i := range spec.Volumes {
		v := &spec.Volumes[i].VolumeSource
		if c := keys.GetCloudInit(v); c != nil {
			e.Keys.Set("cloudInit", c.Node())
		}
		if v.Sysprep != nil {
			n := node.Map{}
			keys.Sysprep.Get(&n, v.Sysprep, e.inherited())
			e.Keys.Set("sysprep", n.Node())
		}
	}
}
