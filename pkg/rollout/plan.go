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

// observe returns all VMs with their stages, sorted by name.
func observe(machines []*machine) []observed {
	out := make([]observed, 0, len(machines))
	for _, m := range machines {
		s, why := m.stage()
		out = append(out, observed{m, s, why})
	}
	slices.SortFunc(out, byMachine)
	return out
}

func byMachine(a, b observed) int { return cmp.Compare(a.Name, b.Name) }

// plan returns the VMs to restart now. VMs with the same value of
// [labels.MaxUnavailable] form a group, which shares that maximum.
func plan(all []observed) ([]observed, error) {
	groups := map[string][]observed{}
	for _, m := range all {
		if _, err := m.keepOld(); err != nil {
			return nil, err // report it before anything is restarted
		}
		if m.stage != skipped {
			most := m.Annotations[labels.MaxUnavailable]
			groups[most] = append(groups[most], m)
		}
	}
	var restart []observed
	for text, members := range groups {
		most, err := maxUnavailable(text, len(members))
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
		case m.stage != current && !(m.stage == waiting && m.isReady()):
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
