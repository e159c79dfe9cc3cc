package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/render"
)

// LeavingOf returns what was rendered for the VMs that leave, of all VMs of their fleet. All replicas of an entry leave
// together: the files cannot express that one is gone.
func LeavingOf(all []*machine.Machine, rendered []render.Rendered) ([]Leaving, error) {
	var out []Leaving
	for i := range rendered {
		r := &rendered[i]
		at := slices.IndexFunc(all, func(m *machine.Machine) bool { return isOf(r, m) })
		if r.Jobs || at < 0 {
			continue
		}
		m := all[at]
		if missing := unnamed(all, m, rendered); missing != nil {
			return nil, fmt.Errorf("%s/%s leaves only with the other replicas of its entry %s; add %s",
				m.Namespace, m.Name, m.Entry, strings.Join(missing, " "))
		}
		objects := render.Objects(*r)
		where := fmt.Sprintf("%s:%d", m.Pos.File, m.Pos.Line)
		out = append(out, Leaving{Name: m.Namespace + "/" + m.Name, Entry: m.Path, Where: where, Objects: objects})
	}
	return out, nil
}

func isOf(r *render.Rendered, m *machine.Machine) bool {
	return !r.Jobs && r.Namespace == m.Namespace && r.Name == m.Name
}

// unnamed returns the replicas of a VM's entry that were not rendered.
func unnamed(all []*machine.Machine, m *machine.Machine, rendered []render.Rendered) []string {
	var out []string
	for _, other := range all {
		is := func(r render.Rendered) bool { return isOf(&r, other) }
		if other.Pos == m.Pos && !slices.ContainsFunc(rendered, is) {
			out = append(out, other.Namespace+"/"+other.Name)
		}
	}
	return out
}
