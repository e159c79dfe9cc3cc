package sizing

import "math"

// Servers are the servers of Argo CD that a fleet needs, and their settings. Memory is in MiB.
type Servers struct {
	Controllers, ControllerCPUs, ControllerMemory int
	RepoServers, RepoServerCPUs, RepoServerMemory int
	Parallel                                      int // renders of one repo-server at the same time
	SidecarProcesses, SidecarDirectory            int // memory of the sidecar for processes, and for its work directory
	RedisMemory                                   int
	StatusProcessors, OperationProcessors         int // of one controller
	KubectlParallelism                            int // of one controller
	RenderTimeout                                 int // seconds
	Reconciliation                                int // seconds between two comparisons of an Application
}

// Goals of the choice of servers.
const (
	// headroom is the share of a CPU that a server is to take while it syncs all Applications.
	headroom = 0.8
	// Soon is the time in seconds in which a commit to all VMs is to be Synced.
	Soon = 600
	// rendersIn is the share of it in which everything is rendered, so that controllers do not wait.
	rendersIn = 0.5
	// idleShare is the share of the controllers' CPU time that comparisons without a commit may take.
	idleShare = 0.2
	// Earlier is the number of commits to all VMs in a day whose manifests Redis keeps.
	Earlier = 10
)

// Defaults of Argo CD (argo-cd v3.2.11, cmd/argocd-application-controller), below which no value is chosen.
const (
	defaultStatusProcessors    = 20
	defaultOperationProcessors = 10
	defaultKubectlParallelism  = 20
	defaultRenderTimeout       = 60
	defaultReconciliation      = 120
)

// Another controller is better than one with more CPUs, or more memory in MiB, than the most, if there is a cluster
// for it. With fewer CPUs than the least, the sync of one Application takes long.
const (
	leastControllerCPUs  = 2
	mostControllerCPUs   = 4
	mostControllerMemory = 16 << 10
)

// repoServerCPUs is the number of CPUs of a repo-server, and of its sidecar: as in the plugin's manifests.
const repoServerCPUs = 2

// Servers returns the servers with which a commit to all VMs is Synced in [Soon].
func (m *Model) Servers(f Fleet) Servers {
	all := m.Cost(All, f)
	var s Servers
	m.chooseControllers(&s, f, all.CPU[Controller])
	s.RepoServerCPUs = repoServerCPUs
	renders := math.Max(all.CPU[RepoServer], all.CPU[Sidecar])
	s.RepoServers = whole(renders / (Soon * rendersIn * m.share(All) * repoServerCPUs))
	s.Parallel = 2 * repoServerCPUs
	copies := float64(s.Parallel) * mib(f.Largest.Bytes) * repoServerCopies
	s.RepoServerMemory = max(leastMemory, roundUp(repoServerBase+copies, 128))
	s.SidecarProcesses = max(leastSidecar, roundUp(sidecarBase+float64(s.Parallel)*renderMemory(f.Largest), 256))
	s.SidecarDirectory = max(leastSidecar, roundUp(float64(s.Parallel)*mib(f.Pages)*unpacking, 256))
	s.RedisMemory = roundUp(2*redisMemory(f, Earlier), 128) // Redis needs as much again while it writes a copy
	m.chooseProcessors(&s, f)
	return s
}

// share returns the share of their CPUs that servers of their own take during a phase.
func (m *Model) share(phase string) float64 { return math.Min(headroom, m.busy[phase]) }

// chooseControllers chooses the number of controllers, which is at most that of clusters: a cluster is not divided.
func (m *Model) chooseControllers(s *Servers, f Fleet, cpu float64) {
	needed := cpu / (Soon * m.share(All))
	memory := spare * m.ControllerMemory(f.Objects)
	wanted := max(whole(needed/mostControllerCPUs), whole(memory/mostControllerMemory))
	clusters := max(1, f.Clusters/wanted) // of one controller
	s.Controllers = whole(float64(f.Clusters) / float64(clusters))
	most := s.most(f)
	s.ControllerCPUs = max(leastControllerCPUs, whole(needed*most))
	s.ControllerMemory = max(leastMemory, roundUp(spare*m.ControllerMemory(int(float64(f.Objects)*most)), 256))
}

// most returns the share of the clusters that one controller has. Each has at most as many as the first.
func (s *Servers) most(f Fleet) float64 {
	return math.Ceil(float64(f.Clusters)/float64(s.Controllers)) / float64(f.Clusters)
}

// spare is the memory of a server for each MiB that it needs, because peaks differ from run to run.
const spare = 1.25

// chooseProcessors chooses how much a controller does at the same time.
func (m *Model) chooseProcessors(s *Servers, f Fleet) {
	slots := s.RepoServers * s.Parallel
	// Enough Applications wait for a render to keep all repo-servers busy, while others are compared.
	s.StatusProcessors = max(defaultStatusProcessors, whole(float64(slots)/float64(s.Controllers))+2*s.ControllerCPUs)
	s.OperationProcessors = max(defaultOperationProcessors, s.StatusProcessors/2)
	s.KubectlParallelism = max(defaultKubectlParallelism, 10*s.ControllerCPUs)
	one := m.Cost(One, f)
	turns := math.Ceil(float64(s.StatusProcessors*s.Controllers) / float64(slots))
	render := one.CPU[RepoServer] + one.CPU[Sidecar]
	// A repo-server with more renders than CPUs takes longer for each; twice the time leaves room for other load.
	s.RenderTimeout = max(defaultRenderTimeout, roundUp(2*turns*render*float64(s.Parallel)/repoServerCPUs, 30))
	often := m.Cost(Refresh, f).CPU[Controller] / (idleShare * float64(s.Controllers*s.ControllerCPUs))
	s.Reconciliation = max(defaultReconciliation, roundUp(often, 60))
}

// Memory in MiB, and copies of the manifests, from docs/explanation/performance.md: "The same objects, with the
// plugin and with Argo CD itself", 1 and 10,000 VMs, and "Results".
const (
	repoServerBase   = 100
	repoServerCopies = 23
	sidecarBase      = 90
	sidecarCopies    = 10
	// One process of vmrender-cmp with one VM, copies of the manifests, and the most that it took.
	processBase, processCopies, processMost = 18, 12, 100
)

// The least memory of a server in MiB, and that of the sidecar for its processes and for its directory: as in
// the plugin's manifests.
const (
	leastMemory  = 512
	leastSidecar = 1024
)

// unpacking is the size of the files and of the packed archive that they come from, which is there at the same time.
const unpacking = 1.1

// renderMemory returns what one render takes in the sidecar, in MiB.
func renderMemory(a Application) float64 {
	return sidecarCopies*mib(a.Bytes) + math.Min(processMost, processBase+processCopies*mib(a.Bytes))
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// whole returns the smallest whole number that is not below x, and at least 1.
func whole(x float64) int { return max(1, int(math.Ceil(x))) }

// roundUp returns the smallest positive multiple of step that is not below x.
func roundUp(x float64, step int) int { return step * whole(x/float64(step)) }
