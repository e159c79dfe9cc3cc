package render

import (
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/schedule"
)

// power is what the VMs of two CronJobs have in common: one that stops them, and one that starts them. It is
// comparable. Times without a zone are none.
type power struct{ off, on schedule.Times }

func powerOf(p *machine.Power) power {
	return power{timesOf(p.Off), timesOf(p.On)}
}

// timesOf returns times that do not keep the text of the file in memory.
func timesOf(t *machine.Times) schedule.Times {
	if t == nil {
		return schedule.Times{}
	}
	times := t.Times
	times.Zone = strings.Clone(times.Zone)
	return times
}

// hash tells the CronJobs of a part of a fleet apart.
func (p *power) hash() string { return machine.Hash(p.off.Cron(), p.off.Zone, p.on.Cron(), p.on.Zone) }

// actions are what `vmrender power` does, and the subresources of VirtualMachines that it needs.
var actions = []struct {
	name, subresource string
	times             func(*power) *schedule.Times
}{
	{"off", "virtualmachines/stop", func(p *power) *schedule.Times { return &p.off }},
	{"on", "virtualmachines/start", func(p *power) *schedule.Times { return &p.on }},
}

func (p *power) subresources() []string {
	var all []string
	for _, a := range actions {
		if a.times(p).Zone != "" {
			all = append(all, a.subresource)
		}
	}
	return all
}

// ofPower returns the CronJobs that stop and start VMs. They share a ServiceAccount and a Lease, in which each finds
// what the other has done.
func (k *jobKey) ofPower(of *job, last int) []runtime.Object {
	var out []runtime.Object
	for _, a := range actions {
		times := a.times(&k.power)
		if times.Zone == "" {
			continue
		}
		args := slices.Concat([]string{
			k.kind.command, a.name, "--namespace", k.namespace, "--id", k.name(), "--timeout", k.kind.timeout,
		}, slices.Sorted(slices.Values(of.args)))
		job := k.cronJob(of, last, args, batchv1.CronJobSpec{
			Schedule: times.Cron(), TimeZone: new(times.Zone),
			StartingDeadlineSeconds: new(int64(latest.Seconds())),
		})
		job.Name += "-" + a.name
		out = append(out, job)
	}
	return out
}
