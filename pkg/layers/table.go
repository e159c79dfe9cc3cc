package layers

import (
	"fmt"
	"slices"
	"sync"

	"github.com/vmrender/vmrender/apps"
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/source"
)

// Entry is what is known about the layer that a chart makes; apps/layers.yaml
// says what the fields are.
type Entry struct {
	Name     string                             `json:"name"`
	Wave     int                                `json:"wave"`
	Impact   string                             `json:"impact" enum:"low,medium,high"`
	Options  []string                           `json:"options,omitempty"`
	Provides []string                           `json:"provides,omitempty"`
	Ignore   []argocd.ResourceIgnoreDifferences `json:"ignore,omitempty"`
}

// Entries returns the table of layers in the order in which a cluster needs them.
var Entries = sync.OnceValue(func() []Entry {
	file := source.File{Name: "apps/layers.yaml", Data: apps.Layers}
	var diags source.Diagnostics
	var table struct {
		Layers []Entry `json:"layers"`
	}
	source.Decode(source.Parse(&file, &diags)[0], &table, "", &diags)
	if diags.HasErrors() { // an embedded file, which a test reads
		panic(fmt.Sprint(diags.Sorted()))
	}
	return table.Layers
})

// Description is an entry with what its chart says of itself.
type Description struct {
	Entry
	Description string   // one sentence
	Requires    []string // API groups that must be served before the objects can be applied
}

// Describe returns the table of layers for people.
func Describe() ([]Description, error) {
	var out []Description
	for _, e := range Entries() {
		c, err := openChart(e.Name)
		if err != nil {
			return nil, err
		}
		out = append(out, Description{e, c.Metadata.Description, c.requires()})
	}
	return out, nil
}

// find returns the entry of a chart.
func find(chart string) (Entry, bool) {
	i := slices.IndexFunc(Entries(), func(e Entry) bool { return e.Name == chart })
	if i < 0 {
		return Entry{}, false
	}
	return Entries()[i], true
}

func chartNames() []string {
	names := make([]string, 0, len(Entries()))
	for _, e := range Entries() {
		names = append(names, e.Name)
	}
	return names
}
