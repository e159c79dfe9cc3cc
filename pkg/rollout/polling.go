package rollout

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// polling is a run that looks at its VirtualMachines one by one, again and again.
type polling struct {
	Options
	cluster *Cluster
	said    map[string]string // the last line about each VM
	looked  time.Time
	waited  time.Duration // while the API server has answered
}

// poll returns a run that has not looked at anything yet.
func (c *Cluster) poll(o *Options) polling {
	return polling{Options: *o, cluster: c.patient(o), said: map[string]string{}, looked: o.Now()}
}

// count counts the time since the last look as time that was waited, if the API server has answered.
func (r *polling) count(answered bool) {
	now := r.Now()
	if answered {
		r.waited += now.Sub(r.looked)
	}
	r.looked = now
}

// say writes a line about a VM, unless it is the last one again.
func (r *polling) say(machine, text string) {
	if r.said[machine] != text {
		r.said[machine] = text
		r.logf("%s: %s", machine, text)
	}
}

// stepper takes the next step for a VM, and returns it with a message.
type stepper func(ctx context.Context, machine string) (step, string, error)

// each takes steps for VMs until none needs another, or one has failed.
func (r *polling) each(ctx context.Context, vms []string, take stepper) error {
	for {
		left, err := r.round(ctx, vms, take)
		switch {
		case ctx.Err() != nil:
			return ErrInterrupted
		case err != nil || len(left) == 0:
			return err
		case r.waited >= r.Timeout:
			return fmt.Errorf("%s: not done within %s: %s", left[0], r.Timeout, r.said[left[0]])
		}
		vms = left
		r.pause(ctx)
	}
}

// round takes the next step for each VM, and returns those that need further ones.
func (r *polling) round(ctx context.Context, vms []string, do stepper) (left []string, err error) {
	var failures []error
	answered := true
	for _, vm := range vms {
		next, text, err := do(ctx, vm)
		switch {
		case isTrouble(err):
			text, answered = err.Error()+"; trying again", false
			left = append(left, vm)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", vm, err)
		case next == broken:
			failures = append(failures, fmt.Errorf("%s: %s", vm, text))
			continue
		case next == take || next == await:
			left = append(left, vm)
		}
		r.say(vm, text)
	}
	r.count(answered)
	return left, errors.Join(failures...)
}
