package main

import (
	"sync"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/compare"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/source"
)

// places returns where the files of the new side set what a plan names: the values of a
// fleet, or a platform.yaml as a whole. It returns nil for manifests, and for a platform in
// a revision.
func (f *sideFlags) places(cmd *cobra.Command, to compare.Loaded, p *report.Plan) report.Locator {
	side := f.sides.To
	if side.Path == "-" {
		return nil
	}
	if to.Fleet != nil {
		return f.valuePlaces(cmd, p)
	}
	if file, ok := f.platform.File(side.Path); ok && side.IsAsItIs() {
		return func(manifest.ID, string) source.Pos { return source.Pos{File: file, Line: 1, Col: 1} }
	}
	return nil
}

// valuePlaces returns where the fleet of the new side sets the values of the VMs that a plan
// changes. It reads the fleet again, at the first call: only some outputs need it.
func (f *sideFlags) valuePlaces(cmd *cobra.Command, p *report.Plan) report.Locator {
	places := sync.OnceValue(func() *compare.Places {
		var vms []string
		for i := range p.VMs {
			if v := &p.VMs[i]; len(v.Causes) > 0 {
				vms = append(vms, v.ID.Namespace+"/"+v.ID.Name)
			}
		}
		for i := range p.Holds {
			vms = append(vms, p.Holds[i].ID.Namespace+"/"+p.Holds[i].ID.Name)
		}
		return f.loader(cmd).Places(cmd.Context(), f.sides, vms)
	})
	return func(object manifest.ID, key string) source.Pos {
		return places().Of(object.Namespace+"/"+object.Name, key)
	}
}
