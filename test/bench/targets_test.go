package main

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// measured is a series with one sample.
func measured(tool string, spread layout, format string, size int, cpu time.Duration) *series {
	return &series{
		Tool: tool, Layout: spread, Format: format, Size: size, Rounds: 1,
		Samples: []sample{{CPU: cpu, Wall: 2 * cpu, Peak: 10 << 20, Output: 1}},
	}
}

// linear is a run in which vmrender costs 10 µs per machine in JSON, 15 µs in YAML and 5 µs
// from one file, 2 ms at start, twice as much as an empty program, and Helm 100 times as much as the first.
func linear() []*series {
	all := []*series{measured(toolEmpty, nothing, "–", 1, time.Millisecond)}
	for _, n := range sizes {
		cost := func(each time.Duration) time.Duration { return 2*time.Millisecond + time.Duration(n-1)*each }
		if n <= largestForHelm {
			all = append(all, measured(toolHelm, oneFile, "yaml", n, 100*cost(10*time.Microsecond)))
		}
		if n <= largestForTool {
			all = append(all,
				measured(toolVmrender, filePerVM, "yaml", n, cost(15*time.Microsecond)),
				measured(toolVmrender, filePerVM, "json", n, cost(10*time.Microsecond)),
			)
		}
		all = append(all,
			measured(toolSidecar, filePerVM, "json", n, cost(10*time.Microsecond)),
			measured(toolSidecar, oneFile, "json", n, cost(5*time.Microsecond)),
		)
	}
	for i, changed := range changes {
		all = append(all, measured(planTool(changed), filePerVM, "text", planSize, time.Duration(200+100*i)*time.Millisecond))
	}
	return all
}

func TestExponent(t *testing.T) {
	require.InDelta(t, 1, exponent(5, 5+100, 5+1000, 100, 1000), 1e-9)
	require.InDelta(t, 2, exponent(0, 100, 10_000, 10, 100), 1e-9)
	require.True(t, math.IsNaN(exponent(5, 5, 100, 1, 10)))
}

func TestTargetsAreMet(t *testing.T) {
	for _, judged := range targets(linear()) {
		if judged.Metric != "user instructions per further VM" {
			require.Equal(t, met, judged.verdict(), judged.Metric)
			continue
		}
		require.Equal(t, unmeasured, judged.verdict())
	}
	require.Empty(t, missedGates(targets(linear())))
}

func TestTargetsAreMissed(t *testing.T) {
	slow := linear()
	for _, s := range slow {
		if s.Tool != toolHelm && s.Tool != toolEmpty {
			factor := time.Duration(20)
			if s.Format == "yaml" || s.isPlan() {
				factor = 80
			}
			s.Samples[0].CPU *= factor
			s.Samples[0].Peak *= 100
			s.Instructions = 500_000
		}
		if s.Size == 100_000 {
			s.Samples[0].CPU *= 2
		}
	}
	for _, judged := range targets(slow) {
		require.Equal(t, missed, judged.verdict(), judged.Metric)
	}
	require.Equal(t, []string{
		"cold start with 1 VM: CPU of an empty program with KubeVirt's types",
		"1,000 VMs, a file each: less CPU than Helm",
		"10,000 VMs, a file each: less CPU than Helm",
		"10,000 VMs in one file: less CPU than Helm",
		"10,000 VMs as YAML instead of JSON: CPU",
		"plan of 10,000 VMs: CPU of rendering both sides",
		"growth exponent, 100 to 100,000 VMs",
		"user instructions per further VM",
	}, missedGates(targets(slow)))
}

func TestNothingMeasuredIsNoMiss(t *testing.T) {
	for _, judged := range targets(nil) {
		require.Equal(t, unmeasured, judged.verdict(), judged.Metric)
		require.Equal(t, "–", judged.measured())
	}
}
