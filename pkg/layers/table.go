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
	Provides []Provided                         `json:"provides,omitempty"`
	Excludes []string                           `json:"excludes,omitempty"`
	Ignore   []argocd.ResourceIgnoreDifferences `json:"ignore,omitempty"`
}

// Provided lists kinds that a layer provides: always, or only with an operator or object.
type Provided struct {
	Package string   `json:"package,omitempty"` // name of an operator's package in its catalog
	Object  string   `json:"object,omitempty"`  // GROUP/KIND
	Kinds   []string `json:"kinds"`             // each GROUP/KIND, or GROUP for all of it
}

// layersTable is apps/layers.yaml.
type layersTable struct {
	Layers []Entry                 `json:"layers"`
	Agree  []agreement             `json:"agree"`
	Ready  map[string]*source.Node `json:"ready"`  // status of what works, by GROUP/KIND
	Native map[string][]string     `json:"native"` // API groups that a cluster serves by itself, by platform
}

// Entries returns the table of layers in the order in which a cluster needs them.
func Entries() []Entry { return table().Layers }

var table = sync.OnceValue(func() layersTable {
	file := source.File{Name: "apps/layers.yaml", Data: apps.Layers}
	var diags source.Diagnostics
	var read layersTable
	source.Decode(source.Parse(&file, &diags)[0], &read, "", &diags)
	if diags.HasErrors() { // a bug: the file is embedded, and a test reads it
		panic(fmt.Sprint(diags.Sorted()))
	}
	return read
})

// Description is an entry with the description of its chart.
type Description struct {
	Entry
	Description string // one sentence
}

// Describe returns the table of layers with the descriptions of the charts.
func Describe() ([]Description, error) {
	var out []Description
	for _, e := range Entries() {
		c, err := openChart(e.Name)
		if err != nil {
			return nil, err
		}
		out = append(out, Description{e, c.Metadata.Description})
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
