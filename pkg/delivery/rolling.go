package delivery

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
)

// rolling syncs step by step: the Applications of one step must be Healthy before those
// of the next are synced. Applications in no step come last.
type rolling struct {
	// clusterLabel is the label of clusters whose values are the steps; if empty, the
	// steps are directories immediately below the order's.
	clusterLabel string
	steps        []string
	// maxUpdate is how many Applications of a step are synced at the same time: an int,
	// or a string with a percentage; nil is all.
	maxUpdate any
}

// steps returns the steps in which the Applications are synced, or nil if there are
// none.
func (o *Options) steps() (*rolling, error) {
	if len(o.Rolling) == 0 {
		return nil, nil
	}
	r := &rolling{steps: o.Rolling}
	if o.MaxUpdate != "" {
		r.maxUpdate = o.MaxUpdate
		if n, err := strconv.Atoi(o.MaxUpdate); err == nil {
			r.maxUpdate = n
		}
	}
	if !strings.Contains(strings.Join(o.Rolling, ""), "=") {
		return r, nil
	}
	if err := checkLabels("--rolling", o.Rolling); err != nil {
		return nil, err
	}
	return r, o.setLabelSteps(r)
}

// setLabelSteps sets the steps to values of one label.
func (o *Options) setLabelSteps(r *rolling) error {
	if len(o.Clusters) == 0 {
		return errors.New("--rolling by a label of clusters needs --clusters")
	}
	r.steps = nil
	for _, step := range o.Rolling {
		key, value, _ := strings.Cut(step, "=")
		r.steps = append(r.steps, value)
		if r.clusterLabel = cmp.Or(r.clusterLabel, key); key != r.clusterLabel {
			return fmt.Errorf("--rolling has the labels %q and %q; expected steps by one label", r.clusterLabel, key)
		}
	}
	return nil
}

// checkSteps checks that the steps are directories that contain VMs.
func checkSteps(o order, s spread) error {
	if s.rolling == nil || s.rolling.clusterLabel != "" {
		return nil
	}
	var known []string
	for _, dir := range s.directories {
		first, _, _ := strings.Cut(relative(o.path, dir), "/")
		known = append(known, first)
	}
	known = slices.Compact(known)
	for _, step := range s.rolling.steps {
		if !slices.Contains(known, step) {
			return fmt.Errorf("--rolling %q: no directory with VMs directly below %s; %s",
				step, o.path, suggest.DidYouMean(step, known))
		}
	}
	return nil
}

// strategy returns the steps and, as the last one, the Applications in none of them,
// which would otherwise never be synced.
func (r *rolling) strategy() *argocd.ApplicationSetStrategy {
	if r == nil {
		return nil
	}
	key := cmp.Or(r.clusterLabel, labels.Directory)
	var steps []argocd.ApplicationSetRolloutStep
	step := func(operator string, values ...string) {
		match := argocd.ApplicationMatchExpression{Key: key, Operator: operator, Values: values}
		steps = append(steps, argocd.ApplicationSetRolloutStep{
			MatchExpressions: []argocd.ApplicationMatchExpression{match}, MaxUpdate: r.maxUpdate,
		})
	}
	for _, value := range r.values() {
		step("In", value)
	}
	step("NotIn", r.values()...)
	return &argocd.ApplicationSetStrategy{
		Type:        "RollingSync",
		RollingSync: &argocd.ApplicationSetRolloutStrategy{Steps: steps},
	}
}

// values returns the steps as in the labels of the Applications.
func (r *rolling) values() []string {
	if r.clusterLabel != "" {
		return r.steps
	}
	var values []string
	for _, step := range r.steps {
		values = append(values, normalize(step))
	}
	return values
}
