package status

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/pairs"
)

// powerJobFacts returns the fact that the last Job that was to stop or start a VM on its schedule has failed, and that
// the VM is not as it was to be. A Job that fails because of another VM is no fact about this one.
func (p *reader) powerJobFacts(s *impact.Subject) []Fact {
	times := cluster.Annotation(s.New, labels.Power)
	job, action := p.lastJob(s, "power")
	if times == "" || cluster.Is(job.Object, "Failed") != cluster.Yes {
		return nil
	}
	var says string
	switch hasStarted := cluster.Created(s.Live.Instance) > cluster.Created(job.Object); {
	case action == "off" && s.Live.Running == cluster.Yes && !hasStarted:
		says = "was not stopped"
	case action == "on" && (s.Live.Running == cluster.No || cluster.Is(s.Live.Object, "Ready") == cluster.No):
		says = "was not started, or is not ready"
	default:
		return nil
	}
	return []Fact{{
		State: StateFailed, Code: FactPowerFailed,
		Says: says + " on its schedule (" + times + "): the Job " + job.ID.Name + " has failed",
		Advice: "the log of the Job tells why; repair the cause, and create a Job from its CronJob, " +
			"or wait for the next time",
	}}
}

// patchFacts returns the fact that the last Job that was to patch a VM on its schedule has failed.
func (p *reader) patchFacts(s *impact.Subject) []Fact {
	times := cluster.Annotation(s.New, labels.Patch)
	job, _ := p.lastJob(s, "patch")
	if times == "" || cluster.Is(job.Object, "Failed") != cluster.Yes {
		return nil
	}
	return []Fact{{
		State: StateFailed, Code: FactPatchFailed,
		Says: "was not patched on its schedule (" + times + "): the Job " + job.ID.Name + " has failed",
		Advice: "the log of the Job tells why; repair the cause, and create a Job from its CronJob, " +
			"or wait for the next time",
	}}
}

// lastJob returns the newest Job that runs a command for a VM, and its first argument before the VMs, if it has one.
func (p *reader) lastJob(s *impact.Subject, command string) (newest cluster.Entity, action string) {
	for _, job := range p.Live.Of(cluster.KindJob, s.ID.Namespace) {
		does, vms := scheduledOf(pairs.JobArguments(job.Object), command)
		if slices.Contains(vms, s.ID.Name) && cluster.Created(job.Object) >= cluster.Created(newest.Object) {
			newest, action = job, does
		}
	}
	return newest, action
}

// scheduledOf returns what `vmrender power` or `vmrender patch` with these arguments does, and with which VMs; none if
// it is another command. That of patch is followed by one VM and a file.
func scheduledOf(arguments []any, command string) (action string, vms []string) {
	var words []string
	isValue := false // of the flag before it
	for _, a := range arguments {
		text, _ := a.(string)
		isFlag := strings.HasPrefix(text, "--")
		if !isFlag && !isValue {
			words = append(words, text)
		}
		isValue = isFlag && !strings.Contains(text, "=")
	}
	switch {
	case len(words) < 2 || words[0] != command:
		return "", nil
	case command == "patch":
		return "", words[1:2]
	}
	return words[1], words[2:]
}
