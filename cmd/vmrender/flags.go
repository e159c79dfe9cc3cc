package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vmrender/vmrender/internal/process"
	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/fleet"
)

// fleetFlags are the flags of every command that reads a fleet.
type fleetFlags struct {
	namespace string
	sets      []string
	defaults  []string
	overlays  []string
	image     string
	jobs      uint
}

func (f *fleetFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.namespace, "namespace", "n", "", "`namespace` of VMs that have none")
	flags.StringArrayVar(&f.sets, "set", nil, "var of the fleet or platform, as `key=value` with dotted keys (repeatable)")
	flags.StringArrayVar(&f.defaults, "default", nil,
		"VM key that overrides the defaults of all files, as `key=value` with dotted keys (repeatable)")
	flags.StringArrayVar(&f.overlays, "overlay", nil, "`file` to merge over the fleet or platform (repeatable)")
	flags.StringVar(&f.image, "image", "", "`image` with vmrender, for Jobs of a fleet whose target has none")
	flags.UintVar(&f.jobs, "jobs", 0,
		"number of `files` to read at a time; 0 selects it by the size of the fleet (default 0)")
	completeFlag(cmd, "namespace", cobra.NoFileCompletions)
	completeFlag(cmd, "set", cobra.NoFileCompletions)
	completeFlag(cmd, "default", cobra.NoFileCompletions)
	completeFlag(cmd, "image", cobra.NoFileCompletions)
	completeFlag(cmd, "jobs", cobra.NoFileCompletions)
}

func (f *fleetFlags) options(cmd *cobra.Command, vms []string) fleet.Options {
	return fleet.Options{
		Namespace: f.namespace,
		Set:       f.sets,
		Defaults:  f.defaults,
		Overlays:  f.overlays,
		Image:     f.image,
		VMs:       vms,
		Stdin:     cmd.InOrStdin(),
		Jobs:      int(f.jobs),
		Workers:   process.Workers(),
		Rest:      process.Rest(),
	}
}

// argsBetween accepts between least and most arguments.
func argsBetween(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("an argument is missing; expected `%s`", cmd.UseLine())
		case len(args) > most:
			return fmt.Errorf("unexpected argument %q; expected `%s`", args[most], cmd.UseLine())
		}
		return nil
	}
}

// accepted is what flags accept, by the type of their values. pflag's own errors name functions of Go.
var accepted = map[string]string{
	"bool":           "true or false",
	"duration":       "a duration such as 15m",
	"int":            "a whole number",
	"stringToString": "KEY=VALUE",
	"uint":           "a whole number from 0",
}

// flagError returns an error that names the invalid flag and what is accepted.
func flagError(cmd *cobra.Command, err error) error {
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		flag := bad.GetFlag()
		if values := accepted[flag.Value.Type()]; values != "" {
			return fmt.Errorf("--%s %q; expected %s", flag.Name, bad.GetValue(), values)
		}
		return fmt.Errorf("--%s %q: %w", flag.Name, bad.GetValue(), bad.Unwrap())
	}
	return suggestFlag(cmd, err)
}

// suggestFlag adds the nearest flag to the error for an unknown flag.
func suggestFlag(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near, ok := suggest.Nearest(unknown.GetSpecifiedName(), names); ok {
		return fmt.Errorf("%w; did you mean %q?", err, "--"+near)
	}
	return err
}

// pathArg returns the optional argument PATH. Defaults to the working directory.
func pathArg(args []string) string {
	if len(args) == 0 {
		return "."
	}
	return args[0]
}
