package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// planSize is the number of virtual machines in the planned fleets.
const planSize = 10_000

// changes are the numbers of VMs that change.
var changes = []int{100, planSize}

// toolPlan or toolLive and the number of changed VMs form the name of a plan's series.
const (
	toolPlan = "vmrender plan"
	toolLive = toolPlan + " --live"
)

// The one with --live in which one VM in a hundred changes is also a command at size.
func planTool(tool string, changed int) string {
	if tool == toolLive && changed == planSize/100 {
		return toolLive
	}
	return fmt.Sprintf("%s, %s changed", tool, thousands(changed))
}

// isPlan reports whether a series measures a plan with a number of changed VMs.
func (s *series) isPlan() bool {
	return strings.HasPrefix(s.Tool, toolPlan+", ") || strings.HasPrefix(s.Tool, toolLive+", ")
}

// plan returns the repository of n VMs in which this many differ from the last commit.
func (dir inputs) plan(n, changed int) string {
	return filepath.Join(string(dir), fmt.Sprintf("plan-%d-%d", n, changed))
}

// writePlans creates the repositories, and the export of a cluster that has the last commit, if fleets of planSize are
// requested.
func (dir inputs) writePlans(ctx context.Context, bin tools, most int) error {
	if most < planSize {
		return nil
	}
	for _, changed := range changes {
		if err := dir.writePlan(ctx, planSize, changed); err != nil {
			return err
		}
	}
	// The command at a tenth of its size.
	if err := dir.writePlan(ctx, planSize/10, planSize/10/100); err != nil {
		return err
	}
	return dir.writeCluster(ctx, bin, planSize)
}

// writePlan creates the repository of n VMs of which this many have been changed since the last commit.
func (dir inputs) writePlan(ctx context.Context, n, changed int) error {
	root := dir.plan(n, changed)
	return firstFailure(
		func() error { return writeFleet(root, n, filePerVM) },
		func() error { return commit(ctx, root) },
		func() error { return pack(ctx, root) },
		func() error { return writeFiles(filepath.Join(root, "vms"), changed, machine.grown) },
	)
}

// grown returns the VM with more memory: 216Gi instead of 16Gi.
func (m machine) grown() machine {
	m.Memory = "2" + m.Memory
	return m
}

// plans returns the series of plans that are not among the commands at size.
func (dir inputs) plans(bin tools, most, rounds int) []*series {
	var all []*series
	if most < planSize {
		return nil
	}
	for _, tool := range []string{toolPlan, toolLive} {
		args := []string{"plan", "--from", "HEAD"}
		if tool == toolLive {
			args = append(args, "--live", dir.export(planSize))
		}
		for _, changed := range changes {
			if planTool(tool, changed) == toolLive {
				continue
			}
			all = append(all, &series{
				Tool: planTool(tool, changed), Layout: filePerVM, Format: "text", Size: planSize, Rounds: rounds,
				Command: command{Path: bin.Vmrender, Args: args, Dir: dir.plan(planSize, changed)},
			})
		}
	}
	return all
}

// planOf returns the series of a plan, or nil if it was not measured.
func planOf(all []*series, tool string, changed int) *series {
	return find(all, planTool(tool, changed), filePerVM, "text", planSize)
}

// rendersOf returns the cost of a plan in renders of one of its sides.
func rendersOf(all []*series, s *series) float64 {
	return cpuRatio(s, find(all, toolVmrender, filePerVM, "json", planSize))
}

// dearest returns the cost of the most expensive plan of a kind in renders of both its sides.
func dearest(all []*series, tool string) float64 {
	ratios := make([]float64, len(changes))
	for i, changed := range changes {
		ratios[i] = rendersOf(all, planOf(all, tool, changed)) / 2
	}
	return slices.Max(ratios)
}

// Plans returns the table of plans.
func (r report) Plans() string {
	var rows [][]string
	for _, tool := range []string{toolPlan, toolLive} {
		with := "–"
		if tool == toolLive {
			with = thousands(2*planSize) + " objects"
		}
		for _, changed := range changes {
			if s := planOf(r.Series, tool, changed); s != nil {
				rows = append(rows, []string{
					thousands(changed), with, seconds(s.cpu()), seconds(s.wall()), number(mebibytes(s)),
					number(rendersOf(r.Series, s)),
				})
			}
		}
	}
	if rows == nil {
		return notMeasured
	}
	return table([]string{"VMs that change", "`--live`", "CPU s", "wall s", "peak MiB", "CPU of `vmrender template`"}, rows)
}

// PlanSize returns the number of virtual machines in the planned fleets.
func (report) PlanSize() int { return planSize }
