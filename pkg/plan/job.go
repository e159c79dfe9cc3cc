package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
)

// jobs adds the Jobs that the sync runs for VMs: snapshots before it, rollouts
// and Ansible after it.
func (p *planner) jobs() {
	defer p.dropJobs()
	p.restarts = map[cluster.Key]bool{}
	for i := range p.out.VMs {
		if v := &p.out.VMs[i]; (v.Level == impact.Restart || v.Level == impact.Recreate) && !lacksRoom(v) {
			p.restarts[cluster.KeyOf(v.ID)] = true
		}
	}
	for i := range p.Pairs {
		pair := &p.Pairs[i]
		if pair.New == nil || pair.IsSame() {
			continue
		}
		switch cluster.KindOf(pair.ID) {
		case cluster.KindJob:
			p.job(pair, manifest.Decode(pair.New))
		case cluster.KindAnsibleJob:
			p.ansible(pair, manifest.Decode(pair.New), "runs the Ansible job template for the VM")
		}
	}
}

// lacksRoom reports whether a VM needs a restart only because a migration has no room.
// KubeVirt does not report that, so no rollout restarts the VM.
func lacksRoom(v *Verdict) bool {
	return !slices.ContainsFunc(v.Causes, func(c impact.Cause) bool { return c.Level == v.Level && c.Code != "no-room" })
}

// dropJobs removes the Jobs from the other objects.
func (p *planner) dropJobs() {
	p.out.Objects = slices.DeleteFunc(p.out.Objects, func(v Verdict) bool {
		return v.Level == impact.Create && slices.ContainsFunc(p.out.Jobs, func(j Job) bool { return j.ID == v.ID })
	})
}

func labelApp(object manifest.Tree) string { return manifest.Text(object, "metadata", "labels", "app") }

func (p *planner) job(pair *pairs.Pair, job manifest.Tree) {
	args := pairs.JobArguments(job)
	switch {
	case slices.Contains(args, any("rollout")):
		p.rollout(pair, args)
	case slices.Contains(args, any("snapshot")):
		if vms := p.ofArgs(pair, args, p.changes); len(vms) > 0 {
			p.out.Jobs = append(p.out.Jobs, Job{ID: pair.ID, Does: "takes a snapshot before the change", VMs: vms})
			p.snapshots(pair.ID.Namespace, args)
		}
	case strings.Contains(pair.ID.Name, "-ansible-"):
		p.ansible(pair, job, "runs the Ansible playbook for the VM")
	}
}

// ansible adds the Job or AnsibleJob of one VM.
func (p *planner) ansible(pair *pairs.Pair, job manifest.Tree, does string) {
	p.out.Jobs = append(p.out.Jobs, Job{ID: pair.ID, Does: p.once(pair, does), VMs: []string{labelApp(job)}})
}

// once returns what a Job does that runs once: nothing if the cluster has it already.
func (p *planner) once(pair *pairs.Pair, does string) string {
	job := p.Live.Object(pair.ID)
	if job == nil {
		return does
	}
	age, known := p.Live.Age(cluster.Created(job))
	return fmt.Sprintf("does not run again: a Job of that name, for this revision, was created %s; "+
		"delete it first if it should run", ago(age, known))
}

// ofArgs returns the names of the VMs in a Job's arguments, VM=CONTENT, for which
// a condition holds.
func (p *planner) ofArgs(job *pairs.Pair, args []any, holds func(namespace, name string) bool) []string {
	var out []string
	for _, a := range args {
		s, _ := a.(string)
		if name, _, ok := strings.Cut(s, "="); ok && holds(job.ID.Namespace, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// changes reports whether a VM that exists changes.
func (p *planner) changes(namespace, name string) bool {
	m := p.Find("kubevirt.io", "VirtualMachine", namespace, name)
	return m != nil && m.Old != nil && m.New != nil && !m.IsSame()
}

func (p *planner) isRestarted(namespace, name string) bool {
	return p.restarts[cluster.KeyOfVM(namespace, name)]
}

// rollout adds the Job that restarts VMs in batches.
func (p *planner) rollout(pair *pairs.Pair, args []any) {
	vms := p.ofArgs(pair, args, func(namespace, name string) bool {
		return p.isRestarted(namespace, name) || p.AwaitsRollout(namespace, name)
	})
	if len(vms) == 0 {
		return
	}
	most := "1"
	if m := p.Find("kubevirt.io", "VirtualMachine", pair.ID.Namespace, vms[0]); m != nil {
		if s := cluster.Annotation(manifest.Decode(m.New), labels.MaxUnavailable); s != "" {
			most = s
		}
	}
	p.out.Jobs = append(p.out.Jobs, Job{
		ID: pair.ID, VMs: vms, Restarts: true,
		Does: fmt.Sprintf("restarts the VMs, of each entry at most %s at a time, and waits until they are ready%s",
			most, p.inBatches(pair.ID.Namespace, vms)),
	})
}
