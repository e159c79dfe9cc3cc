package adopt

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/draft"
)

// nameNetworks names the networks as their definitions, with the namespace in front where
// several have the same.
func (w *work) nameNetworks() {
	w.names.Networks = map[string]draft.Network{}
	bindings := map[string]map[string]int{}
	for _, e := range w.entries {
		for _, on := range e.Live.Spec().Networks {
			if on.Multus != nil {
				nad := on.Multus.NetworkName
				bindings[nad] = counted(bindings[nad], e.Live.BindingOn(on.Name))
			}
		}
	}
	taken := map[string]bool{draft.PodNetwork: true}
	for _, nad := range slices.Sorted(maps.Keys(bindings)) {
		name := nad[strings.LastIndex(nad, "/")+1:]
		if taken[name] {
			name = strings.ReplaceAll(nad, "/", "-")
		}
		for taken[name] {
			name += "-2"
		}
		taken[name] = true
		w.names.Networks[nad] = draft.Network{Name: name, Binding: cmp.Or(mostOf(bindings[nad]), "bridge")}
	}
}

func counted(m map[string]int, key string) map[string]int {
	if m == nil {
		m = map[string]int{}
	}
	m[key]++
	return m
}

// mostOf returns the key with the highest number, the first of several.
func mostOf(m map[string]int) string {
	most := ""
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if m[key] > m[most] {
			most = key
		}
	}
	return most
}
