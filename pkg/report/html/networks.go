package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
)

// networkMap is a drawing of the networks as vertical lines, and of the VMs with the
// same networks as rows that meet the lines of these.
type networkMap struct {
	Width, Height int
	Lines         []network // drawn ones first in [networkMap.Drawn]
	Rows          []networkRow
	More          int // rows that are not drawn
	Hidden        int // networks that are not drawn
}

// network is one network of the catalog, or a NetworkAttachmentDefinition that a VM names.
type network struct {
	catalog.Network
	Name  string
	VMs   int
	X     int
	Color int // number of the color
}

// networkRow is the VMs of one namespace with the same networks.
type networkRow struct {
	Namespace string
	Label     string // such as "web-0, web-1 and 10 more"
	Names     string // of more of them, for the tooltip
	VMs       int
	Y, From   int // of the row; From is the first line that it meets, or 0 if there is none
	To        int
	Dots      []dot

	names []string
	keys  []string // names of the networks
}

// dot is where a row meets a line.
type dot struct {
	X     int
	Title string // the addresses, for the tooltip
	Color int

	addresses []string
}

// Limits and distances of the drawing, the latter in pixels.
const (
	mostRows, mostLines = 150, 40
	mostNames           = 12

	labelWidth, lineDistance = 250, 120
	wireStart                = 238
	headHeight, rowHeight    = 76, 40
	colors                   = 6
)

func newNetworkMap(set *catalog.Set, machines []*machine.Machine) networkMap {
	lines := map[string]*network{}
	if set != nil {
		for _, n := range set.ListNetworks() {
			lines[n.Name] = &network{Name: n.Name, Network: *n.Network}
		}
	}
	rows := map[string]*networkRow{}
	for _, m := range machines {
		for i := range m.NICs {
			n := &m.NICs[i]
			if lines[n.Network] == nil {
				lines[n.Network] = &network{Name: n.Network, Network: catalog.Network{NAD: n.NAD, Pod: n.Pod}}
			}
			lines[n.Network].VMs += vms(m)
		}
		addRow(rows, m)
	}
	return draw(lines, rows)
}

// addRow adds a VM to the row of its namespace and networks.
func addRow(rows map[string]*networkRow, m *machine.Machine) {
	var keys []string
	for i := range m.NICs {
		keys = append(keys, m.NICs[i].Network)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	key := m.Namespace + "\x00" + strings.Join(keys, "\x00")
	r := rows[key]
	if r == nil {
		r = &networkRow{Namespace: m.Namespace, keys: keys, Dots: make([]dot, len(keys))}
		rows[key] = r
	}
	r.VMs += vms(m)
	r.names = append(r.names, nameOf(m))
	for i := range m.NICs {
		if at := slices.Index(keys, m.NICs[i].Network); m.NICs[i].IP != "" {
			r.Dots[at].addresses = append(r.Dots[at].addresses, m.Name+" "+address(m.NICs[i].IP))
		}
	}
}

// draw places lines and rows.
func draw(lines map[string]*network, rows map[string]*networkRow) networkMap {
	var out networkMap
	for _, n := range lines {
		if n.VMs > 0 || !n.Pod {
			out.Lines = append(out.Lines, *n)
		}
	}
	slices.SortFunc(out.Lines, func(a, b network) int {
		return cmp.Or(b2i(b.Pod)-b2i(a.Pod), cmp.Compare(a.VLAN, b.VLAN), strings.Compare(a.Name, b.Name))
	})
	x := map[string]*network{}
	for i := range out.Lines {
		n := &out.Lines[i]
		n.X, n.Color = labelWidth+lineDistance/2+i*lineDistance, i%colors
		if i < mostLines {
			x[n.Name] = n
		}
	}
	for _, r := range rows {
		out.Rows = append(out.Rows, *r)
	}
	slices.SortFunc(out.Rows, func(a, b networkRow) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.names[0], b.names[0]))
	})
	if len(out.Rows) > mostRows {
		out.Rows, out.More = out.Rows[:mostRows], len(out.Rows)-mostRows
	}
	for i := range out.Rows {
		out.Rows[i].place(headHeight+rowHeight*i+rowHeight/2, x)
	}
	out.Hidden = max(len(out.Lines)-mostLines, 0)
	out.Width = labelWidth + lineDistance*min(len(out.Lines), mostLines)
	out.Height = headHeight + rowHeight*len(out.Rows) + 8
	return out
}

// place sets the positions and texts of a row.
func (r *networkRow) place(y int, lines map[string]*network) {
	r.Y, r.Label, r.Names = y, label(wireStart-8, r.names, 2), some(r.names)
	dots := r.Dots[:0]
	for i, d := range r.Dots {
		line := lines[r.keys[i]]
		if line == nil {
			continue
		}
		d.X, d.Color, d.Title = line.X, line.Color, r.keys[i]
		if len(d.addresses) > 0 {
			d.Title += ": " + some(d.addresses)
		}
		if r.From == 0 || d.X < r.From {
			r.From = d.X
		}
		r.To = max(r.To, d.X)
		dots = append(dots, d)
	}
	r.Dots = dots
}

// Drawn returns the networks that are drawn.
func (m networkMap) Drawn() []network { return m.Lines[:min(len(m.Lines), mostLines)] }

// Tag returns the VLAN, if it is known.
func (n network) Tag() string {
	switch {
	case n.Pod:
		return "pod network"
	case n.VLAN > 0:
		return fmt.Sprintf("VLAN %d", n.VLAN)
	}
	return ""
}

// some returns the first names, and how many follow.
func some(names []string) string {
	if len(names) <= mostNames+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %s more", strings.Join(names[:mostNames], ", "), thousands(len(names)-mostNames))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
