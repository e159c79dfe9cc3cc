package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
)

// completeFlag sets how a flag's value is completed. Cobra refuses only flags
// that do not exist, which is a mistake in this package.
func completeFlag(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err)
	}
}

// completeDirs completes directories.
func completeDirs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// vmNames gives the VMs of the fleet at path for completion: each by its name,
// or with its namespace where two share a name. A fleet with errors completes
// with what could be read.
func vmNames(path string, opts fleet.Options) []string {
	if path == "-" {
		return nil // nobody would end the input
	}
	f, _ := machine.Load(path, opts)
	uses := map[string]int{}
	for _, m := range f.Machines {
		uses[m.Name]++
	}
	names := make([]string, 0, len(f.Machines))
	for _, m := range f.Machines {
		if uses[m.Name] > 1 {
			names = append(names, m.Namespace+"/"+m.Name)
			continue
		}
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return names
}
