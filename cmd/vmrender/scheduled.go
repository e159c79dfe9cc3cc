package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/rollout"
)

// scheduledFlags are the flags of snapshots on a schedule.
type scheduledFlags struct {
	scheduled bool
	id        string
	keep      int
}

const keptByDefault = 7

func (f *scheduledFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.scheduled, "scheduled", false, "take a snapshot of each VM that is named, and delete old ones")
	flags.StringVar(&f.id, "id", "", "with --scheduled: `value` of the label vmrender.io/schedule (required)")
	flags.IntVar(&f.keep, "keep", keptByDefault, "with --scheduled: `number` of ready snapshots to keep of each VM")
	for _, name := range []string{"id", "keep"} {
		completeFlag(cmd, name, cobra.NoFileCompletions)
	}
}

// read returns the snapshots of the flags and arguments, or nil without --scheduled.
func (f *scheduledFlags) read(names []string) (*rollout.Scheduled, error) {
	if !f.scheduled {
		if f.id != "" || f.keep != keptByDefault {
			return nil, errors.New("--id and --keep are for snapshots on a schedule; use them with --scheduled")
		}
		return nil, nil
	}
	switch {
	case f.id == "":
		return nil, errors.New("no id; expected --id ID")
	case f.keep < 1:
		return nil, fmt.Errorf("invalid --keep %d; expected a number from 1", f.keep)
	case len(names) == 0:
		return nil, errors.New("no VirtualMachine; expected the names of VirtualMachines with --scheduled")
	}
	seen := slices.Clone(names)
	slices.Sort(seen)
	return &rollout.Scheduled{ID: f.id, Machines: slices.Compact(seen), Keep: f.keep}, nil
}
