package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // the image has no time zones of its own

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/rollout"
	"github.com/vmrender/vmrender/pkg/schedule"
)

// petFlags are the flags of a maintenance of pets.
type petFlags struct {
	pets      bool
	window    string
	job       string
	most      string
	order     string
	snapshots []string
}

func (f *petFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.pets, "pets", false, "restart the pets that are named and wait for a restart")
	flags.StringVar(&f.window, "window", "", "with --pets: `window` in which restarts may begin, "+
		`such as "Sun 02:00-04:00 Europe/Berlin" (default: now)`)
	flags.StringVar(&f.job, "job", "", "with --window: `name` of the Job that runs this; "+
		"one that its CronJob has not created also restarts outside of the window")
	flags.StringVar(&f.most, "max-unavailable", "",
		"with --pets: maximum `number` or percentage that may be down (default 1)")
	flags.StringVar(&f.order, "order", "name", "with --pets: `order` of the restarts: name or dependsOn")
	flags.StringArrayVar(&f.snapshots, "snapshot", nil, "with --pets: `name` of a VM of which a snapshot is taken first")
	for _, name := range []string{"window", "job", "max-unavailable", "snapshot"} {
		completeFlag(cmd, name, cobra.NoFileCompletions)
	}
	completeFlag(cmd, "order", cobra.FixedCompletions(orders, cobra.ShellCompDirectiveNoFileComp))
}

var orders = []string{"name", "dependsOn"}

// read returns the pets of the flags and arguments, or nil without --pets. In a Job of a CronJob, id is the name of the
// latter.
func (f *petFlags) read(id string, names []string) (*rollout.Pets, error) {
	if !f.pets {
		if f.window != "" || f.job != "" || f.most != "" || f.order != "name" || f.snapshots != nil {
			return nil, errors.New("--window, --job, --max-unavailable, --order and --snapshot are for pets; " +
				"use them with --pets")
		}
		return nil, nil
	}
	switch {
	case len(names) == 0:
		return nil, errors.New("no VirtualMachine; expected the names of pets with --pets")
	case !slices.Contains(orders, f.order):
		return nil, fmt.Errorf("unknown --order %q; accepted: name, dependsOn", f.order)
	}
	for _, name := range f.snapshots {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("--snapshot %q is not one of the VirtualMachines; name it as an argument as well", name)
		}
	}
	pets := &rollout.Pets{Names: names, MaxUnavailable: f.most, ByWave: f.order == "dependsOn", Snapshots: f.snapshots}
	if f.window == "" || f.isOnDemand(id, time.Now()) {
		return pets, nil
	}
	window, err := schedule.Parse(f.window)
	if err != nil {
		return nil, fmt.Errorf("--window: %w", err)
	}
	pets.Window = &window
	pets.Zone, err = time.LoadLocation(window.Zone)
	return pets, err
}

// isOnDemand reports whether a user has created the Job, as `kubectl create job --from` and Argo CD's action do. The
// CronJob names its own after the minute that they are for, since 1970 (kubernetes v1.34,
// pkg/controller/cronjob/utils.go, getJobName), and is late by a day at most.
func (f *petFlags) isOnDemand(id string, now time.Time) bool {
	minutes, err := strconv.ParseInt(strings.TrimPrefix(f.job, id+"-"), 10, 64)
	isScheduled := err == nil && now.Sub(time.Unix(60*minutes, 0)).Abs() < 48*time.Hour
	return f.job != "" && !isScheduled
}
