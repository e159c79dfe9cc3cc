package main

import (
	"fmt"
	"math"
	"time"
)

// target is a bound that vmrender must keep on the workload.
type target struct {
	Metric  string
	Value   float64 // NaN where it was not measured
	Limit   float64
	AtLeast bool   // Limit is the least instead of the most
	Unit    string // printed after the numbers

	// Gate makes -check fail. Only ratios within one run and counts of instructions
	// are gates: they depend neither on the machine's speed nor on its load.
	Gate bool
}

// verdicts of a target.
const (
	met        = "met"
	missed     = "missed"
	unmeasured = "not measured"
)

func (t target) verdict() string {
	switch {
	case math.IsNaN(t.Value):
		return unmeasured
	case t.AtLeast && t.Value < t.Limit, !t.AtLeast && t.Value > t.Limit:
		return missed
	}
	return met
}

func (t target) must() string {
	sign := "≤"
	if t.AtLeast {
		sign = "≥"
	}
	return fmt.Sprintf("%s %s%s", sign, number(t.Limit), t.Unit)
}

func (t target) measured() string {
	if math.IsNaN(t.Value) {
		return "–"
	}
	return number(t.Value) + t.Unit
}

// targets judges the measured series. What counts is the Argo CD sidecar, because
// it is a part of every sync; the command-line tool links more than it needs to
// render fleets, and is judged only by what its YAML and its plans cost beside its JSON.
func targets(all []*series) []target {
	cold := find(all, toolSidecar, filePerVM, "json", 1)
	empty := find(all, toolEmpty, nothing, "–", 1)
	thousand := find(all, toolSidecar, filePerVM, "json", 1_000)
	files := find(all, toolSidecar, filePerVM, "json", 10_000)
	file := find(all, toolSidecar, oneFile, "json", 10_000)
	yaml, json := find(all, toolVmrender, filePerVM, "yaml", 10_000), find(all, toolVmrender, filePerVM, "json", 10_000)
	huge := find(all, toolSidecar, filePerVM, "json", 100_000)
	grown := func(from, to int) float64 {
		return growth(all, toolSidecar, filePerVM, "json", from, to)
	}
	return []target{
		{Metric: "cold start with 1 VM: CPU", Value: milliseconds(cold), Limit: 8, Unit: " ms"},
		{Metric: "cold start with 1 VM: peak memory", Value: mebibytes(cold), Limit: 16, Unit: " MiB"},
		{Metric: "cold start with 1 VM: CPU of an empty program with KubeVirt's types", Value: cpuRatio(cold, empty), Limit: 3, Unit: " times", Gate: true},
		{Metric: "1,000 VMs, a file each: less CPU than Helm", Value: timesLess(all, thousand), Limit: 8, AtLeast: true, Unit: " times", Gate: true},
		{Metric: "10,000 VMs, a file each: less CPU than Helm", Value: timesLess(all, files), Limit: 10, AtLeast: true, Unit: " times", Gate: true},
		{Metric: "10,000 VMs, a file each: peak memory", Value: mebibytes(files), Limit: 64, Unit: " MiB"},
		{Metric: "10,000 VMs in one file: less CPU than Helm", Value: timesLess(all, file), Limit: 10, AtLeast: true, Unit: " times", Gate: true},
		{Metric: "100,000 VMs, a file each: peak memory", Value: mebibytes(huge), Limit: 512, Unit: " MiB"},
		{Metric: "10,000 VMs as YAML instead of JSON: CPU", Value: cpuRatio(yaml, json), Limit: 2, Unit: " times", Gate: true},
		{Metric: "plan of 10,000 VMs: CPU of rendering both sides", Value: dearest(all), Limit: 3, Unit: " times", Gate: true},
		{Metric: "growth exponent, 100 to 100,000 VMs", Value: grown(100, 100_000), Limit: 1.05, Gate: true},
		{Metric: "user instructions per further VM", Value: instructions(thousand), Limit: 400, Unit: " k", Gate: true},
	}
}

// missedGates returns the metrics of the gates that are missed.
func missedGates(judged []target) []string {
	var names []string
	for _, t := range judged {
		if t.Gate && t.verdict() == missed {
			names = append(names, t.Metric)
		}
	}
	return names
}

func milliseconds(s *series) float64 {
	if s == nil {
		return math.NaN()
	}
	return float64(s.cpu()) / float64(time.Millisecond)
}

func mebibytes(s *series) float64 {
	if s == nil {
		return math.NaN()
	}
	return float64(s.peak()) / (1 << 20)
}

func instructions(s *series) float64 {
	if s == nil || s.Instructions == 0 {
		return math.NaN()
	}
	return s.Instructions / 1000
}

func cpuRatio(over, under *series) float64 {
	if over == nil || under == nil {
		return math.NaN()
	}
	return float64(over.cpu()) / float64(under.cpu())
}
