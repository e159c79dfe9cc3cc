package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/machine"
)

// waveGraph is a drawing of the sync waves as columns, in which arrows lead from VMs
// to those that wait for them.
type waveGraph struct {
	Width, Height int
	Columns       []waveColumn
	Boxes         []waveBox
	Arrows        []arrow
	More          int // boxes that are not drawn
}

// waveColumn is the head of a column.
type waveColumn struct {
	X    int
	Wave int
	VMs  int
}

// waveBox is VMs of a namespace that have their wave and what they wait for in common.
type waveBox struct {
	X, Y      int
	Namespace string
	Label     string
	Names     string // of more of them, for the tooltip
	VMs       int
	Linked    bool // whether an arrow starts or ends here

	wave  int
	names []string
	waits []machine.Dependency
	order float64
}

// arrow leads from the right side of a box to the left side of another.
type arrow struct{ Path string }

// Limits and distances of the drawing, the latter in pixels.
const (
	mostBoxes  = 150
	mostArrows = 600

	boxWidth, boxHeight   = 190, 50
	boxGap, columnGap     = 12, 80
	columnHead, graphEdge = 40, 8
	boxEdge               = 12
)

func newWaveGraph(machines []*machine.Machine) waveGraph {
	boxes, of := groupByWave(machines)
	var g waveGraph
	if len(boxes) > mostBoxes {
		boxes, g.More = boxes[:mostBoxes], len(boxes)-mostBoxes
	}
	drawn := map[*waveBox]bool{}
	for _, b := range boxes {
		drawn[b] = true
	}
	g.place(boxes, of)
	for _, to := range boxes {
		for _, from := range to.nearest(of) {
			if drawn[from] && len(g.Arrows) < mostArrows {
				from.Linked, to.Linked = true, true
				g.Arrows = append(g.Arrows, newArrow(from, to))
			}
		}
	}
	for _, b := range boxes {
		g.Boxes = append(g.Boxes, *b)
	}
	return g
}

// groupByWave returns the boxes by wave, namespace and name, and the box of each VM
// and entry, by namespace and name.
func groupByWave(machines []*machine.Machine) ([]*waveBox, map[[2]string]*waveBox) {
	awaited := map[[2]string]bool{}
	for _, m := range machines {
		for _, d := range m.DependsOn {
			awaited[[2]string{d.Namespace, d.Name}] = true
		}
	}
	groups, of := map[string]*waveBox{}, map[[2]string]*waveBox{}
	var boxes []*waveBox
	for _, m := range machines {
		self, entry := [2]string{m.Namespace, m.Name}, [2]string{m.Namespace, m.Entry}
		key := fmt.Sprint(m.Wave, m.Namespace, waitsOf(m))
		// VMs that others wait for have a box for themselves, replicas of an entry together.
		switch {
		case m.Entry != "" && awaited[entry]:
			key += " entry " + m.Entry
		case awaited[self]:
			key += " vm " + m.Name
		}
		b := groups[key]
		if b == nil {
			b = &waveBox{Namespace: m.Namespace, wave: m.Wave, waits: m.DependsOn}
			groups[key], boxes = b, append(boxes, b)
		}
		b.VMs += vms(m)
		b.names = append(b.names, nameOf(m))
		of[self] = b
		if m.Entry != "" {
			of[entry] = b
		}
	}
	for _, b := range boxes {
		b.Label, b.Names = label(boxWidth-2*boxEdge, b.names, 1), some(b.names)
	}
	slices.SortStableFunc(boxes, func(a, b *waveBox) int {
		return cmp.Or(cmp.Compare(a.wave, b.wave), strings.Compare(a.Namespace, b.Namespace))
	})
	return boxes, of
}

func waitsOf(m *machine.Machine) string {
	names := make([]string, len(m.DependsOn))
	for i, d := range m.DependsOn {
		names[i] = d.Namespace + "/" + d.Name
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// sources returns the different boxes that a box waits for.
func (b *waveBox) sources(of map[[2]string]*waveBox) []*waveBox {
	var out []*waveBox
	for _, d := range b.waits {
		if from := of[[2]string{d.Namespace, d.Name}]; from != nil && from != b && !slices.Contains(out, from) {
			out = append(out, from)
		}
	}
	return out
}

// nearest returns the sources without those that another source waits for: their arrow
// would add nothing to the others.
func (b *waveBox) nearest(of map[[2]string]*waveBox) []*waveBox {
	sources := b.sources(of)
	return slices.DeleteFunc(slices.Clone(sources), func(from *waveBox) bool {
		return slices.ContainsFunc(sources, func(other *waveBox) bool { return other.waitsFor(from, of) })
	})
}

// waitsFor reports whether a box waits for another, directly or not. Waves rise along
// every arrow, so there is an end.
func (b *waveBox) waitsFor(other *waveBox, of map[[2]string]*waveBox) bool {
	return slices.ContainsFunc(b.sources(of), func(from *waveBox) bool {
		return from == other || from.wave > other.wave && from.waitsFor(other, of)
	})
}

// place sets the positions, column by column. Inside of a column, boxes are as near as
// possible to what they wait for, so that few arrows cross.
func (g *waveGraph) place(boxes []*waveBox, of map[[2]string]*waveBox) {
	for len(boxes) > 0 {
		end := slices.IndexFunc(boxes, func(b *waveBox) bool { return b.wave != boxes[0].wave })
		if end < 0 {
			end = len(boxes)
		}
		column := slices.Clone(boxes[:end])
		for i, b := range column {
			b.order = float64(columnHead + i*(boxHeight+boxGap))
			if from := b.sources(of); len(from) > 0 {
				b.order = 0
				for _, f := range from {
					b.order += float64(f.Y) / float64(len(from))
				}
			}
		}
		slices.SortStableFunc(column, func(a, b *waveBox) int { return cmp.Compare(a.order, b.order) })
		head := waveColumn{X: graphEdge + len(g.Columns)*(boxWidth+columnGap), Wave: column[0].wave}
		for i, b := range column {
			b.X, b.Y = head.X, columnHead+i*(boxHeight+boxGap)
			head.VMs += b.VMs
			g.Height = max(g.Height, b.Y+boxHeight+graphEdge)
		}
		g.Columns, boxes = append(g.Columns, head), boxes[end:]
		g.Width = head.X + boxWidth + graphEdge
	}
}

func newArrow(from, to *waveBox) arrow {
	x1, y1 := from.X+boxWidth, from.Y+boxHeight/2
	x2, y2 := to.X, to.Y+boxHeight/2
	return arrow{fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+columnGap/2, y1, x2-columnGap/2, y2, x2-3, y2)}
}
