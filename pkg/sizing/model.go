package sizing

import (
	"errors"
	"math"
)

// Fleet is the size of a fleet.
type Fleet struct {
	// VMs is the number of VMs, and Objects that of all rendered objects.
	VMs, Objects int
	// Bytes is the size of these objects as compact JSON.
	Bytes int64
	// Applications is the number of Applications that render the fleet.
	Applications int
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

// The cost of sending a file to the plugin, in CPU seconds, from the table "One repository, many Applications" of
// docs/explanation/performance.md: Applications of 100 VMs that send 10,000 files or 100.
const (
	filePacked   = (0.56 - 0.11) / 9900 // of repo-server
	fileUnpacked = (0.3 - 0.03) / 9900  // of cmp-server
)

// rate is the cost of an Application in one phase: CPU seconds of a part, or requests.
type rate struct {
	fixed float64 // of an Application without objects
	unit  float64 // of a further object, or of a further KiB
}

// of returns the cost of a number of Applications with the units of all of them.
func (r rate) of(applications int, units float64) float64 {
	return r.fixed*float64(applications) + r.unit*units
}

// Model predicts the cost of a fleet. Its costs grow linearly with the number of Applications, and with the number of
// objects or their size.
type Model struct {
	rates    map[string]map[Part]rate // by phase
	requests map[string]rate
	// memory is the resident memory in MiB of an application controller with no objects, and that of a further object
	// in its clusters.
	memory rate
	// busy is the share of the CPU time that the servers take of what other programs leave to them, by phase.
	busy map[string]float64
}

// Fit returns the model of two runs that differ in the size of their Applications. The second has the larger ones.
func Fit(small, large Run) (*Model, error) {
	if small.Objects >= large.Objects || small.Applications*large.Applications == 0 {
		return nil, errors.New("a model needs two runs, the second with larger Applications")
	}
	m := &Model{rates: map[string]map[Part]rate{}, requests: map[string]rate{}, busy: map[string]float64{}}
	for _, name := range phases {
		s, l := small.Phase(name), large.Phase(name)
		m.rates[name] = map[Part]rate{}
		for _, part := range Parts {
			m.rates[name][part] = through(
				small.units(part), s.CPU[part]/small.acting(name)-small.sent(part, name),
				large.units(part), l.CPU[part]/large.acting(name)-large.sent(part, name))
		}
		m.requests[name] = through(
			float64(small.Objects), total(s.Requests)/small.acting(name),
			float64(large.Objects), total(l.Requests)/large.acting(name))
		m.busy[name] = total(l.CPU) / (total(l.CPU) + l.Idle)
	}
	m.memory = through(small.kept(), small.peak(Controller), large.kept(), large.peak(Controller))
	return m, nil
}

// phases are those that the model has costs of.
var phases = []string{First, Refresh, All, One}

// Parts are the parts whose cost the model predicts, in the order of tables.
var Parts = []Part{Controller, RepoServer, Sidecar, Redis, APIServer, Etcd, Webhooks}

// through returns the line through two points. Costs do not fall with the size, and are not negative: where a
// measurement is too short for that, the line is flat.
func through(x0, y0, x1, y1 float64) rate {
	unit := math.Max(0, (y1-y0)/(x1-x0))
	return rate{fixed: math.Max(0, y1-unit*x1), unit: unit}
}

// peak returns the largest memory in MiB of a process of the part.
func (r *Run) peak(part Part) (most float64) {
	for _, p := range r.Phases {
		most = max(most, p.Peak[part])
	}
	return most
}

// kept returns the number of objects in the clusters of one controller.
func (r *Run) kept() float64 {
	return float64(r.Objects*r.Applications) / float64(max(1, r.Controllers))
}

// units returns the size of one Application in the unit that the cost of a part grows with: KiB for those that write,
// send or keep manifests, and objects for all others.
func (r *Run) units(part Part) float64 {
	return unitsOf(part, float64(r.Objects), float64(r.Bytes))
}

func unitsOf(part Part, objects, bytes float64) float64 {
	if part == RepoServer || part == Sidecar || part == Redis {
		return bytes / 1024
	}
	return objects
}

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

// total returns the sum of the values of a map.
func total[K comparable, N int | float64](values map[K]N) float64 {
	var sum N
	for _, n := range values {
		sum += n
	}
	return float64(sum)
}

// New returns the model of the first two runs in measured.json.
func New() (*Model, error) { return newModel(false) }

// newModel returns the model of the first two runs whose Applications have, or do not have, Validate=false.
func newModel(unvalidated bool) (*Model, error) {
	runs, err := measuredRuns(unvalidated)
	if err != nil {
		return nil, err
	}
	if len(runs) < 2 {
		return nil, errors.New("measured.json has fewer than two runs")
	}
	return Fit(runs[0], runs[1])
}
