package rollout

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// Power is a run that stops or starts VirtualMachines on a schedule.
type Power struct {
	ID       string // the name of its Lease, which all runs for the same VirtualMachines share
	Holder   string // a name of the run that no other run has
	Off      bool   // whether it stops them
	Machines []string
}

// The values of [github.com/vmrender/vmrender/pkg/labels.Powered]: how a VM got off.
const (
	offByRun = "stopped" // a run has stopped it
	offFound = "off"     // it was off when a run was to stop it
)

// powerRun is one run that stops or starts VMs.
type powerRun struct {
	polling
	Power
	lease    *lease
	waves    map[string]int    // of VMs that exist
	wave     *int              // the one of the VMs that are stopped or started now
	asked    map[string]bool   // VMs that the run has requested it of
	before   map[string]string // how these had got off before, by VM
	failed   map[string]bool
	failures []error
}

// Power stops VirtualMachines, or starts them, and waits until they are stopped or ready. It goes through their sync
// waves: starts the lowest first, and stops the highest first, so that a VM runs only while those run that it depends
// on. One that is not done in time, or fails, holds back no other; the error names all of them. It is an
// [UnavailableError] if nothing but the API server has failed.
//
// It stops and starts them whether or not a user has started or stopped them meanwhile. If so, an Event says it.
func (c *Cluster) Power(ctx context.Context, p Power, o Options) error {
	r := &powerRun{
		polling: c.poll(&o), Power: p, waves: map[string]int{},
		asked: map[string]bool{}, before: map[string]string{}, failed: map[string]bool{},
	}
	r.lease = r.cluster.newLease(&o, p.ID, p.Holder)
	defer r.lease.release(ctx)
	left := p.Machines
	for {
		var err error
		left, err = r.step(ctx, left)
		switch {
		case ctx.Err() != nil:
			return ErrInterrupted
		case err != nil:
			return err
		case len(left) == 0:
			if err := r.save(ctx, nil); err != nil {
				r.say("the Lease", err.Error())
			}
			return allOf(r.failures)
		}
		r.pause(ctx)
	}
}

// step takes the next step for the VMs of a wave, and returns those that are left.
func (r *powerRun) step(ctx context.Context, left []string) ([]string, error) {
	held, err := r.lease.hold(ctx)
	switch {
	case err != nil && !isTrouble(err):
		return nil, err
	case err != nil:
		r.say("the Lease", err.Error()+"; trying again")
	case !held && r.lease.other() != "":
		r.say("the Lease", "waiting for another run: "+r.lease.other())
	}
	if !held {
		r.count(false)
		return left, nil
	}
	left, known := r.readWaves(ctx, left)
	if !known || len(left) == 0 {
		r.count(known)
		return left, nil
	}
	return r.stepWave(ctx, left)
}

// readWaves reads the waves of VMs that are not known yet, and returns the VMs that exist, and whether all are known.
func (r *powerRun) readWaves(ctx context.Context, names []string) (left []string, known bool) {
	known = true
	for _, name := range names {
		if _, ok := r.waves[name]; ok {
			left = append(left, name)
			continue
		}
		vm, err := get[kubevirtv1.VirtualMachine](ctx, r.cluster, machines, r.Namespace, name)
		switch {
		case isTrouble(err):
			r.say(name, err.Error()+"; trying again")
			left, known = append(left, name), false
		case err != nil:
			r.failures = append(r.failures, fmt.Errorf("%s: %w", name, err))
		case vm == nil:
			r.say(name, "not there")
		default:
			r.waves[name] = wave(vm)
			left = append(left, name)
		}
	}
	return left, known
}

