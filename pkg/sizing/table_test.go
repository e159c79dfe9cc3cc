package sizing

import (
	"fmt"
	"math"
	"strings"
)

// example returns a fleet of VMs like those that were measured: in Applications of 200 VMs each, on clusters of
// at most 5,000 VMs each.
func example(vms int, of Run) Fleet {
	const perApplication, perCluster = 200, 5000
	applications := max(1, vms/perApplication)
	inOne := vms / applications
	objects, bytes := of.Objects/of.VMs, of.Bytes/of.VMs
	f := Fleet{
		VMs: vms, Objects: vms * objects, Bytes: int64(vms * bytes),
		Files: 1 + 2*applications, Pages: int64(vms)*512 + int64(applications)*2*4096,
		Clusters: max(1, vms/perCluster),
	}
	f.Add(Application{Objects: inOne * objects, Bytes: int64(inOne * bytes)}, applications)
	return f
}

// fleet returns the fleet that was measured.
func (r *Run) fleet() Fleet {
	n := r.Applications
	f := Fleet{
		VMs: n * r.VMs, Objects: n * r.Objects, Bytes: int64(n * r.Bytes), Files: r.Files, Clusters: r.Clusters,
	}
	f.Add(Application{Objects: r.Objects, Bytes: int64(r.Bytes)}, n)
	return f
}

// wall returns the time in seconds of a phase on one computer on which all servers run, and nothing else.
func (m *Model) wall(phase string, f Fleet, cpus int) float64 {
	return m.Cost(phase, f).Total() / (float64(cpus) * m.busy[phase])
}

// table is a table of Markdown.
type table struct{ strings.Builder }

func (t *table) row(cells ...string) { t.WriteString("| " + strings.Join(cells, " | ") + " |\n") }

func (t *table) head(cells ...string) {
	t.row(cells...)
	t.WriteString(strings.Repeat("|---", len(cells)) + "|\n")
}

// model is a model with the runs that it is made from and confirmed by.
type model struct {
	*Model
	name string // of the sync options
	runs []Run
}

// serversTable returns the servers of three fleets as Markdown. All of it is computed.
func serversTable(models ...model) string {
	t := new(table)
	t.head("VMs", "Applications", "clusters", "sync options", "application controllers",
		"repo-servers, and as many sidecars", "Redis", "a commit to all is Synced after", "a commit to one directory",
		"the first sync", "API requests of a commit to all")
	for _, vms := range []int{1000, 10000, 100000} {
		for _, m := range models {
			f := example(vms, m.runs[1])
			s := m.Servers(f)
			t.row(number(float64(vms)), number(float64(f.Applications)), number(float64(f.Clusters)), m.name,
				fmt.Sprintf("%d with %s and %s", s.Controllers, plural(s.ControllerCPUs, "CPU"), gib(s.ControllerMemory)),
				fmt.Sprintf("%d with %s and %s, sidecar %s", s.RepoServers, plural(s.RepoServerCPUs, "CPU"),
					gib(s.RepoServerMemory), gib(s.SidecarProcesses+s.SidecarDirectory)),
				gib(s.RedisMemory), duration(m.Deployed(All, f, s)), duration(m.Deployed(One, f, s)),
				duration(m.Deployed(First, f, s)), number(math.Round(m.Cost(All, f).Requests)))
		}
	}
	return t.String()
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return number(float64(n)) + " " + word + "s"
}

func gib(mib int) string {
	if mib < 1024 {
		return fmt.Sprintf("%d MiB", mib)
	}
	return number(math.Ceil(float64(mib)/102.4)/10) + " GiB"
}

// costsTable returns the costs of the models as Markdown: CPU time of an Application, and of a further object, in
// milliseconds.
func costsTable(models ...model) string {
	t := new(table)
	t.head("Part", "sync options", "first sync", "commit to all", "refresh without a commit", "for each further")
	for _, part := range Parts {
		unit := "object"
		if unitsOf(part, 1, 0) == 0 {
			unit = "KiB"
		}
		for _, m := range models {
			cell := func(phase string) string {
				r := m.rates[phase][part]
				if r.square == 0 {
					return fmt.Sprintf("%s + %s", milli(r.fixed), milli(r.unit))
				}
				return fmt.Sprintf("%s + %s + %s", milli(r.fixed), milli(r.unit), milli(1000*r.square))
			}
			t.row(string(part), m.name, cell(First), cell(All), cell(Refresh), unit)
		}
	}
	return t.String()
}

func milli(seconds float64) string { return fmt.Sprintf("%.3g", 1000*seconds) }

// runsTable returns the measured runs as Markdown, next to what the models predict for them.
func runsTable(models ...model) string {
	t := new(table)
	t.head("Applications × VMs", "clusters, controllers", "sync options", "phase", "CPU s", "predicted",
		"CPU s of other programs", "wall s", "predicted without those", "requests", "predicted",
		"peak MiB of a controller", "of repo-server")
	for _, m := range models {
		for i := range m.runs {
			for _, name := range phases {
				m.runRow(t, &m.runs[i], name)
			}
		}
	}
	return t.String()
}

func (m model) runRow(t *table, r *Run, phase string) {
	p, c := r.Phase(phase), m.Cost(phase, r.fleet())
	others := math.Round(100*(p.Wall*float64(r.CPUs)-total(p.CPU)-p.Idle)) / 100
	t.row(fmt.Sprintf("%d × %d", r.Applications, r.VMs), fmt.Sprintf("%d, %d", r.Clusters, r.Controllers), m.name, phase,
		number(total(p.CPU)), number(c.Total()), number(math.Max(0, others)),
		number(p.Wall), number(m.wall(phase, r.fleet(), r.CPUs)),
		number(total(p.Requests)), number(math.Round(c.Requests)),
		number(math.Round(p.Peak[Controller])), number(math.Round(p.Peak[RepoServer])))
}
