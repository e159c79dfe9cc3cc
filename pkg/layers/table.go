package layers

import (
	"fmt"
	"slices"
	"sync"

	"github.com/vmrender/vmrender/apps"
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/source"
)

// Entry describes the layer that a chart renders; apps/layers.yaml documents the
// fields.
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
	if diags.HasErrors() { // a bug: the file is embedded, and a test reads it
		panic(fmt.Sprint(diags.Sorted()))
	}
	return table.Layers
})

// Description is an entry with the description of its chart.
type Description struct {
	Entry
	Description string   // one sentence
	Requires    []string // API groups that must be served before the objects can be applied
}

// Describe returns the table of layers with the descriptions of the charts.
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

// find returns the entry of a chart, and whether there is one.
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
