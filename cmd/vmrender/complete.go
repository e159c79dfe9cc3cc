package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
)

// completeFlag sets the completion of a flag's value. It panics if the flag does
// not exist, which is a mistake in this package.
func completeFlag(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err)
	}
}

// completeDirs completes directories.
func completeDirs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// vmNames returns the VMs of the fleet at path for completion: their names, with
// the namespace if several VMs have the same name. If the fleet has errors, it
// returns the VMs that could be read.
func vmNames(path string, opts fleet.Options) []string {
	if path == "-" {
		return nil // completion must not wait for input
	}
	f, _ := inventory.Load(path, opts)
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
