package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// target is a bound that vmrender must meet on the workload.
type target struct {
	Metric string
	Value  float64 // NaN if it was not measured
	Limit  float64 // the maximum
	Unit   string  // printed after the numbers

	Gate gate
}

// gate is the run that fails when a target is missed. Only counts, ratios within one run, and the memory of commands at
// size are gates. They depend neither on the machine's speed nor on its load.
type gate string

const (
	ratio   gate = "`-check`"
	counted gate = "`make bench-check`"
)

// The verdicts of a target.
const (
	met        = "met"
	missed     = "missed"
	unmeasured = "not measured"
)

func (t target) verdict() string {
	switch {
	case math.IsNaN(t.Value):
		return unmeasured
	case t.Value > t.Limit:
		return missed
	}
	return met
}

// gated returns the gate as a table shows it.
func (t target) gated() string { return cmp.Or(string(t.Gate), "no") }

func (t target) must() string { return fmt.Sprintf("≤ %s%s", number(t.Limit), t.Unit) }

func (t target) measured() string {
	if math.IsNaN(t.Value) {
		return "–"
	}
	return number(t.Value) + t.Unit
}

// targets checks the measurements of the Argo CD sidecar, because it is a part of every sync. The
// command-line tool links more than it needs to render fleets, so targets checks only the cost of
// its YAML and its plans, relative to its JSON.
func targets(all []*series, path realPath) []target {
	return slices.Concat(
		pathTargets(path), manyTargets(path), fleetTargets(all), commandTargets(all), countedTargets(all),
	)
}

// pathTargets returns the targets of a commit's way through Argo CD. What Argo CD itself needs with every plugin is the
// floor: no plugin can cost less than one that costs nothing.
func pathTargets(path realPath) []target {
	var judged []target
	for _, bound := range []struct {
		size  int
		limit float64
	}{{1, 1.25}, {100, 1.25}, {1_000, 1.12}, {10_000, 1.12}} {
		for _, spread := range []layout{filePerVM, oneFile} {
			judged = append(judged, target{
				Metric: fmt.Sprintf("through Argo CD, %s, %s: CPU with a plugin that costs nothing", vms(bound.size), spread),
				Value:  path.overFloor(spread, bound.size), Limit: bound.limit, Unit: " times", Gate: ratio,
			})
		}
	}
	return judged
}

// vms formats a number of virtual machines.
func vms(n int) string {
	if n == 1 {
		return "1 VM"
	}
	return thousands(n) + " VMs"
}

// fleetTargets returns the targets of whole fleets.
func fleetTargets(all []*series) []target {
	sidecar := func(spread layout, n int) *series { return find(all, toolSidecar, spread, "json", n) }
	yaml, json := find(all, toolVmrender, filePerVM, "yaml", 10_000), find(all, toolVmrender, filePerVM, "json", 10_000)
	large := func(spread layout) *series { return find(all, toolVmrender, spread, "json", 100_000) }
	grown := func(spread layout) float64 { return growth(all, toolVmrender, spread, "json", 100, 100_000) }
	return []target{
		{Metric: "10,000 VMs, a file each: peak memory", Value: mebibytes(sidecar(filePerVM, 10_000)), Limit: 100, Unit: " MiB"},
		{Metric: "100,000 VMs, a file each: peak memory", Value: mebibytes(large(filePerVM)), Limit: 512, Unit: " MiB"},
		{Metric: "100,000 VMs in one file: peak memory", Value: mebibytes(large(oneFile)), Limit: 512, Unit: " MiB"},
		{Metric: "10,000 VMs as YAML instead of JSON: CPU", Value: cpuRatio(yaml, json), Limit: 1.3, Unit: " times", Gate: ratio},
		{Metric: "plan of 10,000 VMs: CPU of rendering both sides", Value: dearest(all, toolPlan), Limit: 3, Unit: " times", Gate: ratio},
		{Metric: "plan of 10,000 VMs with --live: CPU of rendering both sides", Value: dearest(all, toolLive), Limit: 5, Unit: " times", Gate: ratio},
		{Metric: "growth exponent, 100 to 100,000 VMs, a file each", Value: grown(filePerVM), Limit: 1.05, Gate: ratio},
		{Metric: "growth exponent, 100 to 100,000 VMs in one file", Value: grown(oneFile), Limit: 1.05, Gate: ratio},
	}
}

// mostBytes is slightly more than the bytes that Argo CD reads for a VM of the workload. The part that does
// not come from the user has its own limit: pkg/render, TestBytesThatNobodyAskedFor. It includes 70 bytes for
// the annotations with the wave 0 and with what a change does to the VM, 35 each.
const mostBytes = 2_920

// countedTargets returns the targets of a process that renders one VM, and of each further VM.
func countedTargets(all []*series) []target {
	cold := millions(find(all, toolSidecar, filePerVM, "json", 1))
	judged := []target{
		{Metric: "cold start with 1 VM: user instructions of all processes", Value: cold, Limit: 12, Unit: " M", Gate: counted},
	}
	for _, spread := range []layout{filePerVM, oneFile} {
		for _, step := range [][2]int{{100, 1_000}, {1_000, 10_000}} {
			judged = append(judged, target{
				Metric: fmt.Sprintf("user instructions per further VM, %s to %s, %s", thousands(step[0]), thousands(step[1]), spread),
				Value:  slope(all, toolSidecar, spread, step[0], step[1]) / 1_000, Limit: mostPerVM, Unit: " k", Gate: counted,
			})
		}
	}
	few, many := find(all, toolSidecar, oneFile, "json", 100), find(all, toolSidecar, oneFile, "json", 1_000)
	bytes := math.NaN()
	if few != nil && many != nil {
		bytes = float64(many.Samples[0].Output-few.Samples[0].Output) / float64(many.Size-few.Size)
	}
	return append(judged, target{Metric: "bytes of a further VM", Value: bytes, Limit: mostBytes, Gate: counted})
}

// ifMeasured returns the target without a value if it was not measured.
func (t target) ifMeasured(was bool) target {
	if !was {
		t.Value = math.NaN()
	}
	return t
}

// missedGates returns the metrics of the missed targets that are gates of one of the kinds.
func missedGates(judged []target, kinds ...gate) []string {
	var names []string
	for _, t := range judged {
		if slices.Contains(kinds, t.Gate) && t.verdict() == missed {
			names = append(names, t.Metric)
		}
	}
	return names
}

func mebibytes(s *series) float64 {
	if s == nil {
		return math.NaN()
	}
	return float64(s.peak()) / (1 << 20)
}

// mostPerVM is the maximum number of instructions of a further VM, in thousands. Judging each finished VM as KubeVirt
// and its lifecycle do costs 30 of them.
const mostPerVM = 420

// millions returns the number of instructions in millions.
func millions(s *series) float64 {
	if s == nil || s.Instructions == 0 {
		return math.NaN()
	}
	return float64(s.Instructions) / 1e6
}

func cpuRatio(over, under *series) float64 {
	if over == nil || under == nil {
		return math.NaN()
	}
	return float64(over.cpu()) / float64(under.cpu())
}
