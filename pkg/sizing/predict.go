package sizing

// Cost is what a phase takes.
type Cost struct {
	// CPU is the CPU time in seconds by part.
	CPU map[Part]float64
	// Requests is the number of requests to all API servers.
	Requests float64
}

// Total returns the CPU time in seconds of all parts.
func (c Cost) Total() float64 { return total(c.CPU) }

// Cost returns what a phase takes for a fleet. [One] is about the largest Application, and all other phases are about
// all of them.
func (m *Model) Cost(phase string, f Fleet) Cost {
	applications, objects, bytes, squares := f.Applications, f.Objects, f.Bytes, f.Squares
	if phase == One {
		applications, objects, bytes, squares = 1, f.Largest.Objects, f.Largest.Bytes, f.Largest.square()
	}
	c := Cost{CPU: map[Part]float64{}, Requests: m.requests[phase].of(applications, float64(objects), squares)}
	for _, part := range Parts {
		c.CPU[part] = m.rates[phase][part].of(applications, unitsOf(part, float64(objects), float64(bytes)), squares) +
			sent(part, phase, f.Files)*float64(applications)
	}
	return c
}

// Deployed returns the time in seconds of a phase on servers of their own. It is computed, not measured: the
// slowest group of servers needs its share of the work, and the largest Application passes through all of them,
// as the last one. It assumes that servers of a group share the work evenly, and that no server waits for the
// network.
func (m *Model) Deployed(phase string, f Fleet, s Servers) float64 {
	last := m.through(f, s)
	if phase == One {
		return last
	}
	c := m.Cost(phase, f)
	slowest := max(
		c.CPU[Controller]*s.most(f)/float64(s.ControllerCPUs),
		c.CPU[RepoServer]/float64(s.RepoServers*s.RepoServerCPUs),
		c.CPU[Sidecar]/float64(s.RepoServers*s.RepoServerCPUs),
		c.cluster()/float64(f.Clusters*apiServerCPUs),
	)
	return slowest/m.share(phase) + last
}

// through returns the time in seconds that the largest Application takes alone. Its render is one process after
// the other, and its sync takes all CPUs of its controller and of its cluster.
func (m *Model) through(f Fleet, s Servers) float64 {
	c := m.Cost(One, f)
	sync := max(c.CPU[Controller]/float64(s.ControllerCPUs), c.cluster()/apiServerCPUs)
	return (c.CPU[RepoServer] + c.CPU[Sidecar] + sync) / m.share(One)
}

// cluster returns the CPU time in seconds of the clusters' servers.
func (c Cost) cluster() float64 { return c.CPU[APIServer] + c.CPU[Etcd] + c.CPU[Webhooks] }

// apiServerCPUs is the number of CPUs of a control plane that Argo CD may take.
const apiServerCPUs = 2

// ControllerMemory returns the resident memory in MiB of an application controller whose clusters have a number
// of the fleet's objects.
func (m *Model) ControllerMemory(objects int) float64 { return m.memory.one(float64(objects)) }

// Redis keeps manifests by commit, and the states of each object: in the cluster and in Git, before and after
// defaults (argo-cd v3.2.11, pkg/apis/application/v1alpha1/types.go, ResourceDiff). It keeps all of them compressed
// with gzip (util/cache/redis.go).
const (
	redisBase = 12 // MiB, without manifests; measured
	states    = 4
	// Compressed is how many times smaller the manifests of an Application are at least, compressed with gzip.
	Compressed = 6
)

// redisMemory returns the memory in MiB of Redis for the manifests of a fleet and some earlier versions of them. It is
// computed: in the runs, Redis grows by one MiB at most.
func redisMemory(f Fleet, earlier int) float64 {
	return redisBase + mib(f.Bytes)*float64(1+earlier+states)/Compressed
}
