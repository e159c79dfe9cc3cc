package template

import (
	"fmt"
	"reflect"
)

// The maximum work of a group of templates and of all templates of a [Set], in bytes as for one string. A string that
// uses up its own would otherwise do so for each of thousands of VMs.
const (
	maxGroup = 160 << 20
	maxTotal = 224 << 20
)

// Work is the work of a group of templates, such as those of one entry of a fleet, which are expanded one after the
// other. The zero value is a group without work so far.
type Work struct {
	used int
	free int      // does not count for all templates
	vars *weighed // those of its last template
}

// freeWork is the work of one VM that does not count for all templates: fleets can have any number of VMs.
const freeWork = 4 << 10

// NewWork returns a group for the templates of the given number of VMs.
func NewWork(vms int) Work { return Work{free: vms * freeWork} }

var (
	errGroup = fmt.Errorf("takes too much work: with those before it in the same entry, the functions and loops of "+
		"its templates read and make more than %d MiB", maxGroup>>20)
	errTotal = fmt.Errorf("takes too much work: with those before it, the functions and loops of all templates "+
		"read and make more than %d MiB", maxTotal>>20)
	errBigVars = fmt.Errorf("cannot use functions and loops with `vars` of more than %d bytes", maxText)
)

// TooMuch is the problem of a render whose templates took too much work together. Which of them was the last depends on
// the order in which they were expanded.
var TooMuch = fmt.Sprintf("the templates take too much work: "+
	"their functions and loops together read and make more than %d MiB; let them do less, or divide the VMs among "+
	"several Applications", maxTotal>>20)

// Exhausted reports whether the templates took too much work together. It depends on their sum only.
func (s *Set) Exhausted() bool { return s.used.Load() > maxTotal }

// charge adds work to that of a group and to that of all templates.
func (s *Set) charge(group *Work, work int) error {
	before := max(group.used, group.free)
	group.used += work
	switch {
	case s.used.Add(int64(max(group.used, group.free)-before)) > maxTotal:
		return errTotal
	case group.used > maxGroup:
		return errGroup
	}
	return nil
}

// weighed are vars whose weight is known. VMs share them.
type weighed struct {
	vars map[string]any
	big  bool
}

func (w *weighed) of(vars map[string]any) bool {
	return w != nil && reflect.ValueOf(w.vars).Pointer() == reflect.ValueOf(vars).Pointer()
}

// checkVars returns an error if vars are too large for functions and loops. To weigh many takes long, so that it
// happens once for a group, and once for groups with the same vars that follow each other.
func (s *Set) checkVars(group *Work, vars any) error {
	m, ok := vars.(map[string]any)
	if !ok {
		return nil
	}
	if !group.vars.of(m) {
		group.vars = s.weighed.Load()
	}
	if !group.vars.of(m) {
		group.vars = &weighed{m, weigh(reflect.ValueOf(m), maxText) > maxText}
		s.weighed.Store(group.vars)
	}
	if group.vars.big {
		return errBigVars
	}
	return nil
}
