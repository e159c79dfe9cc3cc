package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The compared commands, as the table names them.
const (
	toolHelm     = "helm template"
	toolVmrender = "vmrender"
	toolSidecar  = "vmrender-cmp"
	toolEmpty    = "empty program with KubeVirt's types"
)

// series is one row of the table: a command on one fleet, run repeatedly.
type series struct {
	Tool         string
	Layout       layout // of the input
	Format       string // of the output: json or yaml
	Size         int    // virtual machines
	Rounds       int
	Command      command
	Samples      []sample
	Instructions int64 // of all processes, in user space, or 0 if they were not counted
}

// name describes the series in messages.
func (s *series) name() string {
	return fmt.Sprintf("%s, %s, %s, %d VMs", s.Tool, s.Layout, s.Format, s.Size)
}

func (s *series) cpu() time.Duration {
	return median(column(s.Samples, func(one sample) time.Duration { return one.CPU }))
}

func (s *series) wall() time.Duration {
	return median(column(s.Samples, func(one sample) time.Duration { return one.Wall }))
}

func (s *series) peak() int64 {
	return median(column(s.Samples, func(one sample) int64 { return one.Peak }))
}

func column[S, T any](samples []S, of func(S) T) []T {
	values := make([]T, len(samples))
	for i, one := range samples {
		values[i] = of(one)
	}
	return values
}

// measureAll runs all series in turn, round after round, so that a change of the
// machine's load affects all of them alike. The output of a series must not change.
func measureAll(ctx context.Context, launch string, all []*series, progress func(pass, passes int)) error {
	passes := 0
	for _, s := range all {
		passes = max(passes, s.Rounds)
	}
	for pass := range passes {
		for _, s := range all {
			if !due(pass, passes, s.Rounds) {
				continue
			}
			if err := s.run(ctx, launch); err != nil {
				return fmt.Errorf("%s: %w", s.name(), err)
			}
		}
		progress(pass+1, passes)
	}
	return nil
}

// due spreads rounds evenly over passes. It returns true for exactly rounds of them.
func due(pass, passes, rounds int) bool {
	return (pass+1)*rounds/passes > pass*rounds/passes
}

func (s *series) run(ctx context.Context, launch string) error {
	one, err := s.Command.measure(ctx, launch)
	if err != nil {
		return err
	}
	if one.Output == 0 {
		return errors.New("nothing was written")
	}
	if len(s.Samples) > 0 && s.Samples[0].Output != one.Output {
		return fmt.Errorf("%d bytes were written, and %d the first time", one.Output, s.Samples[0].Output)
	}
	s.Samples = append(s.Samples, one)
	return nil
}

// find returns the series of that kind, or nil if there is none.
func find(all []*series, tool string, spread layout, format string, size int) *series {
	for _, s := range all {
		if s.Tool == tool && s.Layout == spread && s.Format == format && s.Size == size && len(s.Samples) > 0 {
			return s
		}
	}
	return nil
}
