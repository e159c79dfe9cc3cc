package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// references matches the line in which cachegrind prints the number of instructions.
var references = regexp.MustCompile(`I\s+refs:\s+([\d,]+)`)

// isCounted reports whether the instructions of a series are counted: those of the sidecar and, for comparison, those
// of Helm for small fleets. Under valgrind, 1,000 VMs take Helm minutes.
func isCounted(s *series) bool {
	return s.Tool == toolSidecar || s.Tool == toolHelm && s.Size <= 100
}

// countInstructions counts, with valgrind's cachegrind, the user-space instructions of the series that are counted. It
// runs as many commands at the same time as there are CPUs, the largest fleets first, since counts do not depend on the
// load.
func countInstructions(ctx context.Context, all []*series) error {
	if _, err := exec.LookPath("valgrind"); err != nil {
		return errors.New("counting instructions needs valgrind: install the package valgrind")
	}
	counted := slices.DeleteFunc(slices.Clone(all), func(s *series) bool { return !isCounted(s) })
	slices.SortStableFunc(counted, func(a, b *series) int { return cmp.Compare(b.Size, a.Size) })
	queue := make(chan *series, len(counted))
	for _, s := range counted {
		queue <- s
	}
	close(queue)
	failures := make([]error, runtime.NumCPU())
	var workers sync.WaitGroup
	for i := range failures {
		workers.Go(func() {
			for s := range queue {
				if s.Instructions, failures[i] = s.Command.instructions(ctx); failures[i] != nil {
					return
				}
			}
		})
	}
	workers.Wait()
	return errors.Join(failures...)
}

// instructions runs the command and all processes that it starts under cachegrind. Each runs on one thread, so that the
// count is repeatable: there is no parallel garbage collection and no preemption by signals. Without a simulated cache,
// cachegrind counts what callgrind counts, in less than half the time. On some processors, valgrind announces the
// instruction rdtscp to programs but does not support it (valgrind 3.19).
func (c command) instructions(ctx context.Context) (int64, error) {
	logs, err := os.MkdirTemp("", "valgrind")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(logs) }()
	c.Path = countedOf(c.Path)
	c.Env = append(slices.Clip(c.Env), "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1,cpu.rdtscp=off")
	call := c.exec(ctx, "valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--trace-children=yes",
		"--log-file="+filepath.Join(logs, "%p"))
	if text, err := call.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("counting instructions of %s: %w: %s", c.Path, err, firstBytes(text, 2000))
	}
	return sumOfLogs(logs)
}

// sumOfLogs adds up the counts that cachegrind logged for each process.
func sumOfLogs(dir string) (int64, error) {
	logs, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, log := range logs {
		text, err := os.ReadFile(filepath.Join(dir, log.Name()))
		if err != nil {
			return 0, err
		}
		match := references.FindSubmatch(text)
		if match == nil {
			return 0, fmt.Errorf("cachegrind printed no count: %s", firstBytes(text, 2000))
		}
		count, err := strconv.ParseInt(strings.ReplaceAll(string(match[1]), ",", ""), 10, 64)
		if err != nil {
			return 0, err
		}
		sum += count
	}
	if sum == 0 {
		return 0, errors.New("cachegrind has counted no process")
	}
	return sum, nil
}

// slope returns the number of instructions for each further virtual machine between two fleet sizes, or NaN if one of
// them was not counted.
func slope(all []*series, tool string, spread layout, from, to int) float64 {
	format := "json"
	if tool == toolHelm {
		format = "yaml"
	}
	few, many := find(all, tool, spread, format, from), find(all, tool, spread, format, to)
	if few == nil || many == nil || few.Instructions == 0 || many.Instructions == 0 {
		return math.NaN()
	}
	return float64(many.Instructions-few.Instructions) / float64(to-from)
}
