package sizing

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
)

// Fleet is the size of a fleet.
type Fleet struct {
	// VMs is the number of VMs, and Objects that of all rendered objects.
	VMs, Objects int
	// Bytes is the size of these objects as compact JSON.
	Bytes int64
	// Applications is the number of Applications that render the fleet.
	Applications int
	// Squares is the sum of the squares of the numbers of objects of the Applications.
	Squares float64
	// Largest is the Application with the most bytes.
	Largest Application
	// Files is the number of files in the repository without .git, which every render sends, and Pages their size in
	// bytes on a file system with pages of 4 KiB.
	Files int
	Pages int64
	// Clusters is the number of clusters that the VMs are on.
	Clusters int
}

// Application is the size of one Application.
type Application struct {
	Objects int
	Bytes   int64
}

// square returns the square of the number of objects.
func (a Application) square() float64 { return float64(a.Objects) * float64(a.Objects) }

// Add adds a number of Applications of a size, and keeps the largest.
func (f *Fleet) Add(a Application, number int) {
	f.Applications += number
	f.Squares += a.square() * float64(number)
	if a.Bytes > f.Largest.Bytes {
		f.Largest = a
	}
}

// The cost of sending a file to the plugin, in CPU seconds, from the table "One repository, many Applications" of
// docs/explanation/performance.md: Applications of 100 VMs that send 10,000 files or 100.
const (
	filePacked   = 41e-6 // of repo-server
	fileUnpacked = 27e-6 // of cmp-server
)

// rate is the cost of an Application in one phase: CPU seconds of a part, or requests.
type rate struct {
	fixed  float64 // of an Application without objects
	unit   float64 // of a further object, or of a further KiB
	square float64 // of a further pair of objects
}

// of returns the cost of a number of Applications with the units of all of them, and with the sum of the squares of
// their objects.
func (r rate) of(applications int, units, squares float64) float64 {
	return r.fixed*float64(applications) + r.unit*units + r.square*squares
}

// one returns the cost of one Application.
func (r rate) one(units float64) float64 { return r.of(1, units, units*units) }

// Model predicts the cost of a fleet. Its costs grow linearly with the number of Applications, and with the number of
// objects or their size. An object of a larger Application costs more of the servers that handle objects: while the
// Application is synced, the controller compares all of it again and again, and its sync takes longer.
type Model struct {
	rates    map[string]map[Part]rate // by phase
	requests map[string]rate
	// memory is the resident memory in MiB of an application controller with no objects, and that of a further object
	// in its clusters.
	memory rate
	// busy is the share of the CPU time that the servers take of what other programs leave to them, by phase.
	busy map[string]float64
}

// Fit returns the model of three runs, each with larger Applications than the one before.
func Fit(small, middle, large Run) (*Model, error) {
	if !small.isBelow(middle) || !middle.isBelow(large) {
		return nil, errors.New("a model needs three runs, each with larger Applications than the one before")
	}
	m := fitted(small, large, func(part Part, phase string) rate {
		if isOfBytes(part) {
			return line(small.point(part, phase), large.point(part, phase))
		}
		return curve(small.point(part, phase), middle.point(part, phase), large.point(part, phase))
	})
	m.memory = line(small.held(), large.held())
	return m, nil
}

// With returns the model of the same servers with a sync option that adds to their costs, from two runs with it. The
// second has the larger Applications. A refresh without a commit applies nothing, so it costs the same.
func (m *Model) With(small, large Run) (*Model, error) {
	if !small.isBelow(large) {
		return nil, errors.New("a model needs two runs, the second with larger Applications")
	}
	out := fitted(small, large, func(part Part, phase string) rate {
		if phase == Refresh {
			return m.rates[phase][part]
		}
		return m.rates[phase][part].plus(small.point(part, phase), large.point(part, phase))
	})
	// What a controller does to an object is garbage afterwards: it keeps no more for more objects.
	out.memory = m.memory
	for _, p := range []point{small.held(), large.held()} {
		out.memory.fixed = max(out.memory.fixed, p.y-m.memory.unit*p.x)
	}
	return out, nil
}

// fitted returns the model with these rates of CPU time. Requests grow linearly between two runs.
func fitted(small, large Run, rateOf func(Part, string) rate) *Model {
	m := &Model{rates: map[string]map[Part]rate{}, requests: map[string]rate{}, busy: map[string]float64{}}
	for _, name := range phases {
		m.rates[name] = map[Part]rate{}
		for _, part := range Parts {
			m.rates[name][part] = rateOf(part, name)
		}
		m.requests[name] = line(small.asked(name), large.asked(name))
		cpu := total(large.Phase(name).CPU)
		m.busy[name] = cpu / (cpu + large.Phase(name).Idle)
	}
	return m
}

