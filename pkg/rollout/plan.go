package rollout

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/vmrender/vmrender/pkg/labels"
)

// observed is a VM with its stage.
type observed struct {
	*machine
	stage stage
	why   string
}

// observe returns all VMs with their stages, sorted by name. VMs of a content at
// which a rollout has stopped are barred unless they are ready after all.
func observe(machines []*machine, r *record) []observed {
	out := make([]observed, 0, len(machines))
	for _, m := range machines {
		s, why := m.stage()
		if s != skipped && s != current && r.bars(m) {
			s, why = barred, "a rollout of this revision has stopped here: "+why
		}
		out = append(out, observed{m, s, why})
	}
	slices.SortFunc(out, byMachine)
	return out
}

func byMachine(a, b observed) int { return cmp.Compare(a.Name, b.Name) }

// budget identifies the VMs that share a maximum of unavailable VMs: the replicas of
// an entry, or all VMs that are not replicas, with the same maximum.
type budget struct{ entry, most string }

// plan returns the VMs to restart now.
func plan(all []observed) ([]observed, error) {
	groups := map[budget][]observed{}
	for _, m := range all {
		// Bad annotations are reported before anything is restarted.
		if _, err := m.keepOld(); err != nil {
			return nil, err
		}
		if _, err := m.deadline(0); err != nil {
			return nil, err
		}
		if m.stage != skipped {
			of := budget{m.Annotations[labels.Entry], m.Annotations[labels.MaxUnavailable]}
			groups[of] = append(groups[of], m)
		}
	}
	var restart []observed
	for of, members := range groups {
		most, err := maxUnavailable(of.most, len(members))
		if err != nil {
			return nil, fmt.Errorf("%s: annotation %s: %w", members[0].Name, labels.MaxUnavailable, err)
		}
		restart = append(restart, next(members, most)...)
	}
	slices.SortFunc(restart, byMachine)
	return restart, nil
}

// next returns the VMs of one group to restart now. Outdated VMs that are not ready
// come first: the change may fix them, and their restart interrupts no service.
func next(members []observed, most int) []observed {
	var down, up []observed
	for _, m := range members {
		switch {
		case m.stage == outdated && m.isReady():
			up = append(up, m)
		case m.stage == outdated:
			down = append(down, m)
		case m.isRestarting(), !m.isReady():
			most--
		}
	}
	restart := first(down, most)
	return append(restart, first(up, most-len(down))...)
}

func first(list []observed, n int) []observed {
	return slices.Clone(list[:max(0, min(n, len(list)))])
}

// maxUnavailable returns how many of n VMs may be unavailable, at least one. It
// rounds percentages down, as Kubernetes does for Deployments.
func maxUnavailable(text string, n int) (int, error) {
	if text == "" {
		return 1, nil
	}
	value := intstr.Parse(text)
	most, err := intstr.GetScaledValueFromIntOrPercent(&value, n, false)
	if err != nil || most < 0 {
		return 0, fmt.Errorf("invalid value %q; expected a number such as \"2\" or a percentage such as \"25%%\"", text)
	}
	return max(1, most), nil
}
