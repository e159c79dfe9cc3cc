package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// jobs adds the Jobs that the sync runs for VMs: snapshots before it, rollouts
// and Ansible after it.
func (p *planner) jobs() {
	defer p.dropJobs()
	p.restarts = map[key]bool{}
	for i := range p.out.VMs {
		if v := &p.out.VMs[i]; (v.Level == Restart || v.Level == Recreate) && !lacksRoom(v) {
			p.restarts[keyOf(v.ID)] = true
		}
	}
	for i := range p.pairs {
		pair := &p.pairs[i]
		if pair.new == nil || pair.isSame() {
			continue
		}
		switch kindOf(pair.id) {
		case kindJob:
			p.job(pair, manifest.Decode(pair.new))
		case kindAnsibleJob:
			p.ansible(pair, manifest.Decode(pair.new), "runs the Ansible job template for the VM")
		}
	}
}

// lacksRoom reports whether a VM needs a restart only because a migration has no room.
// KubeVirt does not report that, so no rollout restarts the VM.
func lacksRoom(v *Verdict) bool {
	return !slices.ContainsFunc(v.Causes, func(c Cause) bool { return c.Level == v.Level && c.Code != "no-room" })
}

// dropJobs removes the Jobs from the other objects.
func (p *planner) dropJobs() {
	p.out.Objects = slices.DeleteFunc(p.out.Objects, func(v Verdict) bool {
		return v.Level == Create && slices.ContainsFunc(p.out.Jobs, func(j Job) bool { return j.ID == v.ID })
	})
}

// jobArguments returns the arguments of a Job's container.
func jobArguments(job tree) []any {
	containers := manifest.List(job, "spec", "template", "spec", "containers")
	if len(containers) == 0 {
		return nil
	}
	return manifest.List(containers[0], "args")
}

func labelApp(object tree) string { return manifest.Text(object, "metadata", "labels", "app") }

func (p *planner) job(pair *pair, job tree) {
	args := jobArguments(job)
	switch {
	case slices.Contains(args, any("rollout")):
		p.rollout(pair, args)
	case slices.Contains(args, any("snapshot")):
		if vms := p.ofArgs(pair, args, p.changes); len(vms) > 0 {
			p.out.Jobs = append(p.out.Jobs, Job{ID: pair.id, Does: "takes a snapshot before the change", VMs: vms})
			p.snapshots(pair.id.Namespace, args)
		}
	case strings.Contains(pair.id.Name, "-ansible-"):
		p.ansible(pair, job, "runs the Ansible playbook for the VM")
	}
}

// ansible adds the Job or AnsibleJob of one VM.
func (p *planner) ansible(pair *pair, job tree, does string) {
	p.out.Jobs = append(p.out.Jobs, Job{ID: pair.id, Does: p.once(pair, does), VMs: []string{labelApp(job)}})
}

// once returns what a Job does that runs once: nothing if the cluster has it already.
func (p *planner) once(pair *pair, does string) string {
	job := p.live.object(pair.id)
	if job == nil {
		return does
	}
	age, known := p.live.age(created(job))
	return fmt.Sprintf("does not run again: a Job of that name, for this revision, was created %s; "+
		"delete it first if it should run", ago(age, known))
}

// ofArgs returns the names of the VMs in a Job's arguments, VM=CONTENT, for which
// a condition holds.
func (p *planner) ofArgs(job *pair, args []any, holds func(namespace, name string) bool) []string {
	var out []string
	for _, a := range args {
		s, _ := a.(string)
		if name, _, ok := strings.Cut(s, "="); ok && holds(job.id.Namespace, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// changes reports whether a VM that exists changes.
func (p *planner) changes(namespace, name string) bool {
	m := p.find("kubevirt.io", "VirtualMachine", namespace, name)
	return m != nil && m.old != nil && m.new != nil && !m.isSame()
}

func (p *planner) isRestarted(namespace, name string) bool {
	return p.restarts[key{"kubevirt.io", "VirtualMachine", namespace, name}]
}

// rollout adds the Job that restarts VMs in batches.
func (p *planner) rollout(pair *pair, args []any) {
	vms := p.ofArgs(pair, args, func(namespace, name string) bool {
		return p.isRestarted(namespace, name) || p.awaitsRollout(namespace, name)
	})
	if len(vms) == 0 {
		return
	}
	most := "1"
	if m := p.find("kubevirt.io", "VirtualMachine", pair.id.Namespace, vms[0]); m != nil {
		if s := annotation(manifest.Decode(m.new), labels.MaxUnavailable); s != "" {
			most = s
		}
	}
	p.out.Jobs = append(p.out.Jobs, Job{
		ID: pair.id, VMs: vms, Restarts: true,
		Does: fmt.Sprintf("restarts the VMs, of each entry at most %s at a time, and waits until they are ready%s",
			most, p.inBatches(pair.id.Namespace, vms)),
	})
}