// stepWave takes the next step for the VMs whose turn it is.
func (r *powerRun) stepWave(ctx context.Context, left []string) ([]string, error) {
	first := slices.MinFunc(left, func(a, b string) int { return r.compare(r.waves[a], r.waves[b]) })
	if turn := r.waves[first]; r.wave == nil || *r.wave != turn {
		r.wave, r.waited = &turn, 0
	}
	var due []*machine
	found := map[string]string{}
	answered := true
	left = slices.DeleteFunc(slices.Clone(left), func(name string) bool {
		if r.waves[name] != *r.wave {
			return false
		}
		m, err := r.read(ctx, name)
		if isTrouble(err) {
			r.say(name, err.Error()+"; trying again")
			answered = false
			return false
		}
		next := r.judge(ctx, m, name, err)
		switch next {
		case take:
			due = append(due, m)
		case taken:
			found[name] = offFound
		}
		return next != take && next != await
	})
	r.count(answered)
	err := r.request(ctx, due, found)
	return slices.DeleteFunc(left, func(name string) bool { return r.failed[name] }), err
}

// compare orders waves as they are handled.
func (r *powerRun) compare(a, b int) int {
	if r.Off {
		return b - a
	}
	return a - b
}

// read returns a VM, or nil if it does not exist.
func (r *powerRun) read(ctx context.Context, name string) (*machine, error) {
	vm, err := get[kubevirtv1.VirtualMachine](ctx, r.cluster, machines, r.Namespace, name)
	if err != nil || vm == nil {
		return nil, err
	}
	// The instance comes second: KubeVirt drops a request to start only when there is one.
	vmi, err := get[kubevirtv1.VirtualMachineInstance](ctx, r.cluster, instances, r.Namespace, name)
	return &machine{VirtualMachine: vm, instance: vmi, pet: true}, err
}

// judge returns the next step for a VM, and says it.
func (r *powerRun) judge(ctx context.Context, m *machine, name string, err error) step {
	switch {
	case err != nil:
		r.failures = append(r.failures, fmt.Errorf("%s: %w", name, err))
		return broken
	case m == nil:
		r.say(name, "not there")
		return nothing
	}
	next, text := r.next(m, r.asked[name])
	if next == await {
		deadline, err := m.deadline(r.Timeout)
		if err == nil && r.waited >= deadline {
			err = fmt.Errorf("%s: not %s within %s: %s", name, r.goal(), deadline, text)
		}
		if err != nil {
			r.fail(ctx, m, err)
			return broken
		}
	}
	if text != "" {
		r.say(name, text)
	}
	if next == broken {
		r.tell(ctx, m, warning, "PowerSkipped", text)
	}
	return next
}

// next returns the next step for a VM, and a message about it: taken if it is as it is to be, and broken if it is left
// alone although it is not.
func (p *Power) next(m *machine, asked bool) (step, string) {
	off := m.isOff()
	switch why := m.keepsPower(p.Off); {
	case m.DeletionTimestamp != nil:
		return nothing, "being deleted"
	case m.isRestarting():
		return await, "waiting: " + m.trouble()
	case off == p.Off && (off || !asked || m.isReady()):
		return taken, p.done(asked)
	case why != "":
		return broken, "left alone: " + why
	case p.Off && m.busy() != "":
		return await, "waiting: " + m.busy()
	case asked, p.Off && (m.instance == nil || m.instance.IsFinal()):
		return await, "waiting: " + m.trouble()
	}
	return take, ""
}

// isOff reports whether a start has an effect. With Manual, KubeVirt leaves an instance that has failed until then
// (kubevirt v1.8.4, pkg/virt-controller/watch/vm/vm.go, syncRunStrategy).
func (m *machine) isOff() bool {
	strategy, _ := m.RunStrategy()
	hasFailed := m.instance != nil && m.instance.Status.Phase == kubevirtv1.Failed
	return m.isStopped() || strategy == kubevirtv1.RunStrategyManual && hasFailed
}

// keepsPower returns why a VM must be neither stopped nor started, or "".
func (m *machine) keepsPower(off bool) string {
	strategy, err := m.RunStrategy()
	switch {
	case err != nil:
		return err.Error()
	case strategy != kubevirtv1.RunStrategyManual && strategy != kubevirtv1.RunStrategyRerunOnFailure:
		return fmt.Sprintf("its run strategy in the cluster is %s, which a stop or start would change", strategy)
	case off && m.isPaused():
		return "it is paused, so its guest could not shut down"
	case m.condition(kubevirtv1.VirtualMachineManualRecoveryRequired) == corev1.ConditionTrue:
		return interruptedCopy
	}
	return ""
}

