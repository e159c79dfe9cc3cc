package sizing

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
)

// run returns a run with costs of 2 s for an Application and 0.5 s for each of its objects, in all parts and phases,
// and for the parts that handle objects 0.001 s for each pair of them.
func run(applications, objects int) Run {
	r := Run{
		Applications: applications, VMs: objects, Objects: objects, Bytes: 1024 * objects,
		Clusters: 1, Controllers: 1, CPUs: 2,
	}
	for _, name := range phases {
		p := Phase{Name: name, CPU: map[Part]float64{}, Requests: map[string]int{}, Peak: map[Part]float64{}}
		for _, part := range Parts {
			cost := 2 + 0.5*float64(objects)
			if !isOfBytes(part) {
				cost += 0.001 * float64(objects*objects)
			}
			p.CPU[part] = r.acting(name) * cost
		}
		p.Wall, p.Idle = total(p.CPU), total(p.CPU) // so each CPU is busy for half of the time
		p.Requests["GET"] = int(r.acting(name)) * (5 + 3*objects)
		p.Peak[Controller] = float64(100 + applications*objects)
		r.Phases = append(r.Phases, p)
	}
	return r
}

// option returns the run with an option of syncs that costs each Application 1 s and 10 requests more in each part,
// each object 0.2 s and 2 requests, and a controller 50 MiB.
func option(r Run) Run {
	for _, p := range r.Phases {
		for part := range p.CPU {
			if p.Name == Refresh {
				continue
			}
			p.CPU[part] += r.acting(p.Name) * (1 + 0.2*float64(r.Objects))
		}
		p.Requests["GET"] += int(r.acting(p.Name)) * (10 + 2*r.Objects)
		p.Peak[Controller] += 50
	}
	return r
}

func fit(t *testing.T) *Model {
	t.Helper()
	m, err := Fit(run(10, 1), run(10, 20), run(10, 100))
	require.NoError(t, err)
	return m
}

// predicts checks that a model predicts the CPU time and requests of a run.
func predicts(t *testing.T, m *Model, r Run) {
	t.Helper()
	for _, name := range phases {
		p, c := r.Phase(name), m.Cost(name, r.fleet())
		for _, part := range Parts {
			require.InDelta(t, p.CPU[part], c.CPU[part], 1e-6, "%s of %s", part, name)
		}
		require.InDelta(t, total(p.Requests), c.Requests, 1e-6, name)
	}
}

// The model predicts costs of runs that it was not made from, if they grow as it expects.
func TestFit(t *testing.T) {
	t.Parallel()
	m, other := fit(t), run(30, 50)
	predicts(t, m, other)
	for _, name := range phases {
		require.InDelta(t, other.Phase(name).Wall, m.wall(name, other.fleet(), 2), 1e-6, name)
	}
	require.InDelta(t, 100+1500, m.ControllerMemory(1500), 1e-6)
}

// An option adds to the costs of a model, whatever the sizes of the runs that show it.
func TestWith(t *testing.T) {
	t.Parallel()
	m, err := fit(t).With(option(run(4, 2)), option(run(5, 20)))
	require.NoError(t, err)
	predicts(t, m, option(run(30, 50)))
	require.InDelta(t, 100+50+1500, m.ControllerMemory(1500), 1e-6)
	_, err = m.With(run(10, 5), run(10, 5))
	require.ErrorContains(t, err, "two runs")
}

// Costs do not fall with the size, and do not begin below zero.
func TestLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b point
		want rate
	}{
		{point{1, 1}, point{3, 2}, rate{fixed: 0.5, unit: 0.5}},
		{point{1, 5}, point{2, 3}, rate{fixed: 3}},
		{point{1, 1}, point{2, 3}, rate{unit: 1.5}},
		{point{1, -3}, point{2, -1}, rate{}},
	} {
		require.Equal(t, c.want, line(c.a, c.b))
	}
}

// Applications of different sizes cost more than as many objects in Applications of the same size.
func TestSizesDiffer(t *testing.T) {
	t.Parallel()
	m := fit(t)
	var even, uneven Fleet
	for _, f := range []*Fleet{&even, &uneven} {
		f.Objects, f.Clusters = 200, 1
	}
	even.Add(Application{Objects: 100}, 2)
	uneven.Add(Application{Objects: 150}, 1)
	uneven.Add(Application{Objects: 50}, 1)
	more := m.Cost(All, uneven).CPU[Controller] - m.Cost(All, even).CPU[Controller]
	require.InDelta(t, 0.001*(150*150+50*50-2*100*100), more, 1e-6)
}

func TestFitRefuses(t *testing.T) {
	t.Parallel()
	for _, runs := range [][3]Run{
		{run(10, 1), run(10, 5), run(10, 5)}, {run(10, 5), run(10, 1), run(10, 9)}, {{}, run(10, 5), run(10, 9)},
	} {
		_, err := Fit(runs[0], runs[1], runs[2])
		require.ErrorContains(t, err, "three runs")
	}
}

// A file that a render sends costs the repo-server and the sidecar, and no other part.
func TestFilesCost(t *testing.T) {
	t.Parallel()
	m := fit(t)
	few, many := Fleet{Applications: 2, Files: 1}, Fleet{Applications: 2, Files: 1001}
	a, b := m.Cost(All, few), m.Cost(All, many)
	require.InDelta(t, 2*1000*filePacked, b.CPU[RepoServer]-a.CPU[RepoServer], 1e-9)
	require.InDelta(t, 2*1000*fileUnpacked, b.CPU[Sidecar]-a.CPU[Sidecar], 1e-9)
	require.InDelta(t, a.CPU[Controller], b.CPU[Controller], 1e-9)
	require.Equal(t, m.Cost(Refresh, few), m.Cost(Refresh, many))
}

