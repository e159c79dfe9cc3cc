package render_test

import (
	"fmt"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/source"
)

func ExampleRenderer_Objects() {
	m := &machine.Machine{
		Name: "web01", Namespace: "default", Path: "vms.web01", OS: &catalog.ResolvedOS{Name: "linux"},
		Disks: []machine.Disk{{Name: "root", Volume: "rootdisk", Claim: "web01", Size: "30Gi", Type: "disk", Keep: true}},
	}
	var diags source.Diagnostics
	for _, o := range render.New().Objects(m, &diags) {
		fmt.Println(o.GetObjectKind().GroupVersionKind().Kind)
	}
	// Output:
	// DataVolume
	// VirtualMachine
}
