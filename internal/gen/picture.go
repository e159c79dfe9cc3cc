package main

import (
	"fmt"
	"strings"

	"github.com/vmrender/vmrender/internal/svgtext"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/revision"
)

// pictured is the fleet of the picture, and change an overlay with the changes in its files.
const pictured, change = "examples/fleet", "internal/gen/picture.yaml"

// pictureWidth is the number of characters after which a line is cut.
const pictureWidth = 112

// planPicture returns a picture of what `vmrender plan` reports for a change of a fleet
// since a commit, which is made up: the change is an overlay, and the hash any.
func planPicture() ([]byte, error) {
	before, err := renderedObjects(fleet.Options{})
	if err != nil {
		return nil, err
	}
	after, err := renderedObjects(fleet.Options{Overlays: []string{change}})
	if err != nil {
		return nil, err
	}
	p := report.Plan{
		Plan:     plan.New(before, after, plan.Options{Cluster: cluster.Settings{KubeVirt: "1.6", OpenShift: true}}),
		From:     report.Side{Label: revision.Commit{Name: "main", Hash: "4be1c07d92a6"}.String()},
		To:       report.Side{Label: revision.Commit{Name: revision.Worktree, Hash: "4be1c07d92a6", Changed: true}.String()},
		Unknown:  []string{"the state in the cluster"},
		Terminal: report.Terminal{Color: true, Width: pictureWidth},
	}
	var text strings.Builder
	fmt.Fprintf(&text, "\x1b[2m$\x1b[0m vmrender plan %s --from main\n", pictured)
	if err := report.PlanText(&text, p); err != nil {
		return nil, err
	}
	picture, err := svgtext.Picture(text.String())
	return []byte(picture), err
}

// renderedObjects returns the objects of the fleet.
func renderedObjects(o fleet.Options) ([]manifest.Object, error) {
	c := render.NewCollector()
	_, diags := inventory.Visit(pictured, o, c.Visit)
	rendered := c.Rendered(diags)
	if diags.HasErrors() {
		return nil, fmt.Errorf("rendering %s: %v", pictured, diags.Sorted())
	}
	return render.Objects(rendered...), nil
}
