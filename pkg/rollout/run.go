package rollout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmrender/vmrender/pkg/labels"
)

// ErrInterrupted is returned by a run whose context has ended.
var ErrInterrupted = errors.New("stopped before the end; another run goes on from here")

// Options are the options that rollouts and snapshots have in common.
type Options struct {
	Namespace string
	// Timeout of one VirtualMachine for each step: its disks, its restart, its
	// snapshot.
	Timeout time.Duration
	// Log receives one line for each event, for people.
	Log io.Writer
	Now func() time.Time
	// Tick is the time between two looks at the cluster.
	Tick time.Duration
}

func (o *Options) logf(format string, args ...any) {
	// A run continues if its log cannot be written.
	_, _ = fmt.Fprintf(o.Log, format+"\n", args...)
}

// pause waits for a tick. It returns false if the context has ended.
func (o *Options) pause(ctx context.Context) bool {
	tick, cancel := context.WithTimeout(ctx, o.Tick)
	defer cancel()
	<-tick.Done()
	return ctx.Err() == nil
}

// run is one run of a rollout.
type run struct {
	Options
	cluster *Cluster
	view    *view
	id      string

	asked   map[string]types.UID // instances for which a restart was requested, by VM
	refused map[string]error     // why a restart was not accepted yet, by VM
	spells  map[string]spell     // current wait, by VM
	said    map[string]string    // the last line about each subject, usually a VM
}

// spell is a wait for one thing.
type spell struct {
	what  string
	since time.Time
}

// Rollout restarts the VirtualMachines with the label [labels.Rollout] and the given
// id that need it, at most [labels.MaxUnavailable] at a time, waits until each is
// ready again, and removes root disks of earlier revisions. It returns an error for
// the first VM that fails, and restarts no further VM. If the context ends, it
// returns [ErrInterrupted]; another call resumes the rollout.
func (c *Cluster) Rollout(ctx context.Context, id string, o Options) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	view, err := c.watch(ctx, o.Namespace, labels.Rollout+"="+id, stop)
	if err != nil {
		return err
	}
	r := &run{
		Options: o, cluster: c, view: view, id: id,
		asked: map[string]types.UID{}, refused: map[string]error{}, spells: map[string]spell{}, said: map[string]string{},
	}
	if err := r.read(ctx); err != nil {
		return err
	}
	for {
		done, err := r.step(ctx)
		if err != nil || done {
			return err
		}
		if !r.pause(ctx) {
			return r.interrupted(ctx)
		}
	}
}

// read waits until the cluster's state is known.
func (r *run) read(ctx context.Context) error {
	start := r.Now()
	for !r.view.synced() {
		r.sayTrouble()
		if r.Now().Sub(start) >= r.Timeout {
			return fmt.Errorf("the API server has not answered within %s", r.Timeout)
		}
		if !r.pause(ctx) {
			return r.interrupted(ctx)
		}
	}
	return nil
}

// interrupted returns the error for a context that has ended.
func (r *run) interrupted(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return ErrInterrupted
}

// step looks at the cluster once, does what can be done now, and reports whether the
// rollout is complete.
func (r *run) step(ctx context.Context) (done bool, err error) {
	r.sayTrouble()
	all := observe(r.view.list(r.asked))
	if len(all) == 0 {
		r.logf("no VirtualMachine in namespace %s has the label %s=%s; nothing to do", r.Namespace, labels.Rollout, r.id)
		return true, nil
	}
	restart, err := plan(all)
	if err != nil {
		return false, err
	}
	r.report(ctx, all)
	if err := r.checkOverdue(ctx, all); err != nil {
		return false, err
	}
	for _, m := range restart {
		if err := r.restart(ctx, m); err != nil {
			return false, err
		}
	}
	if !isFinished(all) {
		return false, nil
	}
	return true, r.cleanUp(ctx, all)
}

func isFinished(all []observed) bool {
	for _, m := range all {
		if m.stage != current && m.stage != skipped {
			return false
		}
	}
	return true
}

// restart requests one restart. If there is no response or a transient error, the
// next step looks at the VM again before it repeats the request, because the
// request may have been accepted.
func (r *run) restart(ctx context.Context, m observed) error {
	err := r.cluster.restart(ctx, r.Namespace, m.Name)
	switch {
	case err == nil:
		r.asked[m.Name] = m.running()
		delete(r.refused, m.Name)
		r.say(m.Name, "restarting (%s)", m.why)
		r.record(ctx, m.machine, normal, "RolloutRestart", "Restarting: "+m.why)
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return err
	case ctx.Err() == nil:
		r.refused[m.Name] = err
		r.say(m.Name, "not restarted yet: %v", err)
	}
	return nil
}

// checkOverdue returns an error for the first VM that has failed, or that has not
// completed a step within the timeout.
func (r *run) checkOverdue(ctx context.Context, all []observed) error {
	for _, m := range all {
		why := m.why
		if m.stage != failed {
			what := r.waitsFor(m)
			if r.waited(m.Name, what) < r.Timeout || what == "" {
				continue
			}
			if err := r.refused[m.Name]; err != nil {
				why = err.Error()
			}
			why = fmt.Sprintf("not %s within %s: %s", what, r.Timeout, why)
		}
		r.record(ctx, m.machine, warning, "RolloutFailed", why)
		return fmt.Errorf("%s: %s; no other VirtualMachine is restarted", m.Name, why)
	}
	return nil
}

// waitsFor returns the state that a VM is expected to reach, or "" if there is none.
// A VM that waits for its turn has no timeout: it waits for others, which have one.
func (r *run) waitsFor(m observed) string {
	switch {
	case m.stage == waiting:
		return "prepared"
	case m.stage == restarting, m.stage == starting:
		return "ready"
	case m.stage == outdated && r.refused[m.Name] != nil:
		return "asked to restart"
	}
	return ""
}

// waited returns how long a VM has been waiting for the same thing.
func (r *run) waited(name, what string) time.Duration {
	now := r.Now()
	if s, ok := r.spells[name]; !ok || s.what != what {
		r.spells[name] = spell{what, now}
	}
	return now.Sub(r.spells[name].since)
}

// cleanUp removes the root disks of earlier revisions. It skips VMs that do not run
// with their current disk, because they may still need the others.
func (r *run) cleanUp(ctx context.Context, all []observed) error {
	for _, m := range all {
		keep, err := m.keepOld()
		if err != nil {
			return err
		}
		if m.stage != current {
			continue
		}
		for _, disk := range outdatedDisks(m.machine, keep) {
			if err := r.cluster.remove(ctx, dataVolumes, r.Namespace, disk.Name, disk.UID); err != nil {
				return fmt.Errorf("%s: removing disk %s: %w", m.Name, disk.Name, err)
			}
			r.say(m.Name, "removed disk %s of an earlier revision", disk.Name)
			r.record(ctx, m.machine, normal, "RolloutDiskRemoved", "Removed disk "+disk.Name+" of an earlier revision")
		}
	}
	return nil
}
