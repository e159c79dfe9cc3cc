package main

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// measured returns a series with one sample.
func measured(tool string, spread layout, format string, size int, cpu time.Duration) *series {
	return &series{
		Tool: tool, Layout: spread, Format: format, Size: size, Rounds: 1,
		Samples: []sample{{CPU: cpu, Wall: 2 * cpu, Peak: 10 << 20, Output: 1}},
	}
}

// linear returns a run in which vmrender costs 10 µs per VM in JSON, 12 µs in YAML, and 5 µs from one file.
// Its start costs 2 ms, twice as much as an empty program. Helm costs 100 times as much as the first.
func linear() []*series {
	all := []*series{measured(toolEmpty, nothing, "–", 1, time.Millisecond)}
	for _, n := range sizes {
		cost := func(each time.Duration) time.Duration { return 2*time.Millisecond + time.Duration(n-1)*each }
		if n <= largestForHelm {
			all = append(all, measured(toolHelm, oneFile, "yaml", n, 100*cost(10*time.Microsecond)))
		}
		if n <= largestForYAML {
			all = append(all, measured(toolVmrender, filePerVM, "yaml", n, cost(12*time.Microsecond)))
		}
		for _, tool := range []string{toolVmrender, toolSidecar} {
			if tool == toolVmrender || n <= largestForSidecar {
				all = append(all,
					measured(tool, filePerVM, "json", n, cost(10*time.Microsecond)),
					measured(tool, oneFile, "json", n, cost(5*time.Microsecond)),
				)
			}
		}
	}
	for _, c := range commandsAtSize {
		for _, n := range c.sizes() {
			cost := func(each time.Duration) time.Duration { return 2*time.Millisecond + time.Duration(n-1)*each }
			all = append(all, measured(c.Name, filePerVM, "text", n, cost(11*time.Microsecond)))
			if find(all, toolVmrender, filePerVM, "json", n) == nil {
				all = append(all, measured(toolVmrender, filePerVM, "json", n, cost(10*time.Microsecond)))
			}
		}
	}
	for i, changed := range changes {
		cost := time.Duration(200+100*i) * time.Millisecond
		all = append(all, measured(planTool(toolPlan, changed), filePerVM, "text", planSize, cost))
		if planOf(all, toolLive, changed) == nil { // not among the commands
			all = append(all, measured(planTool(toolLive, changed), filePerVM, "text", planSize, 2*cost))
		}
	}
	return all
}

func TestExponent(t *testing.T) {
	require.InDelta(t, 1, exponent(5, 5+100, 5+1000, 100, 1000), 1e-9)
	require.InDelta(t, 2, exponent(0, 100, 10_000, 10, 100), 1e-9)
	require.True(t, math.IsNaN(exponent(5, 5, 100, 1, 10)))
}

// counts sets the instructions and bytes of the sidecar's series, with a fixed number for each further VM.
func counts(all []*series, start, each, bytes int64) []*series {
	for _, s := range all {
		if isCounted(s) {
			s.Instructions = start + each*int64(s.Size)
			s.Samples[0].Output = bytes * int64(s.Size)
		}
	}
	return all
}

func TestTargetsAreMet(t *testing.T) {
	judged := targets(counts(linear(), 10_000_000, 300_000, mostBytes-50), rendered())
	for _, one := range judged {
		require.Equal(t, met, one.verdict(), one.Metric)
	}
	require.Empty(t, missedGates(judged, ratio, counted))
}

func TestTargetsAreMissed(t *testing.T) {
	slow := counts(linear(), 20_000_000, 800_000, 3_100)
	for _, s := range slow {
		if s.Tool != toolHelm && s.Tool != toolEmpty {
			factor := time.Duration(20)
			if s.Format == "yaml" || s.isPlan() {
				factor = 80
			}
			if s.isCommand() {
				factor = time.Duration(s.Size)
			}
			s.Samples[0].CPU *= factor
			s.Samples[0].Peak *= 1000
		}
		if s.Size == 100_000 {
			s.Samples[0].CPU *= 2
		}
	}
	path := rendered()
	for _, r := range append(path.Ways, path.CMPServer...) {
		if r.By == byPlugin {
			r.Answers[0].Plugin += r.Answers[0].all()
		}
		if r.By == "" {
			r.Answers[0].CMPServer *= 10
			r.Answers = append(r.Answers, r.Answers[0])
			r.Answers[1].CMPServer *= 2
		}
	}
	for _, r := range path.Refreshed {
		r.Single.Answers[0].Rendered *= 2
	}
	judged := targets(slow, path)
	for _, one := range judged {
		require.Equal(t, missed, one.verdict(), one.Metric)
	}
	require.Len(t, missedGates(judged, ratio), 28)
	require.Equal(t, []string{
		"cold start with 1 VM: user instructions of all processes",
		"user instructions per further VM, 100 to 1,000, file per VM",
		"user instructions per further VM, 1,000 to 10,000, file per VM",
		"user instructions per further VM, 100 to 1,000, one file",
		"user instructions per further VM, 1,000 to 10,000, one file",
		"bytes of a further VM",
	}, missedGates(judged, counted))
}

func TestNothingMeasuredIsNoMiss(t *testing.T) {
	for _, judged := range targets(nil, realPath{}) {
		require.Equal(t, unmeasured, judged.verdict(), judged.Metric)
		require.Equal(t, "–", judged.measured())
	}
}
