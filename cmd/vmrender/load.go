package main

import (
	"io"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/source"
)

// loadFleet reads the fleet, directory or file at path. A path without VMs is
// an error unless the fleet allows it: Argo CD would take the empty output for
// the wish to prune everything.
func loadFleet(path string, opts fleet.Options) (*fleet.Fleet, *source.Diagnostics) {
	f, diags := fleet.Load(path, opts)
	if !diags.HasErrors() && len(f.Machines) == 0 && !f.AllowEmpty {
		diags.Errorf(source.Pos{File: path}, "no-vms", "", "no VMs; name some under `vms`, or set `allowEmpty: true` in fleet.yaml")
	}
	return f, diags
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
