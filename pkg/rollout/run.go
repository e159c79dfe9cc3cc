package rollout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// ErrInterrupted is returned by a run whose context has ended.
var ErrInterrupted = errors.New("stopped before the end; another run resumes from here")

// Options are the options that rollouts and snapshots have in common.
type Options struct {
	Namespace string
	// Timeout of one VirtualMachine for each step: its disks, its restart, its
	// snapshot. A restart has the time that the guest may take to stop in addition.
	Timeout time.Duration
	// Log receives one line for each event, for users.
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
	Target
	cluster *Cluster
	view    *view
	lease   *lease
	applied bool // whether all VMs have had their content

	asked   map[string]types.UID // instances for which a restart was requested, by VM
	ours    map[string]bool      // snapshots that this run has taken or waited for
	refused map[string]error     // why a restart was not accepted yet, by VM
	spells  map[string]*spell    // current wait, by VM
	said    map[string]string    // the last line about each subject, usually a VM
	looked  time.Time            // the last time when the state of the cluster was known
	blind   bool                 // it has not been known since
}

// spell is a wait for one thing.
type spell struct {
	what  string
	since time.Time
	seen  map[string]bool // the phases and percentages of an import so far
}

// Rollout restarts the VirtualMachines of a target that need it, at most
// [labels.MaxUnavailable] at a time, waits until each is ready again, and removes root
// disks of earlier revisions. It returns an error for the first VM that fails, and
// restarts no further VM; later rollouts do not go on with what it leaves behind. If
// the context ends, it returns [ErrInterrupted]; another call resumes the rollout, as
// after an [UnavailableError].
//
// Only one rollout of the same target runs at a time; another one waits.
func (c *Cluster) Rollout(ctx context.Context, t Target, o Options) error {
	if t.Pets != nil && !t.Pets.isOpen(o.Now()) {
		o.logf("outside of the window; nothing to do")
		return nil
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r, err := c.patient(&o).newRun(ctx, t, o, stop)
	if err != nil {
		return err
	}
	defer r.lease.release(ctx)
	if err := r.read(ctx); err != nil {
		return err
	}
	for {
		done, err := r.step(ctx)
		switch {
		case done:
			return nil
		case isTrouble(err):
			r.once("the cluster", err.Error()+"; trying again")
		case err != nil && ctx.Err() == nil:
			return err
		}
		if !r.pause(ctx) {
			return r.interrupted(ctx)
		}
	}
}

// newRun returns a run that has begun to read the cluster.
func (c *Cluster) newRun(ctx context.Context, t Target, o Options, stop context.CancelCauseFunc) (*run, error) {
	view, err := c.watch(ctx, o.Namespace, stop)
	return &run{
		Options: o, Target: t, cluster: c, view: view, lease: c.newLease(&o, t.lease(), t.Holder),
		asked: map[string]types.UID{}, ours: map[string]bool{}, refused: map[string]error{},
		spells: map[string]*spell{}, said: map[string]string{},
	}, err
}

// read waits until the cluster's state is known.
func (r *run) read(ctx context.Context) error {
	start := r.Now()
	for !r.view.synced() {
		r.sayTrouble()
		if r.Now().Sub(start) >= r.Timeout {
			return &UnavailableError{fmt.Errorf("the API server has not answered within %s", r.Timeout)}
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
	if !r.view.sees() {
		r.blind = true
		return false, nil
	}
	machines := r.targets()
	switch {
	case len(r.Machines) > 0 && !r.isApplied(machines):
		return r.isSuperseded(machines), nil
	case len(machines) == 0:
		r.logf("no VirtualMachine in namespace %s %s; nothing to do", r.Namespace, r.selects())
		return true, nil
	}
	if held, err := r.hold(ctx); err != nil || !held {
		r.blind = true
		return false, err
	}
	r.look()
	all := observe(machines, &r.lease.record)
	restart, err := r.due(all)
	if err != nil {
		return false, err
	}
	r.report(ctx, all)
	if err := r.checkOverdue(ctx, all); err != nil {
		return false, err
	}
	if held, err := r.restartAll(ctx, restart); err != nil || !held {
		return false, err
	}
	switch {
	case len(restart) > 0 || isUnderWay(all):
		return false, nil
	case r.Pets != nil:
		return r.petsDone(ctx, all)
	}
	if err := leftBehind(all); err != nil {
		return false, err
	}
	return r.cleanUp(ctx, all)
}

// restartAll requests the restarts that are prepared, and reports whether this run still holds the Lease.
func (r *run) restartAll(ctx context.Context, due []observed) (held bool, err error) {
	for _, m := range due {
		if held, err := r.hold(ctx); err != nil || !held {
			return false, err
		}
		ready, err := r.prepare(ctx, m)
		if err == nil && ready {
			err = r.restart(ctx, m)
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// hold reports whether this run holds the Lease of the rollout.
func (r *run) hold(ctx context.Context) (bool, error) {
	held, err := r.lease.hold(ctx)
	switch {
	case err != nil && !isTrouble(err):
		return false, err
	case err != nil:
		r.once("the Lease", err.Error()+"; trying again")
	case !held && r.lease.other() != "":
		r.once("the Lease", "waiting for another run: "+r.lease.other())
	}
	if held && r.Retry {
		if err := r.lease.save(ctx, func(of *record) { clear(of.stopped) }); err != nil {
			return false, err
		}
		r.Retry = false
	}
	return held, nil
}

// isUnderWay reports whether waiting helps.
func isUnderWay(all []observed) bool {
	return slices.ContainsFunc(all, func(m observed) bool {
		return m.stage == waiting || m.stage == restarting || m.stage == starting
	})
}

// leftBehind returns an error if VMs are not up to date although nothing is under
// way: an earlier rollout has stopped at them, or VMs at which it has stopped take up
// the maximum of unavailable VMs.
func leftBehind(all []observed) error {
	var names []string
	for _, m := range all {
		if m.stage != current && m.stage != skipped {
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	more := ""
	if n := len(names) - 1; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("%s%s: an earlier rollout of this revision has stopped; "+
		"change the values, or run \"vmrender rollout --retry\"", names[0], more)
}

// restart requests one restart. If there is no response or a transient error, the
// next step looks at the VM again before it repeats the request, because the
// request may have been accepted.
func (r *run) restart(ctx context.Context, m observed) error {
	err := r.cluster.power(ctx, r.Namespace, m.Name, restartVM)
	switch {
	case err == nil:
		r.asked[m.Name] = m.running()
		delete(r.refused, m.Name)
		r.say(m.Name, "restarting (%s)", m.why)
		r.record(ctx, m.machine, normal, "RolloutRestart", "Restarting: "+m.why)
	case !isTrouble(err):
		return fmt.Errorf("%s: %w", m.Name, err)
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
			deadline, err := m.deadline(r.Timeout)
			if err != nil {
				return err
			}
			what := r.waitsFor(m)
			if r.waited(m, what) < deadline || what == "" {
				continue
			}
			if err := r.refused[m.Name]; err != nil {
				why = err.Error()
			}
			why = fmt.Sprintf("not %s within %s: %s", what, deadline, why)
		}
		if err := r.lease.save(ctx, func(of *record) { of.stop(all) }); err != nil {
			return err
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

// look begins a step in which the state of the cluster is known. The time in which it was
// not counts as no wait: VMs may have become ready unseen.
func (r *run) look() {
	now := r.Now()
	if r.blind {
		for _, s := range r.spells {
			s.since = s.since.Add(now.Sub(r.looked))
		}
	}
	r.looked, r.blind = now, false
}

// waited returns how long a VM has been waiting for the same thing. An import that
// makes progress begins a new wait; one that begins again and again does not.
func (r *run) waited(m observed, what string) time.Duration {
	now := r.Now()
	s, ok := r.spells[m.Name]
	if !ok || s.what != what {
		s = &spell{what, now, map[string]bool{}}
		r.spells[m.Name] = s
	}
	if m.stage == waiting && !s.seen[m.why] {
		s.seen[m.why], s.since = true, now
	}
	return now.Sub(s.since)
}
