package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/process"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/source"
)

// enum is the value of a flag that takes one of a few words.
type enum struct {
	value    string
	accepted []string
}

// String returns the word.
func (e *enum) String() string { return e.value }

// Type returns the accepted words, as help shows them.
func (e *enum) Type() string { return strings.Join(e.accepted, "|") }

// Set takes one of the accepted words.
func (e *enum) Set(word string) error {
	if !slices.Contains(e.accepted, word) {
		return errors.New(source.DidYouMean(word, e.accepted))
	}
	e.value = word
	return nil
}

// outputFlag adds -o with the accepted formats, of which the first is the default.
func outputFlag(cmd *cobra.Command, accepted ...string) *enum {
	e := &enum{value: accepted[0], accepted: accepted}
	cmd.Flags().VarP(e, "output", "o", "output `format`: "+strings.Join(accepted, ", "))
	completeFlag(cmd, "output", cobra.FixedCompletions(accepted, cobra.ShellCompDirectiveNoFileComp))
	return e
}

// fleetFlags are the flags of every verb that reads a fleet.
type fleetFlags struct {
	namespace string
	sets      []string
	defaults  []string
	overlays  []string
	jobs      uint
}

func (f *fleetFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.namespace, "namespace", "n", "", "`namespace` of VMs that have none")
	flags.StringArrayVar(&f.sets, "set", nil, "a var of the fleet, as `key=value` with dotted keys (repeatable)")
	flags.StringArrayVar(&f.defaults, "default", nil, "a VM key over the defaults of all files, as `key=value` with dotted keys (repeatable)")
	flags.StringArrayVar(&f.overlays, "overlay", nil, "`file` that merges over the fleet (repeatable)")
	flags.UintVar(&f.jobs, "jobs", 0, "how many `files` are read at a time; 0 decides by the size of the fleet")
	completeFlag(cmd, "namespace", cobra.NoFileCompletions)
	completeFlag(cmd, "set", cobra.NoFileCompletions)
	completeFlag(cmd, "default", cobra.NoFileCompletions)
	completeFlag(cmd, "jobs", cobra.NoFileCompletions)
}

func (f *fleetFlags) options(cmd *cobra.Command, vms []string) fleet.Options {
	return fleet.Options{
		Namespace: f.namespace,
		Set:       f.sets,
		Defaults:  f.defaults,
		Overlays:  f.overlays,
		VMs:       vms,
		Stdin:     cmd.InOrStdin(),
		Jobs:      int(f.jobs),
		Workers:   process.Workers(),
	}
}

// pathArg is the optional argument that names a fleet.
func pathArg(args []string) string {
	if len(args) == 0 {
		return "."
	}
	return args[0]
}