// measuredModels returns the models of measured.json, of Applications as `vmrender app` prints them and with
// Validate=false.
func measuredModels(t *testing.T) (validated, unvalidated model) {
	t.Helper()
	var models [2]model
	for i, name := range []string{"", "`Validate=false`"} {
		m, err := newModel(i == 1)
		require.NoError(t, err)
		runs, err := measuredRuns(i == 1, 4+i)
		require.NoError(t, err)
		models[i] = model{m, name, runs}
	}
	return models[0], models[1]
}

// measuredModel returns the model of Applications as `vmrender app` prints them.
func measuredModel(t *testing.T) (*Model, []Run) {
	t.Helper()
	m, _ := measuredModels(t)
	return m.Model, m.runs
}

// All runs confirm the model, also those that it was not made from: the CPU time and the requests of each phase. For
// few Applications, requests are counts of one digit, which are rounded.
func TestMeasurementsConfirm(t *testing.T) {
	t.Parallel()
	validated, unvalidated := measuredModels(t)
	for _, m := range []model{validated, unvalidated} {
		for _, r := range m.runs {
			for _, name := range phases {
				p, c := r.Phase(name), m.Cost(name, r.fleet())
				what := fmt.Sprintf("%s, %d × %d %s", name, r.Applications, r.VMs, m.name)
				require.InEpsilon(t, total(p.CPU), c.Total(), 0.2, "CPU of %s", what)
				require.InDelta(t, total(p.Requests), c.Requests, max(0.2*total(p.Requests), 3), "requests of %s", what)
			}
		}
	}
}

// Without validation of each object by the controllers, a commit takes less of them.
func TestValidationCosts(t *testing.T) {
	t.Parallel()
	validated, unvalidated := measuredModels(t)
	f := example(10000, validated.runs[1])
	require.Less(t, 2*unvalidated.Cost(All, f).CPU[Controller], validated.Cost(All, f).CPU[Controller])
}

// The servers of a fleet are never fewer or smaller than those of a smaller fleet, and reach the goal.
func TestServersGrow(t *testing.T) {
	t.Parallel()
	m, runs := measuredModel(t)
	var last Servers
	for _, vms := range []int{10, 1000, 10000, 100000} {
		f := example(vms, runs[1])
		s := m.Servers(f)
		require.LessOrEqual(t, s.Controllers, f.Clusters)
		require.GreaterOrEqual(t, s.Controllers*s.ControllerCPUs, last.Controllers*last.ControllerCPUs)
		require.GreaterOrEqual(t, s.RepoServers, last.RepoServers)
		require.GreaterOrEqual(t, s.RedisMemory, last.RedisMemory)
		require.GreaterOrEqual(t, s.RenderTimeout, defaultRenderTimeout)
		require.LessOrEqual(t, m.Deployed(All, f, s), Soon+m.through(f, s))
		last = s
	}
	require.Greater(t, last.Controllers, 1)
}

// One cluster has one controller, however large it is.
func TestOneClusterIsNotDivided(t *testing.T) {
	t.Parallel()
	m, runs := measuredModel(t)
	f := example(100000, runs[1])
	f.Clusters = 1
	s := m.Servers(f)
	require.Equal(t, 1, s.Controllers)
	require.Greater(t, s.ControllerCPUs, mostControllerCPUs)
	require.Greater(t, s.ControllerMemory, m.Servers(example(100000, runs[1])).ControllerMemory)
}

func TestValues(t *testing.T) {
	t.Parallel()
	m, runs := measuredModel(t)
	for name, vms := range map[string]int{"small": 1000, "large": 100000} {
		got, err := m.Values(example(vms, runs[1]), map[string]string{"large": "registry.example.com/vmrender:1"}[name])
		require.NoError(t, err)
		golden.Equal(t, filepath.Join("testdata", name+".yaml"), string(got))
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for want, x := range map[string]float64{
		"0": 0, "0.057": 0.0571, "9.5": 9.54, "12": 12.4, "1,234,568": 1234567.9, "999": 999,
	} {
		require.Equal(t, want, number(x))
	}
	require.Equal(t, "119 s", duration(118.2))
	require.Equal(t, "3 min", duration(121))
}

// page is the page whose tables are made from the model. Each is between two comments.
const page = "../../docs/how-to/scale.md"

// The tables of the page are those of the model. With -update, they are written.
func TestPage(t *testing.T) {
	validated, unvalidated := measuredModels(t)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	got := string(text)
	for name, table := range map[string]string{
		"servers": serversTable(validated, unvalidated), "costs": costsTable(validated, unvalidated),
		"runs": runsTable(validated, unvalidated),
	} {
		begin, end := "<!-- "+name+": written by the tests of pkg/sizing -->\n\n", "\n<!-- end of "+name+" -->"
		before, rest, found := strings.Cut(got, begin)
		require.True(t, found, begin)
		_, after, found := strings.Cut(rest, end)
		require.True(t, found, end)
		got = before + begin + table + end + after
	}
	golden.Equal(t, page, got)
}
