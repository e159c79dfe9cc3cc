package delivery

import (
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/plugin"
)

// customized is a kind in the table of customizations.
type customized struct {
	Group    string         `json:"group"`
	Kind     string         `json:"kind"`
	Ignore   []ignoredField `json:"ignore"`
	Optional []ignoredField `json:"optional"`
}

type ignoredField struct {
	Field string `json:"field"` // JSON pointer
}

// customizedKinds returns the kinds in the table that fleets are rendered to.
func customizedKinds() ([]customized, error) {
	var table struct {
		Kinds []customized `json:"kinds"`
	}
	if err := yaml.Unmarshal(plugin.Customizations, &table); err != nil {
		return nil, fmt.Errorf("reading the table of customizations: %w", err)
	}
	rendered := []argocd.GroupKind{
		{Group: "kubevirt.io", Kind: "VirtualMachine"},
		{Group: "cdi.kubevirt.io", Kind: "DataVolume"},
		{Group: "pool.kubevirt.io", Kind: "VirtualMachinePool"},
	}
	return slices.DeleteFunc(table.Kinds, func(c customized) bool {
		return !slices.Contains(rendered, argocd.GroupKind{Group: c.Group, Kind: c.Kind})
	}), nil
}

// ignored returns the optional fields to ignore: those of the options, and those that KubeVirt replaces by what it
// infers from a disk when it creates a VM. It refuses to take them back (kubevirt/kubevirt v1.8.4,
// pkg/instancetype/webhooks/vm/mutator.go).
func (p *Plan) ignored() []string {
	fields := slices.Clone(p.options.Ignore)
	for _, m := range p.fleet.Machines {
		if m.InstancetypeVolume != "" {
			fields = append(fields, "/spec/instancetype")
		}
		if m.PreferenceVolume != "" {
			fields = append(fields, "/spec/preference")
		}
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// ignoredDifferences returns the fields that the platform writes, and the given
// optional ones.
func ignoredDifferences(optional []string) ([]argocd.ResourceIgnoreDifferences, error) {
	kinds, err := customizedKinds()
	if err != nil {
		return nil, err
	}
	var ignored []argocd.ResourceIgnoreDifferences
	for _, c := range kinds {
		var pointers []string
		for _, f := range c.Ignore {
			pointers = append(pointers, f.Field)
		}
		for _, f := range c.Optional {
			if slices.Contains(optional, f.Field) {
				pointers = append(pointers, f.Field)
			}
		}
		if len(pointers) > 0 {
			ignored = append(ignored, argocd.ResourceIgnoreDifferences{Group: c.Group, Kind: c.Kind, JSONPointers: pointers})
		}
	}
	return ignored, nil
}

// optionalFields returns all fields that --ignore accepts.
func optionalFields(kinds []customized) []string {
	var fields []string
	for _, c := range kinds {
		for _, f := range c.Optional {
			fields = append(fields, f.Field)
		}
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// checkIgnored checks that every field is optional.
func checkIgnored(given []string) error {
	kinds, err := customizedKinds()
	if err != nil {
		return err
	}
	known := optionalFields(kinds)
	for _, field := range given {
		if !slices.Contains(known, field) {
			return fmt.Errorf("--ignore %q: not a field that may be left to others; %s", field, suggest.DidYouMean(field, known))
		}
	}
	return nil
}
