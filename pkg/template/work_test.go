package template

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const loop = `a{{ range until 20000 }}{{ end }}`

// expandUntil expands a template again and again in a group, and returns how often, and the problem that ended it.
func expandUntil(s *Set, group *Work, text string) (int, *Problem) {
	for n := 1; ; n++ {
		if _, problem := s.ExpandWithin(group, text, Map{}); problem != nil {
			return n, problem
		}
	}
}

// The templates of an entry end at the same string each time, those of a fleet when their sum is too large.
func TestWorkIsBounded(t *testing.T) {
	const rest = 8 << 20 // so that the test is short
	group := func() *Work { return &Work{used: maxGroup - rest} }
	s := new(Set)
	most, problem := expandUntil(s, group(), loop)
	require.Equal(t, errGroup.Error(), problem.Message)
	require.Zero(t, problem.Line, "the whole string")
	require.Greater(t, most, 1)
	require.False(t, s.Exhausted())

	s.used.Store(maxTotal - 2*rest)
	again, problem := expandUntil(s, group(), loop)
	require.Equal(t, most, again)
	require.Equal(t, errGroup.Error(), problem.Message)
	require.False(t, s.Exhausted())

	_, problem = expandUntil(s, new(Work), loop)
	require.Equal(t, errTotal.Error(), problem.Message)
	require.True(t, s.Exhausted())
}

// The work of a regular expression is that of its steps, not of its text.
func TestExpressionsAreWork(t *testing.T) {
	used := func(text string) int {
		group := new(Work)
		_, problem := new(Set).ExpandWithin(group, text, Map{"a": strings.Repeat("ab", 1000)})
		require.Nil(t, problem)
		return group.used
	}
	plain := used(`{{ contains "c" .a }}`)
	simple, costly := used(`{{ regexMatch "c" .a }}`), used(`{{ regexMatch "(a|b|ab)*c" .a }}`)
	require.Greater(t, simple, plain)
	require.Greater(t, costly, simple)
}

// Templates without functions and loops are work, too.
func TestTextIsWork(t *testing.T) {
	s := new(Set)
	for _, text := range []string{"{{ .vm }}", "{{ if .vars }}a{{ end }}"} {
		before := s.used.Load()
		_, problem := s.Expand(text, Map{"vm": "a", "vars": nil})
		require.Nil(t, problem)
		require.Greater(t, s.used.Load()-before, int64(len(text)))
	}
}

// What every VM may do does not count for the fleet.
func TestFreeWork(t *testing.T) {
	s, group := new(Set), NewWork(2)
	for range 2 {
		_, problem := s.ExpandWithin(&group, "{{ upper .vm }}", Map{"vm": "a"})
		require.Nil(t, problem)
	}
	require.Zero(t, s.used.Load())
	_, problem := s.ExpandWithin(&group, loop, Map{})
	require.Nil(t, problem)
	require.Equal(t, int64(group.used-2*freeWork), s.used.Load())
}

// The sum does not depend on how many templates are expanded at the same time.
func TestSumOfWork(t *testing.T) {
	sum := func(workers int) int64 {
		s := new(Set)
		var wait sync.WaitGroup
		for w := range workers {
			wait.Go(func() {
				for i := w; i < 24; i += workers {
					text := fmt.Sprintf("{{ range until %d }}{{ end }}{{ .vars.a | upper }}", i%3*100)
					_, problem := s.Expand(text, Map{"vars": map[string]any{"a": "b"}})
					if problem != nil {
						panic(problem.Message)
					}
				}
			})
		}
		wait.Wait()
		return s.used.Load()
	}
	require.Equal(t, sum(1), sum(4))
}

// Vars that many VMs share are weighed once.
func TestVarsAreWeighedOnce(t *testing.T) {
	s, vars := new(Set), map[string]any{"a": "b"}
	first, second := new(Work), new(Work)
	for _, group := range []*Work{first, second, first} {
		_, problem := s.ExpandWithin(group, "{{ upper .vars.a }}", Map{"vars": vars})
		require.Nil(t, problem)
	}
	require.Same(t, first.vars, second.vars)
}
