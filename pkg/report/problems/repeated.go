package problems

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// How often users are shown the same message, and problems of one rule: one mistake in a
// script that writes values causes thousands.
const (
	shownOfMessage = 10
	shownOfRule    = 100
)

// repetitions counts the problems that are shown, and those that are left out.
type repetitions struct {
	messages map[string]int
	shown    map[rule.ID]int
	left     map[rule.ID]int
}

func newRepetitions() *repetitions {
	return &repetitions{messages: map[string]int{}, shown: map[rule.ID]int{}, left: map[rule.ID]int{}}
}

// show reports whether a problem is shown.
func (r *repetitions) show(d *source.Diagnostic) bool {
	r.messages[d.Message]++
	if r.messages[d.Message] > shownOfMessage || r.shown[d.Rule] >= shownOfRule {
		r.left[d.Rule]++
		return false
	}
	r.shown[d.Rule]++
	return true
}

// String describes what is left out, or returns "".
func (r *repetitions) String() string {
	total, rules := 0, make([]string, 0, len(r.left))
	for id, n := range r.left {
		total += n
		rules = append(rules, fmt.Sprintf("%d %s", n, id))
	}
	if total == 0 {
		return ""
	}
	slices.Sort(rules)
	return fmt.Sprintf("%d more like these are not shown: %s; `vmrender validate --all` shows each\n",
		total, strings.Join(rules, ", "))
}
