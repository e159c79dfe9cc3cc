package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
)

// collected is where callgrind prints the instructions it counted.
var collected = regexp.MustCompile(`Collected\s*:\s*(\d+)`)

// countInstructions counts, with valgrind's callgrind, the user-space instructions
// that each further virtual machine takes: the slope between two fleet sizes. It
// fills in the series of the larger size. Counts do not depend on the machine's load.
func countInstructions(ctx context.Context, all []*series) error {
	if _, err := exec.LookPath("valgrind"); err != nil {
		return errors.New("-callgrind needs valgrind: install the package valgrind")
	}
	for _, s := range all {
		smaller := smallerForSlope(all, s)
		if smaller == nil {
			continue
		}
		few, err := smaller.Command.instructions(ctx)
		if err != nil {
			return err
		}
		many, err := s.Command.instructions(ctx)
		if err != nil {
			return err
		}
		s.Instructions = float64(many-few) / float64(s.Size-smaller.Size)
	}
	return nil
}

// smallerForSlope returns the series that s is compared with, nil where s is not
// counted. Helm is counted at 100 only: under callgrind 1,000 take it minutes.
func smallerForSlope(all []*series, s *series) *series {
	switch {
	case s.Tool == toolHelm && s.Size == 100:
		return find(all, s.Tool, s.Layout, s.Format, 1)
	case s.Tool != toolHelm && s.Size == 1_000:
		return find(all, s.Tool, s.Layout, s.Format, 100)
	}
	return nil
}

// instructions runs the command under callgrind, on one thread so that the count
// repeats: no parallel garbage collection and no preemption by signals.
func (c command) instructions(ctx context.Context) (int64, error) {
	c.Env = append(slices.Clip(c.Env), "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1")
	call := c.exec(ctx, "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null")
	var stderr bytes.Buffer
	call.Stderr = &stderr
	if err := call.Run(); err != nil {
		return 0, fmt.Errorf("counting instructions of %s: %w: %s", c.Path, err, firstBytes(stderr.Bytes(), 2000))
	}
	match := collected.FindSubmatch(stderr.Bytes())
	if match == nil {
		return 0, fmt.Errorf("counting instructions of %s: callgrind printed no count", c.Path)
	}
	return strconv.ParseInt(string(match[1]), 10, 64)
}
