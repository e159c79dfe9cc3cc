package main

import (
	"math"
	"time"
)

// exponent returns the growth exponent between two fleet sizes: cost grows with
// size^exponent, so 1 is linear. The program's start cost, which does not
// depend on the fleet, is subtracted from both. The result is NaN if no cost
// remains.
func exponent(start, small, large time.Duration, smallSize, largeSize int) float64 {
	if small <= start || large <= start {
		return math.NaN()
	}
	cost := float64(large-start) / float64(small-start)
	return math.Log(cost) / math.Log(float64(largeSize)/float64(smallSize))
}

// growth returns the exponent of one kind of series from one size to another,
// or NaN if one of them was not measured.
func growth(all []*series, tool string, spread layout, format string, from, to int) float64 {
	start := find(all, tool, spread, format, 1)
	small := find(all, tool, spread, format, from)
	large := find(all, tool, spread, format, to)
	if start == nil || small == nil || large == nil {
		return math.NaN()
	}
	return exponent(start.cpu(), small.cpu(), large.cpu(), from, to)
}

// timesLess returns how many times less CPU time the series took than Helm for
// as many virtual machines, or NaN if Helm was not measured.
func timesLess(all []*series, s *series) float64 {
	if s == nil {
		return math.NaN()
	}
	helm := find(all, toolHelm, oneFile, "yaml", s.Size)
	if helm == nil {
		return math.NaN()
	}
	return float64(helm.cpu()) / float64(s.cpu())
}
