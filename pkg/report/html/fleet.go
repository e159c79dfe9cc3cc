package html

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// Fleet is the input of the page about a fleet.
type Fleet struct {
	Version  string // of vmrender
	Name     string // of the fleet, or of what was read if there is none
	Path     string // as the user named it
	Overlays []string
	Target   values.Target
	Catalog  *catalog.Set // nil if there is no fleet
	Machines []*machine.Machine
	Warnings []source.Diagnostic
}

// mostWarnings is the number of warnings that the page shows.
const mostWarnings = 200

// fleetBody is the input of fleet.tmpl.
type fleetBody struct {
	Fleet
	Facts    []term
	Capacity capacity
	Networks networkMap
	Waves    waveGraph
	Silent   int // warnings that are not shown
}

// AllWarnings returns the number of warnings.
func (b fleetBody) AllWarnings() int { return len(b.Warnings) + b.Silent }

// term is a name with its value.
type term struct{ Name, Value string }

// Write writes the page. It shows no user data, and no credentials of addresses.
func (f Fleet) Write(w io.Writer) error {
	f.Machines = slices.Clone(f.Machines)
	slices.SortFunc(f.Machines, func(a, b *machine.Machine) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	body := fleetBody{
		Fleet: f, Facts: f.facts(), Capacity: newCapacity(f.Machines),
		Networks: newNetworkMap(f.Catalog, f.Machines), Waves: newWaveGraph(f.Machines),
	}
	if shown := min(len(f.Warnings), mostWarnings); shown < len(f.Warnings) {
		body.Warnings, body.Silent = f.Warnings[:shown], len(f.Warnings)-shown
	}
	return write(w, "fleet.tmpl", layout{
		Title: cmp.Or(f.Name, "Fleet") + " · vmrender", Version: f.Version, Body: body, List: newFleetList(f.Machines),
	})
}

// facts returns the facts about the fleet in the head of the page.
func (f *Fleet) facts() []term {
	platform := ""
	switch {
	case f.Target.OnOpenShift():
		platform = "OpenShift"
	case f.Target.Plain():
		platform = "Kubernetes"
	}
	return slices.DeleteFunc([]term{
		{"Path", f.Path},
		{"Overlays", strings.Join(f.Overlays, ", ")},
		{"KubeVirt", f.Target.KubeVirt},
		{"Argo CD", f.Target.ArgoCD},
		{"Platform", platform},
	}, func(t term) bool { return t.Value == "" })
}
