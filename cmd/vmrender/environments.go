package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/delivery"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/source"
)

// environments are the overlays in a directory, each of which is one environment.
type environments struct{ dir string }

func (e *environments) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&e.dir, "environments", "",
		"`directory` with an overlay NAME.yaml for each environment to validate the fleet with, "+
			"merged after each --overlay")
	completeFlag(cmd, "environments", completeDirs)
}

// overlays returns the overlays, or an empty name if no directory is given.
func (e *environments) overlays() ([]string, error) {
	return delivery.OverlaysIn("--environments", e.dir, "environment")
}

// validateEach renders the fleet at path in every environment, of which overlays has the
// overlays. It returns the number of VMs in all of them, their problems, and notes.
func validateEach(path string, overlays []string, opts fleet.Options) (
	vms int, diags *source.Diagnostics, notes []string,
) {
	all, names := make([][]source.Diagnostic, len(overlays)), map[string]string{}
	for i, overlay := range overlays {
		one := opts
		if overlay != "" {
			one.Overlays = append(slices.Clip(opts.Overlays), overlay)
		}
		f, rendered, diags := renderFleet(path, one)
		vms += countVMs(rendered)
		all[i] = diags.Sorted()
		if other, taken := names[f.Environment]; taken {
			notes = append(notes, sameEnvironment(f.Environment, other, overlay))
		}
		names[f.Environment] = overlay
	}
	return vms, problems.Across(overlays, all), notes
}

// sameEnvironment returns a note about two overlays whose VMs get the same identities.
func sameEnvironment(name, first, second string) string {
	what := "neither names its `environment`"
	if name != "" {
		what = fmt.Sprintf("both are the `environment` %q", name)
	}
	return fmt.Sprintf("%s and %s: %s, so VMs of the same namespace and name have the same UUIDs, serial numbers and "+
		"derived MAC addresses", first, second, what)
}
