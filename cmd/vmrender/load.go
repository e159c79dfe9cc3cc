package main

import (
	"io"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/source"
)

// renderFleet reads and renders the fleet, directory or file at path.
func renderFleet(path string, opts fleet.Options) (*machine.Fleet, []render.Rendered, *source.Diagnostics) {
	c := render.NewCollector()
	f, diags := machine.Visit(path, opts, c.Visit)
	return f, c.Rendered(), diags
}

// machines counts those among what was rendered.
func machines(rendered []render.Rendered) int {
	n := 0
	for i := range rendered {
		if !rendered[i].Jobs {
			n++
		}
	}
	return n
}

// complain writes problems for people, one line each, and returns errReported
// where there is an error among them.
func complain(stderr io.Writer, diags *source.Diagnostics) error {
	v := report.Validation{Diagnostics: diags.Sorted()}
	if err := report.Text(stderr, v); err != nil {
		return err
	}
	if v.HasErrors() {
		return errReported
	}
	return nil
}
