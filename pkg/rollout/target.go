package rollout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/labels"
)

// Target is what a rollout is for.
type Target struct {
	ID string // value of the label [labels.Rollout]
	// VMs are the VirtualMachines of the rollout and their [labels.Content]. The
	// rollout waits until they all have it, and ends when one has another one after
	// that. If it is empty, the rollout is for all VirtualMachines as they are.
	Machines map[string]string
	// Retry includes the VirtualMachines at which an earlier rollout has stopped.
	Retry  bool
	Holder string // a name of the run that no other run has
	// Pets makes it a maintenance of pets, instead of a rollout of cattle. The ID is the name of its CronJob then.
	Pets *Pets
}

// ParseMachines parses arguments such as `web-0=1a2b3c4d`: the VirtualMachines of a
// rollout and their content.
func ParseMachines(args []string) (map[string]string, error) {
	out := map[string]string{}
	for _, arg := range args {
		name, content, found := strings.Cut(arg, "=")
		if !found || name == "" || content == "" {
			return nil, fmt.Errorf("invalid VirtualMachine %q; expected VM=CONTENT", arg)
		}
		if _, ok := out[name]; ok {
			return nil, fmt.Errorf("two contents of %q; expected one", name)
		}
		out[name] = content
	}
	return out, nil
}

// targets returns the VMs of the rollout as they are now.
func (r *run) targets() []*machine {
	if r.Pets != nil {
		return r.pets()
	}
	labelled := r.view.list(labels.Rollout, r.ID, r.asked)
	if len(r.Machines) == 0 {
		return labelled
	}
	return slices.DeleteFunc(labelled, func(m *machine) bool { return r.Machines[m.Name] == "" })
}

// selects describes the VMs of the target.
func (t *Target) selects() string {
	if t.Pets != nil {
		return "has one of the names"
	}
	return fmt.Sprintf("has the label %s=%s", labels.Rollout, t.ID)
}

// isApplied reports whether all VMs are what the rollout is for. The Job may be
// applied before them. A VM that is deleted later does not concern it.
func (r *run) isApplied(all []*machine) bool {
	n := 0
	for _, m := range all {
		if m.content() == r.Machines[m.Name] {
			n++
		}
	}
	if n == len(all) && (r.applied || n == len(r.Machines)) {
		r.applied = true
		return true
	}
	if !r.applied {
		r.once("applied", fmt.Sprintf("waiting for this revision: %d of %d VirtualMachines have it", n, len(r.Machines)))
	}
	return false
}

// isSuperseded reports whether a VM that was what the rollout is for is something
// else now. The newer revision has a rollout of its own.
func (r *run) isSuperseded(all []*machine) bool {
	for _, m := range all {
		if r.applied && m.content() != r.Machines[m.Name] {
			r.logf("superseded: %s has changed to another revision, which has a rollout of its own", m.Name)
			return true
		}
	}
	return false
}