// goal is what is to become of each VM.
func (p *Power) goal() string {
	if p.Off {
		return "stopped"
	}
	return "ready"
}

func (p *Power) done(asked bool) string {
	switch {
	case asked:
		return p.goal()
	case p.Off:
		return "was off already"
	}
	return "was running already"
}

// request requests that VMs are stopped or started. What it is about to do is in the Lease before, with what it has
// found: a run that takes the place of this one would not know it otherwise.
func (r *powerRun) request(ctx context.Context, due []*machine, found map[string]string) error {
	for _, m := range due {
		found[m.Name] = offByRun
		if _, ok := r.before[m.Name]; !ok { // which a request without an answer does not change
			r.before[m.Name] = r.lease.powered[m.Name]
		}
	}
	switch err := r.save(ctx, found); {
	case isTrouble(err):
		r.say("the Lease", err.Error()+"; trying again")
		return nil
	case err != nil:
		return err
	}
	for _, m := range due {
		if held, err := r.lease.hold(ctx); err != nil || !held {
			return nil //nolint:nilerr // the next step says it
		}
		r.requestOne(ctx, m)
	}
	return nil
}

// save records how VMs got off, and that the others do not.
func (r *powerRun) save(ctx context.Context, off map[string]string) error {
	next := map[string]string{}
	for _, name := range r.Machines {
		switch how, ok := off[name]; {
		case r.failed[name], ok && !r.Off: // it runs
		case ok && (how == offByRun || r.lease.powered[name] == ""):
			next[name] = how
		case r.lease.powered[name] != "":
			next[name] = r.lease.powered[name]
		}
	}
	if maps.Equal(next, r.lease.powered) {
		return nil
	}
	return r.lease.save(ctx, func(of *record) { of.powered = next })
}

// requestOne requests that a VM is stopped or started. If there is no answer, the next step looks at it again.
func (r *powerRun) requestOne(ctx context.Context, m *machine) {
	subresource, text, reason := startVM, "starting it on schedule", "PowerOn"
	if r.Off {
		subresource, text, reason = stopVM, "stopping it on schedule", "PowerOff"
	}
	kind := normal
	if why := r.otherwise(r.before[m.Name]); why != "" {
		kind, text, reason = warning, text+", "+why, reason+"Override"
	}
	switch err := r.cluster.power(ctx, r.Namespace, m.Name, subresource); {
	case err == nil:
		r.asked[m.Name] = true
		r.say(m.Name, text)
		r.tell(ctx, m, kind, reason, text)
	case isTrouble(err):
		r.say(m.Name, "not "+r.goal()+" yet: "+err.Error())
	default:
		r.fail(ctx, m, fmt.Errorf("%s: %w", m.Name, err))
	}
}

// otherwise returns that the VM got into its present state by something else than an earlier run, or "".
func (p *Power) otherwise(before string) string {
	switch {
	case p.Off && before != "":
		return "although it was started since it was off on schedule"
	case !p.Off && before != offByRun:
		return "although its schedule has not stopped it"
	}
	return ""
}

// fail ends the work at a VM.
func (r *powerRun) fail(ctx context.Context, m *machine, err error) {
	r.failed[m.Name], r.failures = true, append(r.failures, err)
	r.logf("%s", err)
	r.tell(ctx, m, warning, "PowerFailed", err.Error())
}

// tell creates an Event about a VM. If that fails, the run continues.
func (r *powerRun) tell(ctx context.Context, m *machine, kind, reason, text string) {
	if err := r.cluster.record(ctx, &r.Options, m.VirtualMachine, kind, reason, text); err != nil && ctx.Err() == nil {
		r.say("Events", "not recorded: "+err.Error())
	}
}
