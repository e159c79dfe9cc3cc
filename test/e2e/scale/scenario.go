// Package scale measures what Argo CD and the API servers need for many Applications with many VMs. Everything
// is real except the hypervisor: VMs are objects, whose status this package writes.
package scale

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/vmrender/vmrender/pkg/sizing"
	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/gitrepo"
	"github.com/vmrender/vmrender/test/e2e/lab"
	"github.com/vmrender/vmrender/test/e2e/process"
)

// Scenario is the size of a fleet, and of what serves it.
type Scenario struct {
	Applications int
	VMs          int // of one Application
	Clusters     int // the first is also that of Argo CD
	Controllers  int // application controllers
	// Unvalidated Applications have the sync option Validate=false.
	Unvalidated bool
}

// bench is a running scenario.
type bench struct {
	scenario  Scenario
	estate    *estate
	clusters  []*cluster.Cluster
	argo      *argo.Argo
	processes map[*process.Running]int // numbers in /proc
	log       io.Writer
	patience  time.Duration // for a phase
}

// Measure starts the servers, runs all phases and returns what they took. It writes everything below the
// directory of p.
func Measure(
	ctx context.Context, p lab.Prepared, s Scenario, patience time.Duration, log io.Writer,
) (sizing.Run, error) {
	b := &bench{scenario: s, log: log, patience: patience}
	run := sizing.Run{
		Applications: s.Applications, VMs: s.VMs, Clusters: s.Clusters, Controllers: s.Controllers, CPUs: runtime.NumCPU(),
		Unvalidated: s.Unvalidated,
		Files:       1 + 2*s.Applications,
	}
	dir, err := os.MkdirTemp(p.Dir, "run-")
	if err != nil {
		return run, err
	}
	defer b.stop()
	if err := b.start(ctx, p, dir); err != nil {
		return run, err
	}
	revision, err := b.prepare(ctx, filepath.Join(dir, "repository"), p.Programs["vmrender"], &run)
	if err != nil {
		return run, err
	}
	run.Phases, err = b.phases(ctx, revision)
	return run, err
}

// start starts the clusters and Argo CD, which is on the first of them.
func (b *bench) start(ctx context.Context, p lab.Prepared, dir string) error {
	for i := range b.scenario.Clusters {
		at := filepath.Join(dir, fmt.Sprintf("cluster-%d", i+1))
		if err := os.Mkdir(at, 0o755); err != nil {
			return err
		}
		c, err := cluster.StartAt(ctx, fmt.Sprintf("127.0.0.%d", i+1), at, p.Programs)
		if err != nil {
			return err
		}
		b.clusters = append(b.clusters, c)
	}
	at := filepath.Join(dir, "argocd")
	if err := os.Mkdir(at, 0o755); err != nil {
		return err
	}
	var err error
	b.argo, err = argo.Start(ctx, b.clusters[0], argo.Installation{
		Namespace: argo.Namespace, Dir: at, Root: p.Root, Definitions: p.Definitions, Programs: p.Programs, Limit: time.Hour,
		Controllers: b.scenario.Controllers, Unlimited: true,
	})
	return err
}

func (b *bench) stop() {
	if b.argo != nil {
		b.argo.Stop()
	}
	for _, c := range b.clusters {
		c.Stop()
	}
}

// prepare commits the fleet, creates what the Applications need, and completes the description of the run.
func (b *bench) prepare(ctx context.Context, dir, vmrender string, run *sizing.Run) (revision string, err error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	repository, err := gitrepo.New(ctx, dir)
	if err != nil {
		return "", err
	}
	b.estate = &estate{Repository: repository, scenario: b.scenario, vmrender: vmrender}
	if revision, err = b.estate.write(ctx); err != nil {
		return "", err
	}
	objects, size, err := b.estate.rendered(ctx)
	if err != nil {
		return "", err
	}
	run.Objects, run.Bytes = len(objects), size
	if err := b.register(ctx); err != nil {
		return "", err
	}
	servers := b.argo.Servers()
	for _, c := range b.clusters {
		servers = append(servers, c.Servers()...)
	}
	if b.processes, err = processes(servers); err != nil {
		return "", err
	}
	return revision, b.idle(ctx)
}

// phases measures the phases of a run, in their order.
func (b *bench) phases(ctx context.Context, revision string) ([]sizing.Phase, error) {
	every := make([]string, b.scenario.Applications)
	for i := range every {
		every[i] = nameOf(i)
	}
	var latest string
	commit := func(names []string, change func(context.Context) (string, error)) func() (string, error) {
		return func() (string, error) {
			var err error
			if latest, err = change(ctx); err != nil {
				return "", err
			}
			return latest, b.refresh(ctx, names)
		}
	}
	last := every[len(every)-1:]
	var phases []sizing.Phase
	for _, a := range []action{
		{sizing.First, every, func() (string, error) { return revision, b.deploy(ctx) }, false},
		{sizing.All, every, commit(every, b.estate.changeAll), false},
		{sizing.Refresh, every, func() (string, error) { return latest, b.refresh(ctx, every) }, true},
		{sizing.One, last, commit(last, b.estate.changeOne), true},
	} {
		phase, err := b.phase(ctx, a)
		if err != nil {
			return phases, fmt.Errorf("%s: %w", a.phase, err)
		}
		phases = append(phases, phase)
		fmt.Fprintf(b.log, "%s: %.1f s, CPU %v, requests %v\n", a.phase, phase.Wall, phase.CPU, phase.Requests)
		if a.phase == sizing.First {
			if err := b.play(ctx, every); err != nil {
				return phases, err
			}
		}
	}
	return phases, nil
}
