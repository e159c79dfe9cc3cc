package render_test

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/source"
)

func ExampleCollector() {
	m := &machine.Machine{
		Name: "web01", Namespace: "default", Path: "vms.web01", OS: &catalog.ResolvedOS{Name: "linux"},
		Disks: []machine.Disk{{Name: "root", Volume: "rootdisk", Claim: "web01", Size: "30Gi", Type: "disk", Keep: true}},
	}
	var diags source.Diagnostics
	c := render.NewCollector()
	c.Visit(m, &diags)
	var out bytes.Buffer
	w := manifest.NewWriter(&out, manifest.YAML)
	if err := errors.Join(render.Write(w, c.Rendered(&diags)...), w.Close()); err != nil {
		fmt.Println(err)
	}
	objects, err := manifest.Read(&out)
	if err != nil {
		fmt.Println(err)
	}
	for _, o := range objects {
		fmt.Println(o.ID)
	}
	// Output:
	// DataVolume default/web01
	// VirtualMachine default/web01
}