// isBelow reports whether the Applications of a run are smaller than those of another.
func (r *Run) isBelow(other Run) bool {
	return r.Objects < other.Objects && r.Applications*other.Applications > 0
}

// phases are those that the model has costs of.
var phases = []string{First, Refresh, All, One}

// Parts are the parts whose cost the model predicts, in the order of tables.
var Parts = []Part{Controller, RepoServer, Sidecar, Redis, APIServer, Etcd, Webhooks}

// point is a measurement: the cost of an Application of a size.
type point struct{ x, y float64 }

// point returns the CPU seconds of a part for one Application, without those for the files of the repository.
func (r *Run) point(part Part, phase string) point {
	return point{r.units(part), r.Phase(phase).CPU[part]/r.acting(phase) - r.sent(part, phase)}
}

// asked returns the requests for one Application.
func (r *Run) asked(phase string) point {
	return point{float64(r.Objects), total(r.Phase(phase).Requests) / r.acting(phase)}
}

// line returns the line through two points. Costs do not fall with the size, and are not negative: where a
// measurement is too short for that, the line is flat, or only goes through the second point.
func line(a, b point) rate {
	unit := math.Max(0, (b.y-a.y)/(b.x-a.x))
	if fixed := b.y - unit*b.x; fixed > 0 {
		return rate{fixed: fixed, unit: unit}
	}
	return rate{unit: math.Max(0, b.y/b.x)}
}

// curve returns the parabola through three points that does not bend down, and does not begin below zero.
func curve(a, b, c point) rate {
	slope := func(p, q point) float64 { return (q.y - p.y) / (q.x - p.x) }
	square := math.Max(0, (slope(b, c)-slope(a, b))/(c.x-a.x))
	flat := func(p point) point { return point{p.x, p.y - square*p.x*p.x} }
	r := line(flat(a), flat(c))
	r.square = square
	return r
}

// plus returns a rate with the costs that two measurements have in addition, which grow linearly.
func (r rate) plus(a, b point) rate {
	beyond := func(p point) point { return point{p.x, p.y - r.one(p.x)} }
	more := line(beyond(a), beyond(b))
	return rate{fixed: r.fixed + more.fixed, unit: r.unit + more.unit, square: r.square}
}

// peak returns the largest memory in MiB of a process of the part.
func (r *Run) peak(part Part) (most float64) {
	for _, p := range r.Phases {
		most = max(most, p.Peak[part])
	}
	return most
}

// held returns the number of objects in the clusters of one controller, and its memory in MiB.
func (r *Run) held() point {
	return point{float64(r.Objects*r.Applications) / float64(max(1, r.Controllers)), r.peak(Controller)}
}

// units returns the size of one Application in the unit that the cost of a part grows with: KiB for those that write,
// send or keep manifests, and objects for all others.
func (r *Run) units(part Part) float64 {
	return unitsOf(part, float64(r.Objects), float64(r.Bytes))
}

func unitsOf(part Part, objects, bytes float64) float64 {
	if isOfBytes(part) {
		return bytes / 1024
	}
	return objects
}

func isOfBytes(part Part) bool { return part == RepoServer || part == Sidecar || part == Redis }

// acting returns the number of Applications that a phase is about.
func (r *Run) acting(phase string) float64 {
	if phase == One {
		return 1
	}
	return float64(r.Applications)
}

// sent returns the CPU seconds that a part takes for the files of one render.
func (r *Run) sent(part Part, phase string) float64 { return sent(part, phase, r.Files) }

func sent(part Part, phase string, files int) float64 {
	switch {
	case phase == Refresh: // manifests are in the cache
		return 0
	case part == RepoServer:
		return filePacked * float64(files)
	case part == Sidecar:
		return fileUnpacked * float64(files)
	}
	return 0
}

// total returns the sum of the values of a map. The order of the sum is fixed, because it changes the last digit.
func total[K cmp.Ordered, N int | float64](values map[K]N) float64 {
	var sum N
	for _, key := range slices.Sorted(maps.Keys(values)) {
		sum += values[key]
	}
	return float64(sum)
}

// New returns the model of the measured runs, of Applications as they are by default.
func New() (*Model, error) { return newModel(false) }

// newModel returns the model of Applications that have, or do not have, Validate=false. Those that have it are in the
// runs with a twentieth of 100,000 VMs, which determine the model. The validation of an object costs the same in small
// Applications, so smaller runs determine what it adds.
func newModel(unvalidated bool) (*Model, error) {
	runs, err := measuredRuns(true, 3)
	if err != nil {
		return nil, err
	}
	m, err := Fit(runs[0], runs[1], runs[2])
	if err != nil || unvalidated {
		return m, err
	}
	if runs, err = measuredRuns(false, 2); err != nil {
		return nil, err
	}
	return m.With(runs[0], runs[1])
}
